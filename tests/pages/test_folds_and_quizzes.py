"""Folds of the later chapters open and close where they are pressed, and their quizzes judge every answer."""

import json

import pytest

CHAPTERS = [
    f"notebooks/{name}.html"
    for name in (
        "22_kv_cache",
        "23_inside_the_model",
        "24_real_checkpoints",
        "25_fine_tuning",
        "26_preferences",
        "27_tools_and_retrieval",
    )
]
# Each fold and each button that shows code is pressed twice: it opens, closes, and stays under the hand.
PRESS = """async () => {
  const frames = (n) => new Promise((done) => {
    const next = () => n-- > 0 ? requestAnimationFrame(next) : done();
    next();
  });
  const trouble = [];
  let pressed = 0;
  const isOpen = (e) => e.matches('summary') ? e.parentElement.open : e.ariaExpanded === 'true';
  for (const e of document.querySelectorAll('.bd-article :is(summary, button.code-opens)')) {
    for (let up = e.parentElement?.closest('details'); up; up = up.parentElement.closest('details')) {
      if (!(e.matches('summary') && up === e.parentElement)) up.open = true;
    }
    if (!e.checkVisibility() || e.closest('live-figure')) continue;
    e.scrollIntoView({block: 'center', behavior: 'instant'});
    await frames(2);
    const before = isOpen(e);
    for (const wanted of [!before, before]) {
      const {top} = e.getBoundingClientRect();
      e.click();
      await frames(2);
      const off = e.getBoundingClientRect().top - top, says = e.textContent.trim().slice(0, 60);
      if (isOpen(e) !== wanted) trouble.push(`${says}: ${wanted ? 'stays closed' : 'stays open'}`);
      if (Math.abs(off) > 3) trouble.push(`${says}: moves by ${Math.round(off)}`);
    }
    pressed += 1;
  }
  return [trouble, pressed];
}"""


@pytest.mark.parametrize("page", CHAPTERS)
@pytest.mark.parametrize("dark", [False, True])
def test_every_fold_and_every_question_does_what_it_says(open_tab, page, dark):
    tab = open_tab("file", page, dark=dark)
    trouble, pressed = tab.evaluate(PRESS)
    assert trouble == [] and pressed >= 10
    forms = tab.locator("#quiz form.quiz").all()
    assert len(forms) >= 2
    for form in forms:
        question = json.loads(form.get_attribute("data-question"))
        said, number = form.locator("output"), question["type"] == "numeric"
        wrong = [k for k, answer in enumerate(question["answers"]) if not answer.get("correct")]
        [right] = [k for k, answer in enumerate(question["answers"]) if answer.get("correct")]
        for k in (*wrong, right):
            answer = question["answers"][k]
            if number:
                form.locator("input").fill(str(answer.get("value", "987654")))
            else:
                form.locator(f"input[value='{k}']").check()
            form.locator("button").click()
            begins = "Right. " if k == right else "Not yet. "
            assert said.inner_text().startswith(begins + answer["feedback"][:20]), (question["question"], k)
            assert form.get_attribute("data-right") == ("true" if k == right else "false")
    assert "of" in tab.locator("#quiz .quiz-count").inner_text()
    assert tab.complaints == []


def test_plumbing_has_one_fold_and_a_sentence_before_it(open_tab):
    tab = open_tab("file", "notebooks/24_real_checkpoints.html")
    part = tab.locator("#eight-architectures-against-transformers")
    part.scroll_into_view_if_needed()
    kinds = part.evaluate("e => [...e.children].map((each) => each.matches('.cell') ? 'c' : each.localName)")
    assert "".join(kinds).startswith("h3pcpcpcpcc"), "no more than two cells without a word between"
    plumbing = part.locator(".tag_plumbing")
    plumbing.scroll_into_view_if_needed()
    assert plumbing.count() == 1 and plumbing.locator("summary").inner_text() == "Show the code"
    assert not plumbing.locator("pre").first.is_visible()
    plumbing.locator("summary").click()
    assert plumbing.locator("pre:visible").count() == 3 and "spelled" in plumbing.inner_text()


def test_no_message_of_a_right_answer_says_yes_after_right(open_tab):
    for page in CHAPTERS:
        tab = open_tab("file", page)
        for form in tab.locator("form.quiz").all():
            for answer in json.loads(form.get_attribute("data-question"))["answers"]:
                assert not answer["feedback"].startswith("Yes"), answer
