"""From a model to an assistant: LoRA, learning from preferences, tools."""

from support.core import InputError
from support.view.diagram.canvas import Diagram
from support.view.diagram.shapes import Drawing


def lora(width: int = 768, rank: int = 8) -> Diagram:
    """A low-rank adapter beside a frozen weight (Hu et al. 2021).

    Args:
        width: how long the vectors on both sides of the weight are.
        rank: the inner size of the adapter, smaller than the width.

    Raises:
        InputError: the rank is not between 1 and the width.
    """
    if not 1 <= rank < width:
        raise InputError(f"rank={rank} must be at least 1 and smaller than width={width}")
    d = Drawing(420)
    x = d.box(170, 24, 140, 30, "input x", "stream")
    d.text(250, 24, f"[{width}]", "faint", size=12, anchor="start")
    big = d.box(92, 170, 148, 148, "", "line")
    d.text(92, 150, "W, frozen", "ink", bold=True, inside=True)
    d.text(92, 170, f"[{width}, {width}]", "faint", size=12, inside=True)
    d.text(92, 188, f"{width * width:,}", "faint", size=12, inside=True)
    d.arrow((92, x.bottom[1]), big.top)
    a = [(182, 96), (318, 96), (264, 158), (236, 158)]
    b = [(236, 182), (264, 182), (318, 244), (182, 244)]
    d.curve(a, "attention", closed=True, fill=0.12)
    d.curve(b, "attention", closed=True, fill=0.12)
    d.arrow((250, x.bottom[1]), (250, 94))
    d.text(250, 117, f"A [{width}, {rank}]", bold=True, inside=True, size=12)
    d.text(250, 212, f"B [{rank}, {width}]", bold=True, inside=True, size=12)
    d.arrow((250, 158), (250, 182))
    d.text(272, 170, f"[{rank}]", "attention", size=12, anchor="start")
    d.text(250, 140, "trained", "attention", size=12, inside=True)
    d.text(250, 231, "starts at 0", "attention", size=12, inside=True)
    total = d.node(170, 300, "+", "stream", r=13, size=16)
    d.arrow(big.bottom, (92, 300), total.left)
    d.arrow((250, 246), (250, 300), total.right, role="attention")
    d.text(256, 274, "$× α / r$", "attention", size=12, anchor="start")
    d.arrow(total.bottom, (170, 344), words=f"[{width}]")
    few, many = 2 * rank * width, width * width
    d.text(170, 362, f"trained: {few:,} numbers instead of {many:,}", "attention", bold=True)
    d.text(170, 380, f"$2 · {rank} · {width}$", "attention", size=12)
    d.text(170, 400, "$afterwards W + A B · α / r is again one matrix$", "faint", size=12)
    d.size = (d.size[0], 414)
    return d.done(
        f"LoRA. The weight W, {width} by {width}, is frozen. Beside it the input goes through A, {width} "
        f"by {rank}, and B, {rank} by {width}, which starts at zero; the result, times alpha over r, is "
        f"added. Trained are {few:,} numbers instead of {many:,}, {100 * few / many:.1f} percent. "
        "Afterwards all three become one matrix again."
    )


def preferences() -> Diagram:
    """Learning from preferences: reward model and policy gradient with a reference, and DPO's short cut."""
    d = Drawing(560)
    d.text(8, 16, "1  people compare", bold=True, anchor="start")
    prompt = d.box(66, 52, 112, 32, "prompt", "token")
    for y, mark, role, name in (
        (40, "preferred", "token", "answer A"),
        (78, "rejected", "token", "answer B"),
    ):
        box = d.box(196, y, 92, 30, name, role, size=12)
        d.arrow(prompt.right, box.left)
        d.text(250, y, mark, role, size=12, anchor="start")
    d.text(8, 122, "2  a reward model learns to agree", bold=True, anchor="start")
    reward = d.box(196, 158, 150, 42, "reward model", "output", bold=True, note="r(prompt, answer)", size=12)
    for y in (40, 78):
        d.line((312, y), (320, y))
    d.line((320, 40), (320, 78))
    d.arrow((320, 59), (330, 59), (330, 158), reward.right)
    d.text(8, 152, "low loss if A\ngets far more", "loss", size=12, anchor="start")
    d.text(8, 224, "3  the policy is trained (PPO, GRPO)", bold=True, anchor="start")
    policy = d.box(84, 276, 124, 44, "policy", "stream", bold=True, note="being trained")
    answer = d.box(262, 276, 112, 32, "its answer", "token")
    d.arrow(policy.right, answer.left, words="writes", side="above")
    score = d.box(262, 344, 112, 34, "reward r", "output", bold=True)
    d.arrow(answer.bottom, score.top)
    ref = d.box(84, 344, 124, 44, "reference", "norm", bold=True, note="frozen copy")
    d.line(policy.bottom, ref.top, role="faint", dashed=True)
    d.text(92, 310, "KL: how far away", "faint", size=12, anchor="start")
    aim = d.box(170, 408, 230, 30, "high reward, near the reference", "loss", size=12, bold=True)
    d.text(170, 434, "$maximise  r − β · KL$", "loss", size=12)
    d.arrow(score.bottom, (262, aim.top[1]))
    d.arrow(ref.bottom, (84, aim.top[1]))
    d.arrow(aim.left, (9, 408), (9, 276), policy.left, role="loss")
    d.line((8, 446), (332, 446), role="line", width=1)
    d.text(8, 464, "DPO: from 1 straight to the policy", bold=True, anchor="start")
    d.text(8, 486, "the pair is the data", "faint", size=12, anchor="start")
    d.text(8, 504, "$reward of an answer: β · ln( policy / reference )$", "faint", size=12, anchor="start")
    d.size = (d.size[0], 522)
    return d.done(
        "Learning from preferences. 1: people compare two answers to a prompt. 2: a reward model learns "
        "to give the preferred one more; its loss is low if that one gets far more. 3: the policy "
        "writes answers and is trained to maximise their reward minus beta times the KL divergence from a "
        "frozen reference copy (PPO, GRPO). DPO goes from the pairs straight to the policy: its reward is "
        "beta times the log of policy over reference."
    )


def tools(
    question: str = "What is 17 × 23?",
    request: str = "calc(17*23)",
    result: str = "391",
    answer: str = "It is 391.",
) -> Diagram:
    """The conveyor belt: the model writes a request, the harness answers it, the model goes on.

    Args:
        question: what the user writes.
        request: what the model writes to a tool.
        result: what the harness puts behind it.
        answer: what the model writes then.

    Raises:
        InputError: a text is longer than 20 characters.
    """
    if max(map(len, (question, request, result, answer))) > 20:
        raise InputError("a text is longer than 20 characters, which is what a phone shows")
    d, x = Drawing(500), 94
    d.text(x, 14, "the context grows ↓", "token", bold=True)
    rows = (
        (52, question, "user", "token"),
        (152, request, "model writes", "stream"),
        (252, result, "harness inserts", "ink"),
        (352, answer, "model writes", "stream"),
    )
    d.frame(6, 26, 176, 366)
    for y, words, who, role in rows:
        d.box(x, y, 160, 30, words, role, bold=True, size=12)
        d.text(x, y + 26, who, role, size=12)
    model = d.box(276, 102, 104, 40, "model", "stream", bold=True)
    d.arrow((174, 52), (276, 52), model.top, role="stream")
    d.arrow(model.bottom, (276, 152), (174, 152), role="stream")
    d.box(276, 206, 104, 44, "harness", "ink", bold=True, note="a program")
    d.arrow((174, 160), (250, 160), (250, 184), role="ink")
    d.arrow((224, 214), (206, 214), (206, 250), (174, 250), role="ink")
    d.box(286, 276, 96, 50, "tools", "line", note="calculator,\ncode, search", size=12)
    d.arrow((300, 228), (300, 251), role="ink")
    again = d.box(276, 326, 104, 30, "model", "stream", bold=True)
    d.arrow((174, 262), (200, 262), (200, 326), again.left, role="stream")
    d.arrow(again.bottom, (276, 352), (174, 352), role="stream")
    d.line((8, 404), (332, 404), role="line", width=1)
    d.text(8, 422, "retrieval is such a tool:", bold=True, anchor="start", size=12)
    places = (
        ("question", "token", 52),
        ("encoder", "key", 134),
        ("nearest\npassages", "value", 212),
        ("context", "token", 292),
    )
    last = None
    for name, role, at in places:
        box = d.box(at, 454, 66, 36, name, role, size=11)
        if last:
            d.arrow(last.right, box.left)
        last = box
    d.size = (d.size[0], 484)
    return d.done(
        f"The conveyor belt of an assistant with tools. The user asks: {question} The model writes a "
        f"request, {request}. A harness, which is an ordinary program, runs the tool and puts its result, "
        f"{result}, into the context. The model reads on and writes: {answer} Retrieval is such a tool: an "
        "encoder finds the passages nearest to the question, and they are put into the context. The model "
        "itself only ever writes tokens."
    )
