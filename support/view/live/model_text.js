// What the live figures that run a model share: the text that it reads, bars, and squares that are darker for more.
// The same names stand in model_text.py.
(() => {
  "use strict";
  const {Reader, nextToken, softmax} = window.PageModel;
  const BOS = "<BOS>", EOS = "<EOS>";

  // --- words, and the model that reads them ---
  const split = (prompt) => prompt.split(" ").filter(Boolean);
  const prepare = (model) => ({model, tokens: model.tokens, ids: new Map(model.tokens.map((word, i) => [word, i])), reader: new Reader(model)});
  const read = (held, prompt) => held.reader.read([BOS, ...split(prompt)].map((word) => held.ids.get(word)));
  const after = (prompt) => {
    const words = split(prompt);
    return words.length ? `After “${words.length > 4 ? "… " : ""}${Live.joined(words.slice(-4))}”` : "At the start";
  };
  const best = (numbers) => numbers.reduce((a, value, i) => value > numbers[a] ? i : a, 0);
  const ranked = (numbers) => [...numbers.keys()].sort((a, b) => numbers[b] - numbers[a] || a - b);

  // --- drawing: bars, and squares that are the darker the more ---
  const percent = (shown, p) => p > 0 && p < 0.0005 ? "< 0.1%" : shown(p, 1, true);
  // Near certainty has one more place, and is never called certain.
  const surely = (shown, p) => p === 1 ? "100%" : p >= 0.99995 ? "≈ 100%" : p >= 0.9995 ? shown(p, 2, true) : percent(shown, p);
  const exactly = (shown, p) => p < 1 && p >= 0.99995 ? "more than 99.99%" : surely(shown, p);
  // What a whole bar stands for: all, or where all bars are short a round share, which is then told beside them.
  const reachOf = (items) => [0.01, 0.02, 0.05, 0.1, 0.2, 0.5].find((reach) => items.every(({p, plain = 0}) => Math.max(p, plain) <= reach)) ?? 1;
  const bar = (make, p, ghost, reach = 1) => make("span", {class: "live-track", "aria-hidden": "true"},
    make("span", {class: "live-fill", style: `width:${(100 * p / reach).toFixed(2)}%`}),
    ...(ghost === undefined ? [] : [make("span", {class: "live-outline", style: `width:${(100 * ghost / reach).toFixed(2)}%`})]));
  // More than half is set off from less: no square has a shade on which neither black nor white reads well.
  const square = (make, p, attributes, ...words) => make("td", {...attributes, class: `live-square${p > 0.5 ? " live-deep" : ""}`,
    style: `--share:${(p > 0.5 ? 52 + 48 * p : 80 * p).toFixed(1)}%`}, ...words);
  const scroll = (make, label, table) => make("div", {class: "live-scroll live-wide live-to-end", role: "region", "aria-label": label, tabindex: "0"}, table);

  // A word in quotation marks; where the text has it more than once, with its position, counted from 1.
  const placed = (words, k) => `“${words[k]}”${words.indexOf(words[k]) < words.lastIndexOf(words[k]) ? ` at position ${k + 1}` : ""}`;
  // Names have the capital that prose gives them: a word, and what is said of a text in quotation marks.
  const titled = (word, names = []) => names.includes(word) ? word[0].toUpperCase() + word.slice(1) : word;
  const cased = (text, names = []) => text.replace(/“[^”]*”/g, (said) => said.replace(/[a-z]+/g, (word) => titled(word, names)));
  window.ModelText = {Reader, nextToken, softmax, BOS, EOS, split, prepare, read, after, best, ranked, percent, surely, exactly, placed, titled, cased, reachOf, bar, square, scroll};
})();
