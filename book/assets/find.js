// What the search shows (Sphinx puts this beside its own script, by html_search_scorer, on the page of the search only):
// one entry for a page, those first whose title is asked for, then by how much of a page is about the words
// (Search.often, tools/search_weights.py); the glossary once, with its terms; the package's reference last.
;(() => { // (what stands before it ends without a sign)
  "use strict";
  const GLOSSARY = "book/glossary", REFERENCE = "book/api", LEARNT = "notebooks/", LISTS = /^book\/(errata|status|references|zoo)$/;
  const stemmer = new Stemmer(), stems = (text) => splitQuery(text.toLowerCase()).map((word) => stemmer.stemWord(word));
  const plain = (html) => new DOMParser().parseFromString(html, "text/html").body.textContent;
  const make = (tag, className, ...children) => {
    const made = Object.assign(document.createElement(tag), {className});
    made.append(...children);
    return made;
  };
  const anchor = (href, words) => Object.assign(make("a", "", words), {href});
  const file = (page) => page + DOCUMENTATION_OPTIONS.FILE_SUFFIX;

  // --- what is found ---
  function found(query) {
    const [asked, words, excluded, marked, names] = Search._parseQuery(query), index = Search._index;
    const pages = new Map(), objects = [], terms = [], all = [...words];
    const page = (i) => {
      const name = index.docnames[i];
      if (!pages.has(name)) {
        const weight = all.reduce((sum, word) => sum + (Search.often?.[word]?.[i] || 0), 0);
        pages.set(name, {name, title: plain(index.titles[i]), parts: [], titled: 0, weight});
      }
      return pages.get(name);
    };
    for (const [name, title, id, more] of Search._performSearch(asked, words, excluded, marked, names)) {
      if (more) objects.push({name: plain(title), href: file(name) + id});
      else if (!id) page(index.docnames.indexOf(name));
    }
    const holds = (text) => {
      const those = new Set(stems(plain(text)));
      return all.length && all.every((word) => those.has(word)) ? all.length / those.size : 0;
    };
    for (const [title, places] of Object.entries(index.alltitles)) {
      const share = holds(title);
      if (share) for (const [i, id] of places) {
        if (index.titles[i] === title) page(i).titled = share;
        else if (id && page(i).parts.at(-1)?.name !== title) page(i).parts.push({name: title, title: plain(title), href: `${file(index.docnames[i])}#${id}`});
      }
    }
    for (const [entry, places] of Object.entries(index.indexentries)) {
      const share = holds(entry);
      for (const [i, id] of share ? places : []) {
        const name = index.docnames[i];
        if (name === GLOSSARY) terms.push({term: plain(entry), share, id});
        else if (!name.startsWith(REFERENCE)) page(i).titled = Math.max(page(i).titled, share); // a page that says it explains the word
      }
    }
    pages.delete(GLOSSARY);
    const kind = ({name}) => name.startsWith(REFERENCE) ? 2 : LISTS.test(name) ? 1 : 0;
    const rank = (p) => p.weight * (p.name.startsWith(LEARNT) ? 1.15 : 1) + (p.parts.length ? 12 : 0);
    const list = [...pages.values()].sort((a, b) => kind(a) - kind(b) || b.titled - a.titled || rank(b) - rank(a));
    terms.sort((a, b) => b.share - a.share || a.term.length - b.term.length);
    objects.reverse();
    return {list, terms, objects, words: [...new Set([...words, ...marked])]};
  }

  // --- an excerpt: of the text, without code, tables, formulas on lines of their own and lists of contents ---
  const NOT_TEXT = "script, style, nav, pre, svg, math, div.math, .katex-mathml, .headerlink, .cell, .toctree-wrapper, .live-still, .modes, .take-away";
  Search.htmlToText = (html, id) => blocks(html, id).join(" ");
  function blocks(html, id) {
    const page = new DOMParser().parseFromString(html, "text/html"), whole = page.querySelector("article") || page.body;
    for (const formula of whole.querySelectorAll(".katex")) {
      if (!formula.closest("div.math")) formula.replaceWith(formula.querySelector(".katex-html")?.textContent || "");
    }
    for (const other of whole.querySelectorAll(NOT_TEXT)) other.remove();
    const texts = [...((id && whole.querySelector(id)) || whole).querySelectorAll("p, li:not(:has(p)), dd:not(:has(p))")];
    return texts.map((text) => text.textContent.replace(/\s+/g, " ").trim()).filter(Boolean);
  }
  // From the beginning of a sentence, if that is near, and never with half a word.
  function excerpt(texts, words, most = 240) {
    const places = (text) => words.map((word) => text.toLowerCase().search(new RegExp(`(?<![\\p{L}\\p{N}])${_escapeRegExp(word)}`, "u"))).filter((at) => at >= 0);
    let best = "", score = 0;
    for (const text of texts) {
      const here = places(text).length + (text.length > 60 ? 0.5 : 0);
      if (places(text).length && here > score) [best, score] = [text, here];
    }
    if (!best) return "";
    const at = Math.min(...places(best)), before = best.slice(0, at);
    let from = Math.max(before.lastIndexOf(". "), before.lastIndexOf("? "), before.lastIndexOf(": ")) + 1;
    if (at - from > 150) from = before.lastIndexOf(" ", at - 100);
    const rest = best.slice(Math.max(from, 0)).trim(), cut = rest.length > most ? rest.lastIndexOf(" ", most) : rest.length;
    return (from > 0 && !/[.?]/.test(best[from - 1]) ? "… " : "") + rest.slice(0, cut) + (cut < rest.length ? " …" : "");
  }
  const mark = (item, words) => { if (SPHINX_HIGHLIGHT_ENABLED) for (const word of words) _highlightText(item, word, "highlighted"); };
  const near = new IntersectionObserver((seen) => {
    for (const {target, isIntersecting} of seen) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      target.tell();
    }
  }, {rootMargin: "300px"});

  // --- how it is shown ---
  const links = (those) => make("p", "search-parts", ...those.flatMap(({href, title}, k) => [k ? " · " : "", anchor(href, title)]));
  function ofPage({name, title, parts}, words) {
    const number = /^notebooks\/0?(\d+)_/.exec(name)?.[1], item = make("li", "", anchor(file(name), title));
    if (number) item.firstChild.prepend(make("span", "chapter-number", number), " ");
    if (parts.length) item.append(links(parts.slice(0, 4)));
    item.tell = async () => {
      const says = excerpt(blocks(await (await fetch(file(name))).text()), words);
      if (says) item.append(make("p", "context", says));
      mark(item.lastChild, words);
    };
    if (DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY) near.observe(item);
    return item;
  }
  function ofGlossary(terms, words) {
    const [first, ...others] = terms.map(({term, id}) => ({title: term, href: `${file(GLOSSARY)}#${id}`, id}));
    const item = make("li", "", anchor(first.href, first.title), " (in the glossary)"), says = make("p", "context");
    item.append(says);
    if (others.length) item.append(links(others.slice(0, 8)));
    const script = Object.assign(document.createElement("script"), {src: "_static/terms.js"});
    script.addEventListener("load", () => {
      says.textContent = window.TERMS[first.id] || "";
      mark(says, words);
    });
    document.head.append(script);
    return item;
  }
  function ofPackage(objects) {
    return make("li", "", "In the package:", links(objects.slice(0, 12).map(({name, href}) => ({title: name.replace(/^support\./, ""), href}))));
  }

  Search.query = (query) => {
    const {list, terms, objects, words} = found(query), items = list.map((page) => ofPage(page, words));
    const titled = list.filter((page) => page.titled).length, reference = list.findIndex(({name}) => name.startsWith(REFERENCE));
    const last = reference < 0 ? list.length : reference;
    if (objects.length) items.splice(last, 0, ofPackage(objects));
    if (terms.length) items.splice(Math.min(last, Math.max(titled, 3)), 0, ofGlossary(terms, words));
    Search.stopPulse();
    Search.title.textContent = "Search results";
    Search.status.textContent = !items.length ? "No page of the book has all of these words. Try fewer, or another spelling."
      : list.length === 1 ? "One page has it." : `${list.length} pages have it.`;
    Search.output.append(...items);
  };
})();
