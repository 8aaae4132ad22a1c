"""How training is spread over devices: four ways, sums around a ring, matrices that are cut, a chain."""

from collections.abc import Callable, Sequence

from support.core import InputError
from support.view.diagram.canvas import SMALLEST, Diagram, Number
from support.view.diagram.shapes import Drawing


def parallelism(devices: int = 3) -> Diagram:
    """Four ways to spread training over devices: data, tensor, pipeline, sharded (ZeRO, FSDP).

    Args:
        devices: how many are drawn, two to four.

    Raises:
        InputError: not two to four devices.
    """
    if not 2 <= devices <= 4:
        raise InputError(f"devices={devices}: give two to four")
    d, step, left = Drawing(560), 236 / devices, 100
    places = [left + step * (k + 0.5) for k in range(devices)]

    def panel(
        y: Number, name: str, note: str, sends: str, draw: Callable[[int, Number, Number], None]
    ) -> None:
        d.text(8, y + 12, name, bold=True, anchor="start")
        d.text(8, y + 30 + 7 * note.count("\n"), note, "faint", size=12, anchor="start")
        for k, x in enumerate(places):
            d.frame(x - step / 2 + 4, y, step - 8, 88)
            draw(k, x, y)
        d.text(left + 118, y + 101, sends, "loss", size=12)

    wide = step - 24

    def part(k: int, x: Number, y: Number) -> None:
        d.box(x - wide / 2 + wide / devices * (k + 0.5), y, wide / devices, 13, "", "stream", round=2)

    def data(k: int, x: Number, y: Number) -> None:
        d.box(x, y + 20, wide, 22, f"batch {k}", "token", size=11)
        for row in range(3):
            d.box(x, y + 45 + 15 * row, wide, 13, "", "stream", round=2)

    def tensor(k: int, x: Number, y: Number) -> None:
        d.box(x, y + 20, wide, 22, "batch", "token", size=11)
        for row in range(3):
            part(k, x, y + 45 + 15 * row)

    def pipeline(k: int, x: Number, y: Number) -> None:
        d.box(x, y + 20, wide, 22, f"micro {devices - 1 - k}", "token", size=11)
        for row in range(devices):
            if row == k:
                d.box(x, y + 42 + 12 * row, wide, 11, "", "stream", round=2)
        if k < devices - 1:
            d.arrow(
                (x + wide / 2 + 1, y + 43 + 12 * k), (x + step - wide / 2 - 1, y + 54 + 12 * k), role="stream"
            )

    def sharded(k: int, x: Number, y: Number) -> None:
        d.box(x, y + 20, wide, 22, f"batch {k}", "token", size=11)
        for row in range(3):
            d.box(x, y + 45 + 15 * row, wide, 13, "", "line", dashed=True, round=2)
            part(k, x, y + 45 + 15 * row)

    d.text(left + 118, 12, f"{devices} devices", "faint", size=12)
    panel(24, "data", "the whole\nmodel on\neach", "gradients averaged, once a step", data)
    panel(146, "tensor", "a part of\neach matrix", "activations, in every layer", tensor)
    panel(268, "pipeline", "a part of\nthe layers", "activations, to the next device", pipeline)
    panel(
        390,
        "sharded",
        "1/n of every\ntensor stored",
        "weights fetched, gradients scattered",
        sharded,
    )
    d.size = (d.size[0], 506)
    return d.done(
        f"Four ways to spread training over {devices} devices. Data parallel: each has the whole model and "
        "its own batch, and the gradients are averaged once a step. Tensor parallel: each has a part of "
        "every matrix, and activations are exchanged in every layer. Pipeline parallel: each has a part "
        "of the layers, and the activations of one micro-batch after the other go to the next. Sharded "
        "(ZeRO, FSDP): each stores "
        f"1/{devices} of every tensor and its own batch; weights are fetched when they are used, gradients "
        "are scattered."
    )


SHADES = (0.0, 0.18, 0.36, 0.55)  # of a sum of one to four devices; on the strongest, letters still read well
GRADIENTS = ((1, 2, 3, 4), (10, 20, 30, 40), (100, 200, 300, 400), (0, 0, 0, 1))


def ring(gradients: Sequence[Sequence[Number]] = GRADIENTS) -> Diagram:
    """A ring all-reduce of four devices (Patarasuk and Yuan 2009): what each holds and sends, round by round.

    Args:
        gradients: four numbers of each of the four devices; no sum has more than three digits.

    Raises:
        InputError: not four times four numbers, or one that is too long.

    >>> ring().alt[-60:]
    'holds the sums 111, 222, 333, 445, and has sent six numbers.'
    """
    held = [[round(number) for number in row] for row in gradients]
    if [len(row) for row in held] != [4] * 4 or not all(
        0 <= sum(column) < 1000 for column in zip(*held, strict=False)
    ):
        raise InputError("give four numbers of each of four devices, whose sums have at most three digits")
    summed = [[1] * 4 for _ in range(4)]  # of how many devices an entry is the sum
    d, cell, high, left, across = Drawing(594), 34, 13, 82, 66

    def entry(x: Number, y: Number, number: Number | str, count: int) -> None:
        """A number in the shade of how many devices it is the sum of; a finished one in bold letters."""
        d.cell(x, y, cell, high, "" if count == 4 else f"{number}", "loss", SHADES[count - 1])
        if count == 4:
            d.text(x + cell / 2, y + high / 2, f"{number}", size=SMALLEST, bold=True, inside=True)

    def state(top: Number, turn: int | None = None) -> None:
        """The devices side by side, and what each sends to the next; the last one's goes to the first."""
        for k in range(4):
            x = left + across * k
            for j in range(4):
                entry(x, top + high * j, held[k][j], summed[k][j])
        if turn is None:
            return
        d.text(8, top + 2 * high, f"round {turn + 1}", size=12, anchor="start")
        for k in range(4):
            x, j = left + across * k, (k - turn) % 4
            at = top + high * (j + 0.5)
            d.cell(x, top + high * j, cell, high, role="ink", edge=2)
            d.arrow((x + cell + 3, at), (x + (across if k < 3 else cell + 22) - 3, at), role="ink")
            if k == 3:
                d.arrow((left - 22, at), (left - 3, at), role="ink")

    d.text(8, 12, "sum of", "faint", size=12, anchor="start")
    for k, word in enumerate(("one", "two", "three", "four")):
        d.cell(54 + 46 * k, 5, 40, high + 1, word, "loss", SHADES[k])
        d.text(left + across * k + cell / 2, 62, f"device {k}", "faint", size=12)
    d.text(240, 12, "devices", "faint", size=12, anchor="start")
    d.cell(54, 28, 40, high + 1, role="ink", edge=2)
    d.text(102, 35, "goes to the next device, from 3 to 0", "faint", size=12, anchor="start")
    for part, (name, what) in enumerate(
        (("reduce-scatter", "what arrives is added"), ("all-gather", "what arrives replaces"))
    ):
        top = 74 + 218 * part
        d.text(8, top + 10, name, bold=True, anchor="start")
        d.text(126, top + 10, what, "faint", size=12, anchor="start")
        for row in range(3):
            turn = 3 * part + row
            state(top + 24 + 63 * row, turn)
            sent = [(k, (k - turn) % 4, held[k][(k - turn) % 4], summed[k][(k - turn) % 4]) for k in range(4)]
            for k, j, number, count in sent:
                held[(k + 1) % 4][j] = number + (held[(k + 1) % 4][j] if part == 0 else 0)
                summed[(k + 1) % 4][j] = count + (summed[(k + 1) % 4][j] if part == 0 else 0)
    d.text(8, 520, "afterwards", bold=True, anchor="start")
    d.text(126, 520, "every device holds all four sums", "faint", size=12, anchor="start")
    state(534)
    sums = ", ".join(map(str, held[0]))
    return d.done(
        "Four devices side by side, each with four numbers of its gradient, in six rounds. In each round "
        "every device sends one number to the next device, and the last device to the first: a ring. In the "
        "three rounds of the reduce-scatter what arrives is added, so that after them each device has one "
        "finished sum; in three rounds of the all-gather "
        f"these sums go round. Then each device holds the sums {sums}, and has sent six numbers."
    )


def tensor_parallel() -> Diagram:
    """A feed-forward network whose matrices are cut over two devices (Shoeybi et al. 2019)."""
    d, middle, wide = Drawing(402), 170, 148
    top = d.box(middle, 22, 150, 28, "x [T, d_model]", "stream", size=12)
    total = d.box(middle, 322, 210, 30, "all-reduce: the parts are added", "loss", size=12)
    for k, x in enumerate((88, 252)):
        d.frame(x - 80, 62, 160, 222)
        d.text(x - 70 if k == 0 else x + 70, 78, f"device {k}", "faint", size=12, anchor=("start", "end")[k])
        up = d.box(x, 120, wide, 44, "up: columns\n[d_model, d_ff/2]", "ffn", size=12)
        gelu = d.box(x, 184, wide, 28, "GELU [T, d_ff/2]", "ffn", size=12)
        down = d.box(x, 248, wide, 44, "down: rows\n[d_ff/2, d_model]", "ffn", size=12)
        aside = (-35, 35)[k]
        d.arrow((middle + aside, top.bottom[1]), up.top, role="stream")
        d.arrow(up.bottom, gelu.top)
        d.arrow(gelu.bottom, down.top)
        d.arrow(down.bottom, (middle + aside, 307), role="loss")
    y = d.box(middle, 378, 150, 28, "y [T, d_model]", "stream", size=12)
    d.arrow(total.bottom, y.top, role="stream")
    return d.done(
        "Tensor parallelism of a feed-forward network over 2 devices. Both get the same x [T, d_model]. Each "
        "holds half of the columns of the first matrix, and the half of the rows of the second that belongs "
        "to them. Each computes its part, up to [T, d_model], without the other. One all-reduce adds the "
        "parts to y."
    )


def pipeline(devices: int = 4, micro_batches: int = 4) -> Diagram:
    """The turns of a pipeline: all micro-batches forward through the devices, then backward.

    Follows Huang et al. 2019 (GPipe).

    Args:
        devices: each with a part of the layers; two to four.
        micro_batches: into how many a batch is cut; one to five.

    Raises:
        InputError: too few or too many of either.
    """
    if not 2 <= devices <= 4 or not 1 <= micro_batches <= 5:
        raise InputError(
            f"{devices} devices, {micro_batches} micro-batches: give two to four and one to five"
        )
    half, left, high = micro_batches + devices - 1, 62, 34
    d, wide = Drawing(70 + high * devices), min(34.0, 272 / (2 * half))
    for k in range(devices):
        y = 42 + high * k
        d.text(8, y, f"device {k}", size=12, anchor="start")
        for turn in range(2 * half):
            forward = turn < half
            which = turn - k if forward else turn - half - (devices - 1 - k)
            works = 0 <= which < micro_batches
            role = ("stream" if forward else "loss") if works else "line"
            x = left + wide * (turn + 0.5)
            d.box(
                x,
                y,
                wide - 3,
                high - 8,
                str(which) if works else "",
                role,
                dashed=not works,
                size=12,
                round=3,
            )
    d.text(left + wide * half / 2, 14, "forward", "stream", size=12)
    d.text(left + wide * half * 1.5, 14, "backward", "loss", size=12)
    d.arrow((left, 36 + high * devices), (left + 2 * wide * half, 36 + high * devices))
    d.text(left + wide * half, 52 + high * devices, "turns", "faint", size=12)
    return d.done(
        f"A pipeline of {devices} devices with {micro_batches} micro-batches, numbered from 0. In the "
        "forward pass each device begins one turn after the one before it; in the backward pass the "
        f"last device begins. Each works in {2 * micro_batches} of {2 * half} turns and is idle, dashed, in "
        f"{2 * (devices - 1)}."
    )
