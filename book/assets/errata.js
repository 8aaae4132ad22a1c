// The filter of the errata page. Without this script every claim is shown.
document.addEventListener("DOMContentLoaded", () => {
  const form = document.getElementById("ledger-form");
  if (!form) return;
  const lists = [...document.querySelectorAll("ol.claims")];
  const items = lists.flatMap((list) => [...list.children].map((li) => ({
    li, source: list.dataset.s, verdict: li.dataset.v, chapter: li.dataset.c, words: li.textContent.toLowerCase(),
  })));
  const wrong = new Set(["slip", "follows", "conceptual", "overstated", "convention"]);
  const field = (name) => form.elements[name].value;
  function filter() {
    const [verdict, source, chapter] = ["v", "s", "c"].map(field);
    const words = field("q").toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const item of items) {
      const fits = (!verdict || item.verdict === verdict || (verdict === "wrong" && wrong.has(item.verdict)))
        && (!source || item.source === source) && (!chapter || item.chapter === chapter)
        && words.every((word) => item.words.includes(word));
      item.li.hidden = !fits;
      shown += fits;
    }
    for (const list of lists) list.parentElement.hidden = ![...list.children].some((li) => !li.hidden);
    form.elements.count.textContent = `${shown} of ${items.length} claims are shown.`;
  }
  // What the address points to; nothing, if it is no text in percent signs (as "%E0%A4%A").
  function target() {
    try {
      return document.getElementById(decodeURIComponent(location.hash.slice(1)));
    } catch {
      return null;
    }
  }
  // A link to a claim that is filtered away shows it again.
  function follow() {
    const claim = target();
    if (claim && claim.closest("[hidden]")) {
      form.reset();
      filter();
      claim.scrollIntoView();
    }
  }
  form.addEventListener("input", filter);
  form.addEventListener("reset", () => setTimeout(filter));
  form.addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", follow);
  form.hidden = false;
  filter();
});
