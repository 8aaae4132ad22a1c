// Judges the answers of a quiz (book/ext/quiz.py): what is right, and which mistake a wrong answer most likely comes from. A wrong
// answer can be tried again; what is counted is the first one.
document.addEventListener("DOMContentLoaded", () => {
  // A decimal number: its digits may stand in groups of three, and a comma that can be no such group's is a decimal point.
  const POINT = /^[+-]?(?:[1-9]\d{0,2}(?:(?:,\d{3})+|(?: \d{3})+)|\d+)?(?:\.\d*)?(?:e[+-]?\d+)?$/i, COMMA = /^[+-]?(?:[1-9]\d{0,2}(?:(?:\.\d{3})+|(?: \d{3})+)|\d*),\d+$/;
  function number(text) {
    const given = text.trim().replace("−", "-").replace(/\s/g, " "), digits = given.replace(/ /g, "");
    if (POINT.test(given) && /^[^e]*\d/i.test(given)) return Number(digits.replace(/,/g, ""));
    return COMMA.test(given) ? Number(digits.replace(/\./g, "").replace(",", ".")) : NaN;
  }
  // As many digits as the question asks for; else as many as the right answer has.
  const same = (given, value, precision) => precision
    ? given.toPrecision(precision) === value.toPrecision(precision)
    : Math.abs(given - value) <= 1e-9 + 1e-6 * Math.abs(value);
  function judged(question, typed) {
    if (question.type !== "numeric") return question.answers[Number(typed)];
    const given = number(typed);
    return question.answers.find((answer) => answer.type === "value" && same(given, answer.value, question.precision))
      || question.answers.find((answer) => answer.type === "default");
  }
  function count(told) {
    const first = [...told.parentElement.querySelectorAll("form.quiz[data-first]")], right = first.filter((form) => form.dataset.first === "true").length;
    told.textContent = first.length ? `Right at the first try: ${right} of ${first.length}` : "";
  }
  for (const form of document.querySelectorAll("form.quiz")) {
    const question = JSON.parse(form.dataset.question), told = form.querySelector("output");
    form.addEventListener("input", () => { told.textContent = ""; form.removeAttribute("data-right"); });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const typed = new FormData(form).get(form.id);
      if (!typed?.trim()) {
        told.textContent = typed === null ? "Choose an answer first." : "Write a number first.";
        return;
      }
      if (question.type === "numeric" && Number.isNaN(number(typed))) {
        told.textContent = "Write one decimal number, such as 0.25 or 1,000.";
        return;
      }
      const answer = judged(question, typed), right = Boolean(answer.correct);
      form.dataset.right = String(right);
      form.dataset.first ??= String(right);
      told.textContent = right ? `Right. ${answer.feedback}` : `Not yet. ${answer.feedback} Try again.`;
      if (told.getBoundingClientRect().bottom > innerHeight) told.scrollIntoView({block: "nearest"}); // (what is said of an answer is seen)
      form.querySelector("input:checked")?.closest("label").classList.toggle("quiz-tried", !right);
      for (const score of document.querySelectorAll(".quiz-count")) count(score);
    });
  }
});
