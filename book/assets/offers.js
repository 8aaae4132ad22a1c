// What the search offers while one types, as links below its field (titles.js, terms.js): the chapter of that name or what the
// glossary says of the term, then sections; for what no title has, the places of names (names.js); for a name of the package its entry;
// for an empty field where one reads on. The first is chosen: Enter opens it, and the arrows choose another.
const offers = (() => {
  "use strict";
  const {quoted, wordsOf, quiet, onlyAsks, alone, placeOf, inTerms} = asking;
  const make = (tag, about, ...inner) => {
    const made = Object.assign(document.createElement(tag), about);
    made.append(...inner);
    return made;
  };
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
  // (A title without its article: "The KV cache" is "KV cache".)
  const bare = (title) => title.replace(/^(?:the|an?) (?=\S)/i, "");
  // The offers in their order: the chapter of that name, the term, other pages, sections whose title has it and that treat it, other
  // terms. Who asks something is led to what answers it: sections before terms, and those first that ask so, too.
  function named(typed, titles, asks = "") {
    const kinds = [[], [], [], [], []], named = new Map(), taken = new Set(), joins = typed.every((word) => quiet.has(word));
    const later = (title) => (title.startsWith("Deeper") ? 0.5 : 0) - (asks && title.toLowerCase().startsWith(asks) ? 3 : 0);
    for (const entry of titles) {
      const [title, place, names] = entry, fits = [bare(title), ...isTerm(place) && !joins ? names : []].map((name) => fit(typed, name));
      const best = Math.min(...fits.map((one) => joins && one % 2 === 0 && one ? Infinity : one)); // ("up" stands in many titles, and none is about it)
      if (isTerm(place)) named.set(title, best);
      if (best === Infinity) continue;
      if (joins && titles.filter(([other]) => other === title).length > 1) continue;
      taken.add(place);
      const kind = isTerm(place) ? 3 : isPage(place) ? (isChapter(place) || best < 3 ? 0 : 4) : isChapter(place) ? 1 : 4;
      kinds[kind].push([best + later(title), entry]);
    }
    const about = titles.filter(([, place]) => !isTerm(place) && !taken.has(place));
    for (const [,, treats] of about) for (const name of Object.keys(treats)) if (!named.has(name)) named.set(name, fit(typed, name));
    const least = Math.min(...named.values());
    if (least < 4 && !joins) for (const entry of about) {
      const ranks = Object.entries(entry[2]).filter(([name]) => named.get(name) === least).map(([, rank]) => rank);
      if (ranks.length) kinds[2].push([Math.min(...ranks) + 6 * later(entry[0]), entry]);
    }
    for (const kind of kinds) kind.sort((a, b) => a[0] - b[0]);
    const [page, section, , term] = kinds.map(([first]) => first?.[0] ?? Infinity), [pages, titled, treating, terms, others] = kinds.map((kind) => kind.map(([, entry]) => entry));
    const lead = asks ? [] : (term < 1 && page) || (page > 2 && term < page && term <= section) ? terms.splice(0, 1) : [...pages.splice(0, 1), ...term === page ? terms.splice(0, 1) : []];
    const sections = [...titled.slice(0, 4), ...treating].slice(0, asks ? 99 : 6).sort((a, b) => later(a[0]) - later(b[0])).slice(0, 6);
    const list = [...lead, ...pages.slice(0, 2), ...sections, ...terms.slice(0, 3)];
    return [...list, ...titled.slice(4), ...terms.slice(3), ...others].slice(0, 10);
  }
  const stem = (word) => word.replace(/(?<=.{4})(?:ation|ate|ing|ed|er|e)$/, ""), alike = (typed, word) => stem(word).startsWith(stem(typed));
  // What a question asks about: a word that stands nowhere is taken for the one that is spelled most nearly so; one that is spelled like
  // none is left out, and the reader is told.
  let leftOut = [], soughtWords = [];
  function meant(typed, known) {
    const heard = typed.filter((word) => word.length > 1 && !quiet.has(word)), near = (word) => word.length > 3 ? nearest(word, known, word.length < 8 ? 1 : 2).slice(0, 1) : [];
    const taken = heard.map((word) => known.some((other) => alike(word, other)) ? [word] : near(word));
    leftOut = heard.filter((word, k) => !taken[k].length && !/\d/.test(word)); // (of “8b” only titles are known)
    return soughtWords = taken.flat();
  }
  // The titles that have most of the words, in whatever order: a rare word counts for more than a common one, and a word of a title
  // for more than one of the terms that its section treats, or one that its text has often.
  function holding(asked, entries, asks) {
    const counts = asked.map((word) => {
      const has = entries.map(({title, terms, text}) => [[title, 1], [terms, 0.7], [text, 0.5]].find(([words]) => words.some((other) => alike(word, other)))?.[1] || 0);
      return has.map((much) => much * Math.log(1 + entries.length / has.filter(Boolean).length));
    });
    // (Whoever asks why or how is led to a section that says so, rather than to a definition; what goes deeper comes later.)
    const worth = (title, place) => (asks && title.toLowerCase().startsWith(asks) ? 1.4 : asks && isTerm(place) ? 0.73 : 1) * (/exercise/i.test(title) ? 0.6 : /^(?:Deeper|In code$|The picture$)/.test(title) ? 0.8 : 1);
    const scored = entries.map(({entry, title}, k) => ({entry, long: title.length, score: counts.reduce((sum, count) => sum + count[k], 0) * worth(...entry)}));
    const best = Math.max(...scored.map(({score}) => score));
    return scored.filter(({score}) => score > 0.55 * best).sort((a, b) => b.score - a.score || a.long - b.long).slice(0, 8).map(({entry}) => entry);
  }
  // Who asks what something is wants to be told: the entry of the glossary stands first.
  const DEFINES = /^\s*(?:what(?:['’]s|\s+(?:is|are|does|do))|define|definition\s+of|meaning\s+of)\s/i, WORKS = /^\s*how\s+do(?:es)?\s.*\bwork\b/i;
  // (A word may be cut short: “backprop”.)
  function defining(text, asked, titles) {
    if (!(DEFINES.test(text) || WORKS.test(text)) || !asked.length) return [];
    const terms = titles.filter(([, place]) => isTerm(place)).map((entry) => [Math.min(...[entry[0], ...entry[2]].map((name) => fit(asked, name))), entry]);
    const same = terms.filter(([rank]) => rank === 0), short = asked.length === 1 && asked[0].length > 4 ? terms.filter(([rank]) => rank === 3) : [];
    short.sort((a, b) => a[1][0].length - b[1][0].length);
    return (same.length ? same : short.slice(0, 1)).map(([, entry]) => entry);
  }
  // Where names stand in the text and code of chapters, and in the package (names.js): for what no title has, and for what is typed as code.
  const asCode = (text) => /\w[_.]\w|\w_$|\w\(\)/.test(text.trim());
  function standing(typed, {places, names} = {places: [], names: {}}, most = 2) {
    const joined = typed.join(""), found = joined.length < 4 ? [] : Object.entries(names).map(([name, those]) => [fit(typed, name), name.length, those]);
    const fitting = found.filter(([rank]) => rank <= most).sort((a, b) => a[0] - b[0] || a[1] - b[1]), best = fitting.filter(([rank]) => rank === fitting[0][0]);
    const those = [...new Set(best.flatMap(([, , those]) => those))].map((k) => places[k]), api = ([, place]) => place.startsWith("book/api");
    return [...those.filter((one) => !api(one)).slice(0, 5), ...those.filter(api).slice(0, 2)];
  }
  // The entries of the package's reference that have this name, functions and classes before methods.
  function entries(text, {objects = []} = {}) {
    const name = text.trim().replace(/\(\)?$/, "").replace(/^support\./, ""), parts = name.split(".").length;
    const those = name.length < 2 ? [] : objects.filter(([owner, of]) => `.${owner}.${of}`.endsWith(`.${name}`));
    return those.sort((a, b) => a[1].split(".").length - b[1].split(".").length).slice(0, parts > 1 ? 1 : 3)
      .map(([owner, of, page]) => [of, `${page}.html#support.${owner}.${of}`]);
  }
  // They stand first; but what the glossary, or a page, calls exactly so keeps its place, with the section of that name behind it.
  function find(text, titles, names = window.NAMES) {
    leftOut = [];
    const those = entries(text, names), known = new Set(those.map(([, place]) => place)), list = others(text, titles, names).filter(([, place]) => !known.has(place));
    const said = text.trim().toLowerCase(), called = ([title, place, more]) => [bare(title), ...isTerm(place) ? more : []];
    const exact = those.length ? list.map((one) => called(one).some((name) => name.toLowerCase() === said)) : [];
    const end = exact.indexOf(false) < 0 ? exact.length : exact.indexOf(false), at = list.slice(0, end).some(([, place]) => isTerm(place) || isPage(place)) ? end : 0;
    const [led, before] = placeOf(text), all = [...list.slice(0, at), ...those, ...list.slice(at)].filter(([, place]) => place !== led);
    all.splice(before, 0, ...titles.filter(([, place]) => place === led));
    return all.slice(0, 10);
  }
  function others(text, titles, names) {
    const typed = wordsOf(text), exact = asCode(text) || typed.length === 1 ? standing(typed, names, 0) : [];
    const offered = inTitles(text, typed, titles, exact.length), alone = new Set(exact.map(([, place]) => place));
    if (exact.length && (asCode(text) || !offered.length)) return [...exact.slice(0, 3), ...offered.filter(([, place]) => !alone.has(place))].slice(0, 10);
    if (offered.length) return offered;
    const asked = typed.filter((word) => !quiet.has(word)), of = (words) => standing(words, names, 4);
    return [asked, ...asked.map((word) => [word])].map((words) => words.length ? of(words) : []).find((those) => those.length) || [];
  }
  function inTitles(text, typed, titles, isName) {
    const whole = typed.length ? named(typed, titles) : [];
    if (whole.length || isName && typed.length === 1 || typed.every((word) => quiet.has(word))) return whole;
    const entries = titles.map((entry) => ({entry, title: wordsOf(entry[0]), terms: (isTerm(entry[1]) ? entry[2] : Object.keys(entry[2])).flatMap(wordsOf), text: wordsOf(entry[3] || "")}));
    const about = wordsOf(text.replace(/^(\s*what\s+do(?:es)?\s.*)\smeans?\b\W*$/i, "$1")); // (“mean” is a word of the book, too)
    const asked = meant(about, [...new Set(entries.flatMap(({title, terms, text}) => [...title, ...terms, ...text]))]);
    const asks = DEFINES.test(text) ? "" : /^\s*(why|how|what|does|which|where|when|can)\b/i.exec(text)?.[1].toLowerCase();
    const mended = [...new Set([...defining(text, asked, titles), ...asked.length ? named(asked, titles, asks) : []])].slice(0, 10);
    return mended.length || !asked.length ? mended : holding(asked, entries, asks);
  }
  // A title that most chapters have ("The picture") says its chapter, too.
  const ofChapter = (title, place, titles) => {
    const shared = !isPage(place) && isChapter(place) && titles.filter(([other, at]) => other === title && !isPage(at) && isChapter(at)).length > 5;
    const chapter = shared && titles.find(([, at]) => at === place.split("#")[0])?.[0];
    return chapter ? `${chapter}: ${title[0].toLowerCase()}${title.slice(1)}` : title;
  };
  const where = (title, place, titles) => {
    if (isTerm(place)) return "glossary";
    if (place.includes("#support.")) return place.split("#")[1].slice(0, -title.length - 1);
    const number = /^notebooks\/0?(\d+)_/.exec(place)?.[1], [page] = place.split("#");
    return [number ? `chapter ${number}` : "", isPage(place) ? "" : titles.find(([, other]) => other === page)?.[0]].filter(Boolean).join(", ");
  };
  const sentence = (says) => /^.{20,150}?\.(?= |$)/.exec(says)?.[0] || (says.length > 120 ? `${says.slice(0, says.lastIndexOf(" ", 120))} …` : says);
  return Object.assign((dialog, field, close) => {
    const list = make("ul", {className: "offers"}), none = make("p", {className: "offers-none"});
    const go = make("a", {className: "offers-go", textContent: "Search all pages"}), box = make("div", {id: "offers", hidden: true}, list, go);
    const choices = () => [...list.querySelectorAll("a"), ...go.hidden ? [] : [go]];
    let coming, chosen = null;
    field.after(close);
    field.form.append(none, box);
    for (const [element, role] of [[box, "listbox"], [list, "none"], [go, "option"], [field, "combobox"], [none, "status"]]) element.setAttribute("role", role);
    box.setAttribute("aria-label", "What the book has");
    Object.assign(go, {id: "offer-all", tabIndex: -1});
    for (const [name, value] of Object.entries({controls: "offers", autocomplete: "list", expanded: "false"})) field.setAttribute(`aria-${name}`, value);
    const choose = (link) => {
      for (const other of choices()) other.setAttribute("aria-selected", String(other === link));
      chosen = link;
      field.setAttribute("aria-activedescendant", link.id);
    };
    const offer = ([title, place,,, why], k) => {
      const term = isTerm(place) && window.TERMS?.[place.split("#")[1]], says = term ? sentence(term) : window.NAMES?.says[place], line = make("li", {});
      const told = [where(title, place, window.TITLES), why].filter(Boolean).join(", "), name = ofChapter(title, place, window.TITLES);
      const link = make("a", {href: new URL(place, root), id: `offer-${k}`, tabIndex: -1}, place.includes("#support.") ? make("code", {}, name) : name, make("small", {}, told));
      if (says) link.append(make("span", {}, says));
      link.setAttribute("role", "option");
      line.setAttribute("role", "none");
      line.append(link);
      return line;
    };
    const show = async () => {
      await (coming ??= Promise.all(["titles", "terms", "names"].map((name) => window[name.toUpperCase()] || fetchScript(`${name}.js`))));
      const said = field.value.trim(), typed = inTerms(said), found = typed ? find(typed, window.TITLES) : readsOn(window.TITLES), empty = !found.length && onlyAsks(typed);
      list.replaceChildren(...found.map(offer));
      none.textContent = !typed ? "" : found.length ? leftOut.length && `Nothing here is about ${quoted(leftOut)}, only about ${quoted(soughtWords)}.` || "" : empty ? "Such words stand on every page. Go on with what you ask about." : "No title has these words. “Search all pages” looks for them in the text.";
      go.href = new URL(`search.html?q=${encodeURIComponent(alone(said)[2] ? said : typed).replace(/%20/g, "+")}`, root);
      box.hidden = empty;
      go.hidden = !typed;
      field.setAttribute("aria-expanded", String(!box.hidden));
      choose(choices()[0]);
    };
    field.addEventListener("focus", show);
    field.addEventListener("input", show);
    box.addEventListener("click", ({target}) => { if (target.closest("a")) dialog.close(); }); // (it may lead to a place of this page)
    list.addEventListener("pointermove", ({target}) => { if (target.closest("a")) choose(target.closest("a")); });
    field.addEventListener("keydown", (event) => { // (it keeps the focus)
      const by = {ArrowDown: 1, ArrowUp: -1}[event.key], all = choices();
      if (box.hidden || event.isComposing || !(by || event.key === "Enter")) return;
      event.preventDefault();
      if (!by) return chosen.click();
      choose(all[(all.indexOf(chosen) + by + all.length) % all.length]);
      chosen.scrollIntoView({block: "nearest"});
    });
  }, {find});
})();
