"""What travels between a model, its harness and a server of tools."""

from collections.abc import Sequence

from support.core import InputError
from support.view.diagram.canvas import WIDTH, Diagram
from support.view.diagram.shapes import Drawing

ROLE = {"user": "token", "model": "stream", "harness": "ink"}
EXAMPLE = (
    ("<BOS> rosa has 1 2 pots . rosa buys 7 more . how many ?", "user"),
    ("<call> calc 1 2 + 7 <result>", "model"),
    ("1 9 </result>", "harness"),
    ("<answer> 1 9 <EOS>", "model"),
)
SAID = (
    ("client", "initialize"),
    ("server", "its version and capabilities"),
    ("client", "tools/list"),
    ("server", "names and schemas"),
    ("client", "tools/call"),
    ("server", "content"),
)


def belt(tokens: Sequence[str] = (), writers: Sequence[str] = ()) -> Diagram:
    """A text with requests, token by token; the colour says who wrote it, a dashed frame that it is masked.

    Args:
        tokens: the text; an example if not given.
        writers: for each token ``"user"``, ``"model"`` or ``"harness"``.

    Raises:
        InputError: there is not one writer for each token, or an unknown one.
    """
    if not tokens:
        tokens = [t for text, _ in EXAMPLE for t in text.split()]
        writers = [who for text, who in EXAMPLE for _ in text.split()]
    if len(tokens) != len(writers) or not set(writers) <= set(ROLE):
        raise InputError("a belt needs one writer for each token: user, model or harness")
    d = Drawing(100)
    for k, (who, words) in enumerate(
        (("user", "user"), ("model", "model (learned)"), ("harness", "harness"))
    ):
        d.box(16 + 96 * k + 44 * (k == 2), 16, 18, 16, "", ROLE[who], dashed=who != "model")
        d.text(30 + 96 * k + 44 * (k == 2), 16, words, size=12, anchor="start")
    x, y, before = 6.0, 50, writers[0]
    for token, who in zip(tokens, writers, strict=True):
        width = 13 + 6.9 * len(token)
        if x + width > WIDTH - 4 or who != before:
            x, y = 6.0, y + (34 if who == before else 42)
        d.box(x + width / 2, y, width, 24, token, ROLE[who], size=12, round=5, dashed=who != "model")
        x, before = x + width + 4, who
    d.size = (d.size[0], y + 26)
    parts: list[tuple[str, list[str]]] = []
    for token, who in zip(tokens, writers, strict=True):
        if not parts or parts[-1][0] != who:
            parts.append((who, []))
        parts[-1][1].append(token)
    told = ". ".join(f"The {who} wrote: {' '.join(words)}" for who, words in parts)
    rest = "What the model wrote is what it learns; the rest, dashed, is masked."
    return d.done(f"A text with a request, token by token. {told}. {rest}")


def exchange(messages: Sequence[tuple[str, str]] = SAID) -> Diagram:
    """Messages between a client, which is the harness's side, and a server, which has the tools.

    Args:
        messages: for each who sends it, ``"client"`` or ``"server"``, and a few words of what it says.

    Raises:
        InputError: a message is of somebody else, or longer than 34 characters.
    """
    if any(who not in ("client", "server") or len(words) > 34 for who, words in messages):
        raise InputError("each message is of the client or the server, in 34 characters at most")
    d, low, high = Drawing(100), 40, WIDTH - 40
    d.box(low, 20, 72, 28, "client", "ink", bold=True)
    d.box(high, 20, 72, 28, "server", "line", bold=True)
    end = 62 + 34 * len(messages)
    d.line((low, 36), (low, end), role="line", dashed=True)
    d.line((high, 36), (high, end), role="line", dashed=True)
    for k, (who, words) in enumerate(messages):
        y, mine = 68 + 34 * k, who == "client"
        d.arrow((low if mine else high, y), (high if mine else low, y), role="ink" if mine else "line")
        d.text(WIDTH / 2, y - 10, words, size=12)
    d.size = (d.size[0], end + 8)
    told = "; ".join(f"{who}: {words}" for who, words in messages)
    return d.done(f"{len(messages)} messages between a client and a server of tools, in order. {told}.")
