// Judges the answers of a quiz (book/ext/quiz.py): what is right, and which mistake a wrong answer most likely comes from.
document.addEventListener("DOMContentLoaded", () => {
  const number = (text) => Number(text.trim().replace("−", "-").replace(/,(?=\d{3}\b)/g, "").replace(",", "."));
  // As many digits as the question asks for; else as many as the right answer has.
  const same = (given, value, precision) => precision
    ? given.toPrecision(precision) === value.toPrecision(precision)
    : Math.abs(given - value) <= 1e-9 + 1e-6 * Math.abs(value);
  function judged(question, typed) {
    if (question.type !== "numeric") return question.answers[Number(typed)];
    const given = number(typed);
    if (Number.isNaN(given)) return {correct: false, feedback: "That is not a number."};
    return question.answers.find((answer) => answer.type === "value" && same(given, answer.value, question.precision))
      || question.answers.find((answer) => answer.type === "default");
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
      const answer = judged(question, typed);
      form.dataset.right = String(Boolean(answer.correct));
      told.textContent = `${answer.correct ? "Right." : "Not yet."} ${answer.feedback}`;
    });
  }
});
