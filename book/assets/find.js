// What the search shows (Sphinx puts this beside its own script, by html_search_scorer, on the page of the search only):
// one entry for a page, those first whose title is asked for, then by how much of a page is about the words
// (Search.often, tools/search_weights.py), each with the section that says most about them; the glossary once, with its
// terms; the package's reference last.
;(() => { // (what stands before it ends without a sign)
  "use strict";
  const GLOSSARY = "book/glossary", REFERENCE = "book/api", LEARNT = "notebooks/", LISTS = /^book\/(index|questions|timeline|way)$/, RECORDS = /^book\/(errata|references|status|zoo)$/;
  const stemmer = new Stemmer(), stems = (text) => splitQuery(text.toLowerCase()).map((word) => stemmer.stemWord(word));
  const plain = (html) => new DOMParser().parseFromString(html, "text/html").body.textContent;
  const make = (tag, className, ...children) => {
    const made = Object.assign(document.createElement(tag), {className});
    made.append(...children);
    return made;
  };
  const anchor = (href, words) => Object.assign(make("a", "", words), {href});
  const file = (page) => page + DOCUMENTATION_OPTIONS.FILE_SUFFIX;

  // --- what is looked for ---
  // Words that ask or join, and are not what somebody asks about: they are on every page, and are not looked for.
  let quiet; // (asking.js comes after this script)
  const asks = (stem) => (quiet ??= new Set(stems(asking.QUIET))).has(stem);
  const owns = Object.hasOwn || ((all, name) => Object.prototype.hasOwnProperty.call(all, name));
  // A stem that is spelled with s or with z: “quantisation”, “quantization”.
  const twin = (stem) => stem.replace(/i([sz])$/, (_, sign) => sign === "s" ? "iz" : "is");
  // The pages of a word; one that no page has as it is typed may be the beginning of another.
  function places(word) {
    const index = Search._index, of = (stem) => [index.terms, index.titleterms].flatMap((all) => owns(all, stem) ? all[stem] : []);
    const both = [...new Set([word, twin(word)])], exact = both.flatMap(of);
    if (exact.length || word.length < 3) return {stems: new Set(both), pages: new Set(exact), known: true};
    const near = Object.keys({...index.terms, ...index.titleterms}).filter((stem) => stem.startsWith(word) || (stem.length > 4 && word.startsWith(stem)));
    return {stems: new Set(near), pages: new Set(near.flatMap(of)), known: near.some((stem) => stem.startsWith(word))};
  }
  function wanted(query) {
    const typed = new Map();
    for (const word of splitQuery(query.toLowerCase())) {
      const stem = stemmer.stemWord(word);
      if (!stopwords.includes(word) && word !== "an" && !typed.has(stem)) typed.set(stem, word);
    }
    const all = [...typed].map(([stem, word]) => ({stem, word})), asked = all.filter(({stem}) => !asks(stem)), whole = all.map(({stem}) => stem).join(" ");
    // (“warm-up” is a term, of which “up” is a part)
    const term = asked.length < all.length && Object.keys(Search._index.indexentries).some((entry) => stems(entry).join(" ") === whole), kept = term ? all : asked;
    const words = kept.map(({stem, word}) => ({word, ...places(stem)}));
    for (const word of words) word.rare = word.pages.size ? Math.log(1 + Search._index.docnames.length / word.pages.size) : 0;
    return {words, left: all.filter((word) => !kept.includes(word)).map(({word}) => word), every: new Set(typed.keys())};
  }

  // --- what is found ---
  function found(query, [place, before]) {
    const {words, left, every} = wanted(query), index = Search._index, pages = new Map(), terms = [];
    const rarity = (has) => words.reduce((sum, word) => sum + (has(word) ? word.rare : 0), 0);
    const most = rarity(() => true), nowhere = words.filter(({pages}) => !pages.size);
    const page = (i) => {
      const name = index.docnames[i];
      if (!pages.has(name)) {
        const weight = words.reduce((sum, {stems}) => sum + [...stems].reduce((most, stem) => Math.max(most, Search.often?.[stem]?.[i] || 0), 0), 0);
        pages.set(name, {name, title: plain(index.titles[i]), parts: [], titled: 0, named: 0, weight});
      }
      return pages.get(name);
    };
    // Pages with all the words; else those that have most of them, a rare word counting for more than a common one.
    const shares = index.docnames.map((_, i) => most ? rarity(({pages}) => pages.has(i)) / most : 0), best = Math.max(...shares);
    const whole = best > 0.999 && !nowhere.length;
    shares.forEach((share, i) => { if (share && share >= (whole ? 0.999 : 0.7 * best)) page(i); });
    const long = words.filter(({word}) => !/^\p{L}$/u.test(word)); // (a letter by itself says nothing)
    const count = [...pages.keys()].filter((name) => name !== GLOSSARY).length;
    // How much of a title the words are; a name of several words that stands in the question is in it as a whole.
    const holds = (text) => {
      const those = new Set(stems(plain(text))), inIt = ({stems}) => [...stems].some((stem) => those.has(stem));
      if (words.length && words.every(inIt)) return words.length / those.size;
      if (long.length > 1 && long.every(inIt)) return 0.9 * long.length / those.size;
      return those.size > 1 && [...those].every((stem) => every.has(stem)) ? 0.9 : 0;
    };
    const [, led, at] = /^(.*)\.html#?(.*)/.exec(place) || [], first = led && page(index.docnames.indexOf(led));
    for (const [title, places] of Object.entries(index.alltitles)) {
      const share = holds(title);
      if (first && at && places.some(([i, id]) => id === at && index.docnames[i] === led)) first.parts.unshift({name: title, title: plain(title), href: `${file(led)}#${at}`});
      if (share) for (const [i, id] of places) {
        if (index.titles[i] === title) page(i).titled = page(i).named = share;
        else if (id && page(i).parts.at(-1)?.name !== title) page(i).parts.push({name: title, title: plain(title), href: `${file(index.docnames[i])}#${id}`});
      }
    }
    for (const [entry, places] of Object.entries(index.indexentries)) {
      const share = Math.max(holds(entry), holds(entry.replace(/\(.*\)/, ""))); // “rlhf (reinforcement learning …)”
      for (const [i, id] of share ? places : []) {
        const name = index.docnames[i];
        if (name === GLOSSARY) terms.push({term: plain(entry), share, id});
        else if (!name.startsWith(REFERENCE)) page(i).titled = Math.max(page(i).titled, share); // a page that says it explains the word
      }
    }
    pages.delete(GLOSSARY);
    if (first) Object.assign(first, {named: 1, titled: 2, at});
    const kind = ({name, named}) => name.startsWith(REFERENCE) ? 3 : named >= 0.5 ? 0 : RECORDS.test(name) ? 2 : LISTS.test(name) ? 1 : 0;
    const rank = (p) => p.weight * (p.name.startsWith(LEARNT) ? 1.15 : 1) + (p.parts.length ? 12 : 0);
    const list = [...pages.values()].sort((a, b) => kind(a) - kind(b) || b.titled - a.titled || rank(b) - rank(a));
    list.splice(before, 0, ...first ? list.splice(0, 1) : []);
    terms.sort((a, b) => b.share - a.share || a.term.length - b.term.length);
    const names = new Set(words.map(({word}) => word)), results = [...names].flatMap((name) => Search.performObjectSearch(name, names));
    const objects = new Map(results.sort((a, b) => b[4] - a[4]).map(([name, title, id]) => [title, {name: plain(title), href: file(name) + id}]));
    return {list, terms, objects: [...objects.values()], words, told: told(words, left, nowhere, whole, count), nowhere: nowhere.map(({word}) => word), unknown: words.filter(({known}) => !known).map(({word}) => word)};
  }
  // What was found, in a sentence.
  function told(words, left, nowhere, whole, count) {
    const {quoted} = asking, here = words.filter(({pages}) => pages.size).map(({word}) => word), pages = count === 1 ? "One page has" : `${count} pages have`;
    if (!words.length) return `${left.length ? quoted(left) : "Such words"} ${left.length === 1 ? "stands" : "stand"} on every page. Add what you ask about.`;
    const without = left.length ? ` Looked for without ${quoted(left)}.` : "";
    if (!here.length) return `No page of the book has ${quoted(words.map(({word}) => word))}. Try another word, or another spelling.${without}`;
    const gone = nowhere.length ? `No page has ${quoted(nowhere.map(({word}) => word))}. ` : "";
    if (!whole && !gone) return `No page has all of these words. ${pages} most of them.${without}`;
    // (A stem is all that the index knows: a page with “diffuse” has “diffusion”.)
    const forms = words.some(({word, stems}) => !stems.has(word)) ? ", or forms of " : "";
    if (here.length > 1) return `${gone}${pages} ${whole ? `all of these words${forms && `${forms}them`}: ${quoted(here)}` : `most of ${quoted(here)}`}.${without}`;
    return `${gone}${pages} ${gone || left.length ? quoted(here) : "it"}${forms && `${forms}it`}.${without}`;
  }

  // --- the passage of a page that says most about the words: of its text; if that is silent, of a question, a table or a title, last of code ---
  // (The claims of the errata stand in a noscript, which errata.js opens.)
  const NOT_READ = "script, style, nav, svg, math, div.math, noscript:not(:has(li[id])), .katex-mathml, .headerlink, .toctree-wrapper, .live-still, .modes, .take-away, .code-opens";
  const TEXT = "p, li:not(:has(p, pre)), dd:not(:has(p, pre))", OTHER = "legend, label, figcaption, caption, summary, th, td, h2, h3, dt", CODE = "pre";
  const bare = (element) => element.textContent.replace(/\s+/g, " ").trim();
  const known = new Map(), WORD = /[\p{L}\p{N}_]+/gu;
  const fits = (token, words) => {
    if (!known.has(token)) known.set(token, stemmer.stemWord(token));
    return words.findIndex(({stems}) => stems.has(known.get(token)));
  };
  let inLine;
  function readable(html) {
    const page = new DOMParser().parseFromString(html, "text/html"), whole = page.querySelector("article") || page.body;
    for (const formula of whole.querySelectorAll(".katex")) {
      const math = !formula.closest("div.math") && formula.querySelector("math");
      if (math) formula.replaceWith(formulas.asText(math) + (formula.querySelector(".sign")?.textContent || ""));
    }
    // (One on lines of its own is left out of the sentence in which it stands.)
    for (const {previousElementSibling: before, nextElementSibling: after} of whole.querySelectorAll("div.math")) {
      if (before?.matches("p") && /[\p{L}\p{N},]$/u.test(bare(before))) before.append(" …");
      if (after?.matches("p") && /^\p{Ll}/u.test(bare(after))) after.prepend("… ");
    }
    for (const high of whole.querySelectorAll("sup")) high.replaceWith(formulas.raised(high.textContent));
    for (const other of whole.querySelectorAll(NOT_READ)) other.remove();
    return whole;
  }
  Search.htmlToText = (html) => bare(readable(html));
  // The passage that has most of the words, and for those that it lacks others.
  function passages(html, words, ofCode, at) {
    const whole = readable(html), page = at ? whole.querySelector(`#${at}`) : whole, list = [], best = (some) => passageOf(page, some, `${TEXT}, ${OTHER}`) || (ofCode ? passageOf(page, some, CODE) : null);
    for (let lacks = words, next = best(lacks); next && list.length < 3; next = lacks.length ? best(lacks) : null) {
      if (list.some(({says}) => says === next.says)) break;
      list.push(next);
      const said = new Set(stems(next.says));
      lacks = lacks.filter(({stems, pages}) => pages.size && ![...stems].some((stem) => said.has(stem)));
    }
    return list;
  }
  const has = (element, words) => element?.textContent.toLowerCase().match(WORD)?.some((token) => fits(token, words) >= 0);
  const headOf = (section) => section?.querySelector(":is(:scope, :scope > details > summary) > :is(h2, h3, h4)");
  function passageOf(page, words, parts) {
    let best = null, score = 0;
    for (const element of page.querySelectorAll(parts)) {
      const text = bare(element), at = new Map();
      for (const {0: token, index} of text.toLowerCase().matchAll(WORD)) {
        const k = fits(token, words);
        if (k >= 0 && !at.has(k)) at.set(k, index);
      }
      if (!at.size) continue;
      const prose = element.matches(TEXT) && !element.closest(".cell, table");
      const stressed = [...element.querySelectorAll("strong, b")].some((bold) => has(bold, words)), head = headOf(element.closest("section[id]")), titled = has(head, words) && (words[1] || !/^Deeper/.test(head.textContent));
      const here = [...at.keys()].reduce((sum, k) => sum + words[k].rare, 0) * (prose ? 2 : 1) * (element.closest("#references, #what-the-sources-say") ? 0.3 : titled ? 1.4 : 1) + (text.length > 60 ? 0.3 : 0) + (stressed ? 0.3 : 0);
      if (here > score) [best, score] = [{element, text, at: Math.min(...at.values()), last: Math.max(...at.values())}, here];
    }
    if (!best) return null;
    const entry = best.element.closest("dl.py")?.querySelector(":scope > dt[id]"), place = entry || best.element.closest("section section[id], form.quiz[id], li[id]");
    const heading = entry?.querySelector(".descname") || headOf(place);
    // (Lines of code that run into one another cannot be read: one stands for them.)
    const code = best.element.matches(`${CODE}, dt.sig`), line = best.element.matches(CODE) && best.element.textContent.split("\n").find((each) => has({textContent: each}, words));
    return {code, says: line ? line.trim() : excerpt(best.text, best.at, Math.min(420, Math.max(240, best.last - best.at + 160))), id: place?.id || "", title: heading ? bare(heading) : ""};
  }
  // From the beginning of a sentence, if that is near, and never with half a word.
  function excerpt(text, at, most = 240) {
    const before = text.slice(0, at), begins = (end) => Math.max(...[". ", "? ", ": "].map((sign) => text.slice(0, end).lastIndexOf(sign))) + 1;
    let from = begins(at);
    const earlier = begins(from - 1);
    if (from && text.length - from < 80 && at - earlier <= 150) from = earlier; // (a short last sentence says little by itself)
    if (at - from > 150) from = before.lastIndexOf(" ", at - 100);
    // (What a passage announces at its end is not part of it.)
    const whole = text.slice(Math.max(from, 0)).trim(), told = whole.replace(/(?<=[.?!)”] )[^.?!]{1,60}:$/, "").trim();
    const rest = told.length < at - from ? whole : told, cut = rest.length > most ? rest.lastIndexOf(" ", most) : rest.length;
    return (from > 0 && !/[.?]/.test(text[from - 1]) ? "… " : "") + rest.slice(0, cut) + (cut < rest.length ? " …" : "");
  }
  // The text with the words that were looked for marked, as whole words.
  function marked(text, words) {
    const parts = [], hits = [...text.matchAll(WORD)].filter(([token]) => fits(token.toLowerCase(), words) >= 0);
    const joined = (hit, next) => hit && next && next.index - hit.index - hit[0].length < 2;
    let last = 0;
    for (const [k, hit] of hits.entries()) {
      const {0: token, index} = hit;
      if (token.length < 2 && !joined(hits[k - 1], hit) && !joined(hit, hits[k + 1])) continue; // (a letter by itself says nothing)
      parts.push(text.slice(last, index), make("span", "highlighted", token));
      last = index + token.length;
    }
    return [...parts, text.slice(last)];
  }
  const near = new IntersectionObserver((seen) => {
    for (const {target, isIntersecting} of seen) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      target.tell().finally(() => target.dataset.told = "");
    }
  }, {rootMargin: "300px"});

  // --- how it is shown ---
  const links = (those) => make("p", "search-parts", ...those.flatMap(({href, title}, k) => [k ? " · " : "", anchor(href, title)]));
  function ofPage({name, title, parts, named, at}, words) {
    const number = /^notebooks\/0?(\d+)_/.exec(name)?.[1], item = make("li", "", anchor(file(name) + (at ? `#${at}` : ""), title));
    if (number) item.firstChild.prepend(make("span", "chapter-number", number), " ");
    if (parts.length) item.append(links(parts.slice(0, 4)));
    // A hit leads to the section that has the words, unless the whole page is about them.
    item.tell = async () => {
      await (inLine ??= fetchScript("formulas.js"));
      const those = passages(await (await fetch(file(name))).text(), words, !RECORDS.test(name), at); // (a list of claims has code beside each)
      const [best] = those;
      if (!best) return;
      const href = `${file(name)}#${best.id}`;
      if (best.id && named < 0.5) {
        item.firstChild.href = href;
        const others = parts.filter((part) => part.href !== href).slice(0, 3);
        if (best.title) {
          item.querySelector(".search-parts")?.remove();
          item.firstChild.after(links([{href, title: best.title}, ...others]));
        }
      }
      for (const {says, code} of those) item.append(make("p", "context", ...(code ? [make("code", "", ...marked(says, words))] : marked(says, words))));
    };
    if (DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY) near.observe(item);
    return item;
  }
  function ofGlossary(terms, words) {
    const [first, ...others] = terms.map(({term, id}) => ({title: term, href: `${file(GLOSSARY)}#${id}`, id}));
    const item = make("li", "", anchor(first.href, first.title), " (in the glossary)"), says = make("p", "context");
    item.append(says);
    if (others.length) item.append(links(others.slice(0, 8)));
    const tell = () => says.replaceChildren(...marked(window.TERMS[first.id] || "", words));
    if (window.TERMS) tell();
    else fetchScript("terms.js").then(tell);
    return item;
  }
  function ofPackage(objects) {
    return make("li", "", "In the package:", links(objects.slice(0, 12).map(({name, href}) => ({title: name.replace(/^support\./, ""), href}))));
  }

  // For words that no page has: those of titles and terms that are spelled nearly so.
  async function meant(query, nowhere) {
    await (window.TITLES || fetchScript("titles.js"));
    const known = [...new Set(window.TITLES.flatMap(([title]) => title.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) || []))], closest = new Map();
    for (const word of nowhere) {
      const [best] = nearest(word, known, word.length < 5 ? 1 : 2);
      if (best) closest.set(word, best);
    }
    if (!closest.size) return null;
    const other = query.toLowerCase().split(/\s+/).map((word) => closest.get(word) || word).join(" ");
    return other;
  }

  // The glossary's entry for the word itself stands before the pages, but for one that has it as its title.
  Search.query = (typed) => {
    const query = asking.termOf(typed) ?? typed, {list, terms, objects, words, told, nowhere, unknown} = found(query, asking.placeOf(typed)), items = list.map((page) => ofPage(page, words));
    const reference = list.findIndex(({name}) => name.startsWith(REFERENCE)), last = reference < 0 ? list.length : reference;
    if (objects.length) items.splice(last, 0, ofPackage(objects));
    if (terms.length) items.splice(Math.min(last, terms[0].share < 0.9 ? 3 : list[0]?.named ? 1 : 0), 0, ofGlossary(terms, words));
    Search.stopPulse();
    Search.title.textContent = "Search results";
    const said = Search.status.textContent = (query === typed ? "" : `Looked for “${query}”. `) + told;
    Search.output.replaceChildren(...items);
    for (const old of document.querySelectorAll(".search-meant, .search-hint")) old.remove();
    if (unknown.length) meant(query, unknown).then((other) => {
      if (!other || Search.status.textContent !== said) return;
      if (items.length && nowhere.length) return Search.status.after(make("p", "search-meant", "Did you mean ", anchor(`?q=${encodeURIComponent(other)}`, other), "?"));
      Search.query(other);
      Search.status.textContent = `No page of the book has “${query}”. Showing results for “${other}”.`;
    }, () => {});
  };
  // What is typed on the page of the search is looked for as it is typed.
  document.addEventListener("DOMContentLoaded", () => {
    let waiting = 0;
    const asked = new URLSearchParams(location.search).get("q"), examples = ["softmax", "KV cache", "why is attention masked"];
    if (!asked) document.querySelector("#search-results")?.append(make("p", "search-hint", "A term, a title or a question:", ...examples.flatMap((words, k) => [k ? ", " : " ", anchor(`?q=${words.replace(/ /g, "+")}`, words)])));
    for (const field of document.querySelectorAll('form.bd-search:not(dialog form) input[name="q"]')) {
      field.addEventListener("input", () => {
        clearTimeout(waiting);
        waiting = setTimeout(() => {
          const query = field.value.trim();
          if (!query) return;
          if (!Search.output) Search.performSearch(query);
          else if (Search.hasIndex()) Search.query(query);
          else Search.deferQuery(query);
          try { history.replaceState(null, "", `?q=${encodeURIComponent(query)}`); } catch { /* a page that is a file */ }
        }, 250);
      });
    }
  });
})();
