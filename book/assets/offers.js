// What the search offers while one types, as links below its field (titles.js): chapters, sections, terms of the glossary.
const offers = (() => {
  "use strict";
  const make = (tag, about, ...inner) => {
    const made = Object.assign(document.createElement(tag), about);
    made.append(...inner);
    return made;
  };
  // A title as words that compare: British spelling, no plural, no capitals. ("KV-caches" is "kv cache".)
  const AMERICAN = /(?<=[a-z]{2}[iy])z(?=(?:e|ed|es|er|ers|ing|ation|ations)\b)/g, OR = /\b(behavi|col|fav|neighb)or/g;
  const wordsOf = (text) => (text.toLowerCase().replace(AMERICAN, "s").replace(OR, "$1our").match(/[\p{L}\p{N}]+/gu) || [])
    .map((word) => word.length > 3 ? word.replace(/([^s])s$/, "$1") : word);
  // How well a title fits what was typed: 0 the same, 1 begins with it, 2 has it, 3 and 4 have a longer word that begins so; else no
  // fit. ("flash attention" fits "FlashAttention", and "layernorm" fits "layer norm".)
  function fit(typed, title) {
    const words = wordsOf(title), joined = typed.join(""), last = typed.at(-1);
    let best = Infinity;
    for (let i = 0; i < words.length; i++) {
      const spaced = typed.every((word, k) => k === typed.length - 1 || words[i + k] === word) && words[i + typed.length - 1];
      let end = i, so = "";
      while (end < words.length && so.length < joined.length) so += words[end++];
      if (so === joined) best = Math.min(best, i ? 2 : end === words.length ? 0 : 1);
      else if ((spaced && spaced.startsWith(last) && (last.length > 1 || typed.length === 1)) || words[i].startsWith(joined)) best = Math.min(best, i ? 4 : 3);
    }
    return best;
  }
  const isChapter = (place) => place.startsWith("notebooks/"), isTerm = (place) => place.startsWith("book/glossary.html#term-"), isPage = (place) => !place.includes("#");
  // The offers in their order: chapters and pages of that name, sections whose title has it, sections that treat it, the glossary.
  function find(text, titles) {
    const typed = wordsOf(text);
    if (!typed.length) return [];
    const kinds = [[], [], [], [], []], named = new Map(), taken = new Set();
    for (const entry of titles) {
      const [title, place, names] = entry, best = Math.min(...[title, ...isTerm(place) ? names : []].map((name) => fit(typed, name)));
      if (isTerm(place)) named.set(title, best);
      if (best === Infinity) continue;
      taken.add(place);
      const kind = isTerm(place) ? 3 : isPage(place) ? (isChapter(place) || best < 3 ? 0 : 4) : isChapter(place) ? 1 : 4;
      kinds[kind].push([best + (title.startsWith("Deeper") ? 0.5 : 0), entry]);
    }
    const about = titles.filter(([, place]) => !isTerm(place) && !taken.has(place));
    for (const [,, treats] of about) for (const name of Object.keys(treats)) if (!named.has(name)) named.set(name, fit(typed, name));
    const least = Math.min(...named.values());
    if (least < 4) for (const entry of about) {
      const ranks = Object.entries(entry[2]).filter(([name]) => named.get(name) === least).map(([, rank]) => rank);
      if (ranks.length) kinds[2].push([Math.min(...ranks) + (entry[0].startsWith("Deeper") ? 3 : 0), entry]);
    }
    for (const kind of kinds) kind.sort((a, b) => a[0] - b[0]);
    const [pages, titled, treating, terms, others] = kinds.map((kind) => kind.map(([, entry]) => entry));
    const sections = [...titled.slice(0, 4), ...treating].slice(0, 6), most = 10;
    const list = [...pages.slice(0, 3), ...sections, ...terms.slice(0, 3)];
    return [...list, ...titled.slice(4), ...terms.slice(3), ...others].slice(0, most);
  }
  const where = (place, titles) => {
    if (isTerm(place)) return "glossary";
    const number = /^notebooks\/0?(\d+)_/.exec(place)?.[1], [page] = place.split("#");
    return [number ? `chapter ${number}` : "", isPage(place) ? "" : titles.find(([, other]) => other === page)?.[0]].filter(Boolean).join(", ");
  };
  return Object.assign((dialog, field, close) => {
    const list = make("ul", {className: "offers"}), go = make("button", {type: "submit", className: "offers-go", textContent: "Search all pages"});
    field.after(close);
    field.form.append(list, go);
    let coming;
    const show = async () => {
      await (coming ??= window.TITLES || fetchScript("titles.js"));
      const typed = field.value.trim();
      list.replaceChildren(...find(typed, window.TITLES).map(([title, place]) => make("li", {}, make("a", {href: new URL(place, root)}, title, make("small", {}, where(place, window.TITLES))))));
      go.hidden = !typed;
    };
    go.hidden = true;
    field.addEventListener("focus", show);
    field.addEventListener("input", show);
    dialog.addEventListener("keydown", (event) => { // the arrows lead through what is offered, and back to the field
      const by = {ArrowDown: 1, ArrowUp: -1}[event.key], all = [field, ...list.querySelectorAll("a")], at = all.indexOf(document.activeElement);
      if (!by || at < 0) return;
      event.preventDefault();
      all[(at + by + all.length) % all.length].focus();
    });
  }, {find});
})();
