// What it computes stands first in __init__.py beside this file, under the same names; a test holds the two equal.
(() => {
  "use strict";
  Live.define("masks", {
    compute({causal, padding, packed, query}, {words, texts, queries, keys}, held, {fill}) {
      const weights = [], rows = words.map((word, i) => {
        const seen = words.map((other, j) => !((causal && j > i) || (padding && other === "<PAD>") || (packed && texts[i] !== texts[j])));
        const powers = words.map((_, j) => seen[j] ? Math.exp(queries[i].reduce((sum, a, k) => sum + a * keys[j][k], 0) / Math.sqrt(2)) : 0);
        const whole = powers.reduce((sum, p) => sum + p, 0), row = powers.map((p) => whole ? p / whole : 0), most = row.indexOf(Math.max(...row));
        const share = (fits) => row.reduce((sum, p, j) => sum + (fits(texts[j]) ? p : 0), 0);
        weights.push(row);
        return {place: i + 1, word, open: seen.filter(Boolean).length, weight: row[most], most: whole ? `${words[most]} (${most + 1})` : "nothing",
          other: share((text) => text !== 0 && text !== texts[i]), pads: share((text) => text === 0)};
      });
      const here = Math.trunc(query) - 1, open = rows.reduce((sum, row) => sum + row.open, 0);
      const said = rows[here].open
        ? "“{word}” (position {place}) attends most to {most}, with {weight:.1%}; {other:.1%} of its weight goes to another text and {pads:.1%} to padding."
        : "To “{word}” (position {place}) no key is left open; its output is not used.";
      const on = [["causal", causal], ["padding", padding], ["packed", packed]].filter(([, set]) => set).map(([name]) => name);
      const finding = `${on.length ? `With the masks ${on.join(", ")}` : "Without any mask"}, ${open} of 64 cells are open. ${fill(said, rows[here])}`;
      return {weights, queries: rows, open, here, finding};
    },
    draw(state, data, {svg, text, shown, set}) {
      const {words, texts} = data, x = (j) => 74 + 40 * j, y = (i) => 78 + 30 * i;
      const short = (word) => word.replace("<PAD>", "pad");
      const closed = (i, j) => (state.causal && j > i) || (state.padding && texts[j] === 0) || (state.packed && texts[i] !== texts[j]);
      const rows = words.map((word, i) => {
        const row = svg("g", {class: `mask-row${i === state.here ? " mask-here" : ""}`},
          svg("rect", {x: 0, y: y(i), width: 394, height: 30, fill: "transparent"}),
          text(66, y(i) + 20, short(word), {class: "live-left"}),
          ...words.map((_, j) => {
            const p = state.weights[i][j];
            return svg("g", {}, svg("rect", {x: x(j) + 1, y: y(i) + 1, width: 38, height: 28, rx: 3, class: closed(i, j) ? "mask-closed" : "mask-open", style: `--v: ${(100 * p).toFixed(1)}%`}),
              closed(i, j) ? svg("path", {d: `M${x(j) + 14} ${y(i) + 10}l12 10m0 -10l-12 10`, class: "mask-cross"}) : text(x(j) + 20, y(i) + 20, shown(100 * p, 0)));
          }));
        row.addEventListener("click", () => set({query: i + 1}));
        return row;
      });
      return svg("svg", {viewBox: "0 0 404 330", class: "mask-map"},
        text(234, 22, "key →   (weights in per cent)", {class: "live-name"}), text(66, 62, "query ↓", {class: "live-left live-name"}),
        ...words.map((word, j) => text(x(j) + 20, 62, short(word), {class: "mask-key"})),
        ...rows, svg("rect", {x: x(0) - 1, y: y(state.here) - 1, width: 322, height: 32, rx: 4, class: "mask-ring"}));
    },
  });
})();
