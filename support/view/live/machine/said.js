// What the machine view says in words beside its drawing: the text that the model reads, and what its colours mean.
(() => {
  "use strict";
  // The whole text, so that it can be read: set as prose if it is prose; what was added is marked, and what the model
  // does not know is struck out.
  function write(view) {
    const {state, data, tools: {make, typed}} = view, {pieces, fresh} = typed(), prose = data.names.length > 0, parts = [];
    const count = pieces.reduce((sum, piece) => sum + piece.words.length, 0);
    let read = 0, start = true, quoted = false, last = "";
    for (const {kind, text, words} of pieces) {
      if (kind === "unknown" || kind === "left") parts.push(last ? " " : "", make(kind === "unknown" ? "s" : "span", {class: `machine-${kind}`}, text));
      for (const word of words) {
        const isNew = read++ >= count - fresh, ends = prose && word === "<EOS>";
        let said = word, glued = !last;
        if (prose) {
          const closes = word === '"' && quoted;
          glued = glued || closes || last === "“" || ".,!?".includes(word);
          if (word === '"') {
            quoted = !quoted;
            said = quoted ? "“" : "”";
            start = quoted || last === ".";
          } else {
            if (start || word === "i" || data.names.includes(word)) said = word[0].toUpperCase() + word.slice(1);
            start = ".!?".includes(word) && !quoted;
          }
        }
        last = said;
        if (ends) said = "(the end)";
        const gap = glued && !ends ? "" : " ", mark = parts.at(-1);
        if (isNew && mark?.className === "machine-new") mark.append(gap, said); // one mark for all
        else parts.push(gap, isNew ? make("mark", {class: "machine-new"}, said) : said);
      }
      last ||= text;
    }
    if (!state.over) parts.push(" …");
    const english = Object.keys(data.english).length ? [make("span", {class: "machine-english"}, `In English: ${inEnglish(state.words.slice(view.held.begins), data.english)}${state.over ? "" : " …"}`)] : [];
    view.text.replaceChildren(make("span", {class: "machine-written"}, ...parts), " ", ...english);
  }
  // The game's words one by one. A number is a player, and who speaks after a call begins a new clause.
  function inEnglish(words, english) {
    const said = [];
    let calls = 0; // 1 once somebody calls, 2 once it is said whom
    for (const word of words) {
      const who = /^\d+$/.test(word) ? `player ${word}` : word[0] !== "<" && word[0] !== word[0].toLowerCase() && !english[word] ? word : "";
      if (who && calls === 2) {
        if (/[\p{L}\d]$/u.test(said.at(-1))) said.push(`${said.pop()};`);
        calls = 0;
      } else if (who && calls === 1) calls = 2;
      else if (word === "chiama") calls = 1;
      said.push(who || (english[word] ?? word));
    }
    return said.join(" ");
  }

  // How to read the colours: the first two in sight, all of them unfolded.
  function key(make, {heads}) {
    const sign = (kind, ...more) => make("i", {class: `machine-key-${kind}`, "aria-hidden": "true"}, ...more);
    const entry = (signs, ...words) => make("li", {}, make("span", {}, ...signs), make("span", {}, ...words));
    const all = Array.from({length: heads}, (_, h) => h);
    return make("details", {class: "machine-key"},
      make("summary", {}, make("span", {}, sign("low"), sign("high"), " a word’s numbers"), make("span", {}, sign("thread"), " what it collects"), make("span", {class: "machine-key-more"}, "all signs")),
      make("ul", {},
        entry([sign("low"), sign("high")], "a number of a word, negative or positive; the nearer to zero, the fainter"),
        entry([sign("stream")], "the residual stream: a word’s numbers go on as they are, and ", make("b", {}, "⊕"), " adds to them what a part writes"),
        entry(all.map((h) => sign(`head machine-key-${h}`)), `the heads ${all[0]} to ${all.at(-1)} of a block, by colour: a thread is thicker where a word collects more, and each head’s map has a row for each word that collects and a column for each word it collects from`),
        entry([sign("unit")], "the hidden units of a feed-forward network, stronger where more active"),
        entry([sign("wait")], "not computed yet"),
        entry([], "Blocks and heads are counted from 0: attention 1 and feed-forward 1 are those of block 1, and head 1.0 is head 0 of block 1.")));
  }
  window.MachineSaid = {write, key, inEnglish};
})();
