"""The questions of a chapter: shown in a notebook by `jupyterquiz`, and by the page from the same files.

`questions/TOPIC.json` holds a list in the format of `jupyterquiz`: multiple choice, or a number. Each wrong
answer has a sentence that names the likely mistake. What the picture of the chapter is enough for is marked
with ``"picture": true``; on the page, only these are asked of those who read the pictures.
"""

import json
import random
from difflib import get_close_matches
from html import escape
from pathlib import Path
from typing import Any

from IPython.core.getipython import get_ipython
from IPython.display import publish_display_data
from IPython.utils.capture import capture_output

from support.core import InputError
from support.core.errors import optional

FOLDER = Path(__file__).with_name("questions")
INK = {"--jq-multiple-choice-bg": "#005a8d", "--jq-numeric-bg": "#005a8d"}  # as the page's


def load(topic: str) -> list[dict[str, Any]]:
    """The questions about a topic, in the format of `jupyterquiz`.

    Raises:
        InputError: there are none about it.

    >>> [question["type"] for question in load("bpe")]
    ['multiple_choice', 'numeric', 'multiple_choice', 'multiple_choice']
    >>> load("bep")
    Traceback (most recent call last):
    support.core.errors.InputError: there is no quiz about 'bep'; did you mean 'bpe'?
    """
    path = FOLDER / f"{topic}.json"
    if not path.is_file():
        known = sorted(p.stem for p in FOLDER.glob("*.json"))
        near = get_close_matches(topic, known, 1, 0.3)
        hint = f"did you mean {near[0]!r}?" if near else f"there is one about {', '.join(known)}"
        raise InputError(f"there is no quiz about {topic!r}; {hint}")
    return json.loads(path.read_text(encoding="utf8"))


def turned(question: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """The answers in another order, the same on every machine: the right one does not always come first.

    >>> q = {"question": "?", "answers": [{"answer": "a"}, {"answer": "b"}, {"answer": "c"}]}
    >>> [answer["answer"] for answer in turned(q, "quiz")]
    ['b', 'c', 'a']
    """
    answers = question["answers"]
    by = sum(map(ord, name + question["question"])) % len(answers)
    return answers[by:] + answers[:by]


def said(question: dict[str, Any]) -> str:
    """The right answer of a question in words.

    >>> said(load("bpe")[1])
    '1256. 256 bytes and one token for each merge.'
    """
    right = next(answer for answer in question["answers"] if answer.get("correct"))
    return f"{right.get('answer', right.get('value'))}. {right['feedback']}"


def as_text(questions: list[dict[str, Any]], name: str) -> str:
    """The questions and, below them, the answers, for those who have no script."""
    lines = []
    for k, question in enumerate(questions, 1):
        lines.append(f"{k}. {question['question']}")
        if question["type"] != "numeric":
            lines += [f"   - {answer['answer']}" for answer in turned(question, name)]
    answers = [f"{k}. {said(question)}" for k, question in enumerate(questions, 1)]
    return "\n".join([*lines, "", "Answers:", *answers])


def as_html(questions: list[dict[str, Any]], name: str) -> str:
    """The same with its answers folded: what is seen where a notebook's scripts do not run."""
    parts = []
    for question in questions:
        parts.append(f"<p><b>{escape(question['question'])}</b></p>")
        if question["type"] != "numeric":
            items = "".join(f"<li>{escape(a['answer'])}</li>" for a in turned(question, name))
            parts.append(f"<ul>{items}</ul>")
        parts.append(f"<details><summary>Answer</summary><p>{escape(said(question))}</p></details>")
    return "".join(parts)


def quiz(topic: str) -> None:
    """Ask the questions about a topic; an answer is judged at once, and a wrong one names the likely mistake.

    What is published is the same at every run. Where scripts do not run, the questions are text, with the
    answers folded; outside of Jupyter they are printed.

    Args:
        topic: the name of the questions, as a chapter's file has it after its number, e.g. ``"bpe"``.

    Raises:
        InputError: there are no questions about it.
        ImportError: jupyterquiz is not installed (the extra ``notebooks``).

    >>> quiz("bpe")  # doctest: +ELLIPSIS
    1. Byte-pair encoding has learned its merges. In which order does it apply them to a new text?
    ...
    """
    questions, name = load(topic), f"quiz-{topic}"
    shell = get_ipython()
    if shell is None or not hasattr(shell, "kernel"):
        print(as_text(questions, name))
        return
    page, script = _by_jupyterquiz(questions, name)
    plain = f'<div class="quiz-text">{as_html(questions, name)}</div>'
    away = "document.querySelectorAll('.quiz-text').forEach((text) => text.remove());\n"
    publish_display_data({"text/html": page + plain + "</div>", "text/plain": as_text(questions, name)})
    publish_display_data({"application/javascript": away + script, "text/plain": "(the quiz's script)"})


def _by_jupyterquiz(questions: list[dict[str, Any]], name: str) -> tuple[str, str]:
    """The HTML, whose last element is open, and the script that jupyterquiz shows.

    It writes our words into the page as HTML, so that they are escaped here, and it draws the name of its
    element by chance: here always the same for the same questions.
    """
    display_quiz = optional("jupyterquiz", extra="notebooks").display_quiz
    asked = []
    for question in questions:
        numeric = question["type"] == "numeric"
        answers = question["answers"] if numeric else turned(question, name)
        safe = [
            {key: escape(a[key], quote=False) if key in ("answer", "feedback") else a[key] for key in a}
            for a in answers
        ]
        kept = {key: question[key] for key in question if key != "picture"}
        asked.append(kept | {"question": escape(question["question"], quote=False), "answers": safe})
    state = random.getstate()
    random.seed(name)
    try:
        with capture_output() as shown:
            display_quiz(asked, shuffle_answers=False, max_width=680, colors=INK)
    finally:
        random.setstate(state)
    html, script = (output.data for output in shown.outputs)
    return html["text/html"], script["application/javascript"]
