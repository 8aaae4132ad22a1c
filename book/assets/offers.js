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
  function named(typed, titles) {
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
  // Words that ask, and are not what somebody asks about (find.js knows them, too), and words that only join or count others.
  const ASKING = "about can cannot could did do does ever get gets give had happen happens has have how i its just kind know made make makes making may me might must my need our say should so some tell than them thing things up us want we what when where which who why work works would you your";
  const JOINING = "a an and are as at be between but by difference for from if in into is it many more much no not of on one or such that the their then there they this to was will with";
  const quiet = new Set(wordsOf(`${ASKING} ${JOINING}`));
  const stem = (word) => word.replace(/(?<=.{4})(?:ation|ing|ed|er|e)$/, ""), alike = (typed, word) => stem(word).startsWith(stem(typed));
  // What a question asks about: a word that stands nowhere is taken for the one that is spelled most nearly so.
  function meant(typed, known) {
    const heard = typed.filter((word) => word.length > 1 && !quiet.has(word));
    return heard.flatMap((word) => known.some((other) => alike(word, other)) ? [word] : word.length > 3 ? nearest(word, known, word.length < 6 ? 1 : 2).slice(0, 1) : []);
  }
  // The titles that have most of the words, in whatever order: a rare word counts for more than a common one, and a word of a title
  // for more than one of the terms that its section treats.
  function holding(asked, entries) {
    const counts = asked.map((word) => {
      const has = entries.map(({title, terms}) => title.some((other) => alike(word, other)) ? 1 : terms.some((other) => alike(word, other)) ? 0.7 : 0);
      return has.map((much) => much * Math.log(1 + entries.length / has.filter(Boolean).length));
    });
    const scored = entries.map(({entry, title}, k) => ({entry, long: title.length, score: counts.reduce((sum, count) => sum + count[k], 0)}));
    const best = Math.max(...scored.map(({score}) => score));
    return scored.filter(({score}) => score > 0.7 * best).sort((a, b) => b.score - a.score || a.long - b.long).slice(0, 8).map(({entry}) => entry);
  }
  // Who asks what something is wants to be told: the entry of the glossary stands first.
  const DEFINES = /^\s*(?:what(?:['’]s|\s+(?:is|are|does|do))|define|definition\s+of|meaning\s+of)\s/i;
  function defining(text, asked, titles) {
    if (!DEFINES.test(text) || !asked.length) return [];
    return titles.filter(([title, place, names]) => isTerm(place) && [title, ...names].some((name) => fit(asked, name) === 0));
  }
  function find(text, titles) {
    const typed = wordsOf(text), whole = typed.length ? named(typed, titles) : [];
    if (whole.length || !typed.length) return whole;
    const entries = titles.map((entry) => ({entry, title: wordsOf(entry[0]), terms: (isTerm(entry[1]) ? entry[2] : Object.keys(entry[2])).flatMap(wordsOf)}));
    const about = wordsOf(text.replace(/^(\s*what\s+do(?:es)?\s.*)\smeans?\b\W*$/i, "$1")); // (“mean” is a word of the book, too)
    const asked = meant(about, [...new Set(entries.flatMap(({title, terms}) => [...title, ...terms]))]);
    const mended = [...new Set([...defining(text, asked, titles), ...asked.length ? named(asked, titles) : []])].slice(0, 10);
    return mended.length || !asked.length ? mended : holding(asked, entries);
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
      const found = find(typed, window.TITLES).map(([title, place]) => make("a", {href: new URL(place, root)}, title, make("small", {}, where(place, window.TITLES))));
      const none = typed && !found.length ? ["No title has these words. “Search all pages” looks for them in the text."] : [];
      list.replaceChildren(...[...found, ...none].map((line) => make("li", {}, line)));
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
  }, {find, ASKING});
})();
