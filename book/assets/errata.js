// The errata page: 25 claims at a time, filtered. Without this script every claim is shown.
// The lists stand in <noscript>, which for a browser with scripts is one long text: it costs nothing until a claim
// is asked for. Then the claim's piece of that text, written by our own build, becomes a row.
document.addEventListener("DOMContentLoaded", () => {
  const form = document.getElementById("ledger-form");
  if (!form) return;
  const AT_ONCE = 25, wrong = new Set(["slip", "follows", "conceptual", "overstated", "convention"]);
  const lists = [...document.querySelectorAll("noscript.claims")].map((kept) => {
    const list = document.createElement("ol"), source = /data-s="([^"]*)"/.exec(kept.textContent)[1];
    list.className = "claims";
    kept.after(list);
    const items = kept.textContent.split(/(?=<li id=)/).slice(1).map((html) => {
      const [, id, verdict, chapter] = /id="([^"]*)" data-v="([^"]*)" data-c="([^"]*)"/.exec(html);
      return {html: html.replace(/<\/ol>\s*$/, ""), id, verdict, chapter, source, words: ""};
    });
    return {list, source, items};
  });
  const items = lists.flatMap((part) => part.items);
  const more = document.createElement("button");
  Object.assign(more, {type: "button", className: "claims-more"});
  lists.at(-1).list.parentElement.after(more);
  const field = (name) => form.elements[name].value;
  const plain = document.createElement("template");
  let fitting = [], shown = 0;
  function fits(item, verdict, source, chapter, words) {
    if (verdict && item.verdict !== verdict && !(verdict === "wrong" && wrong.has(item.verdict))) return false;
    if ((source && item.source !== source) || (chapter && item.chapter !== chapter)) return false;
    if (!words.length) return true;
    if (!item.words) {
      plain.innerHTML = item.html.replace(/<[^>]*>/g, " ");
      item.words = plain.content.textContent.toLowerCase().replace(/−/g, "-");
    }
    return words.every((word) => item.words.includes(word));
  }
  const grouped = (count) => count.toLocaleString("en");
  const row = (item) => {
    plain.innerHTML = item.html;
    return plain.content.firstElementChild;
  };
  function show(upTo) {
    for (const part of lists) {
      part.list.append(...fitting.slice(shown, upTo).filter((item) => item.source === part.source).map(row));
      part.list.parentElement.hidden = !part.list.childElementCount;
    }
    shown = Math.min(upTo, fitting.length);
    const left = fitting.length - shown;
    more.hidden = !left;
    more.textContent = `Show ${Math.min(AT_ONCE, left)} more of ${grouped(left)}`;
    form.elements.count.textContent = `${grouped(fitting.length)} of ${grouped(items.length)} claims fit` + (left ? `; ${grouped(shown)} are shown.` : ".");
  }
  function filter() {
    const [verdict, source, chapter] = ["v", "s", "c"].map(field);
    const words = field("q").toLowerCase().replace(/−/g, "-").split(/\s+/).filter(Boolean);
    fitting = items.filter((item) => fits(item, verdict, source, chapter, words));
    for (const part of lists) part.list.replaceChildren();
    shown = 0;
    show(AT_ONCE);
  }
  const empty = () => { for (const {name} of form.querySelectorAll("[name]:not(output)")) form.elements[name].value = ""; };
  // The address may name a claim, its computation, or a source: what it names is made, and shown.
  function follow() {
    let name = "";
    try { name = decodeURIComponent(location.hash.slice(1)); } catch { return; }
    const claim = name.replace(/-worked$/, ""), source = name.replace(/^claims-/, "");
    const at = items.findIndex((item) => item.id === claim);
    if (at >= 0) {
      if (!document.getElementById(claim)) {
        empty();
        fitting = items.slice(at).concat(items.slice(0, at)).filter((item) => item.source === items[at].source);
        for (const part of lists) part.list.replaceChildren();
        shown = 0;
        show(AT_ONCE);
      }
    } else if (name.startsWith("claims-") && lists.some((part) => part.source === source)) {
      empty();
      form.elements.s.value = source;
      filter();
    }
    document.getElementById(name)?.scrollIntoView();
  }
  more.addEventListener("click", () => {
    const first = fitting[shown]?.id;
    show(shown + AT_ONCE);
    document.getElementById(first)?.querySelector("a").focus({preventScroll: true});
  });
  form.addEventListener("input", filter);
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    empty();
    filter();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", follow);
  form.hidden = false;
  filter();
  if (location.hash) follow();
});
