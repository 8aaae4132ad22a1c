// What it computes stands first in __init__.py beside this file, under the same names; a test holds the two equal.
(() => {
  "use strict";
  const HIGH = 44, kindOf = (which, first, query, key) => {
    if (query === key) return "itself";
    if (which === 0) return "text";
    if (which === 1) return key < query ? "text" : "later";
    if (query < first) return key < first ? "text" : "never";
    return key < first ? "cross" : key < query ? "text" : "later";
  };
  Live.define("families", {
    compute({family, place}, {families, one, source, target, says, why}, held, {fill}) {
      const which = families.indexOf(family), pair = which === 2, words = pair ? [...source, ...target] : one, here = Math.trunc(place) - 1, first = source.length;
      const rows = words.map((word, key) => {
        const kind = kindOf(which, first, here, key);
        return {place: key + 1, word, stands: pair ? key < first ? "source" : "target" : "text", kind, why: why[kind], open: ["itself", "text", "cross"].includes(kind)};
      });
      const count = rows.filter(({open}) => open).length, own = here + 1 - first;
      const about = {word: words[here], open: count, all: words.length, source: first, target: own === 1 ? "itself alone" : `the first ${own} words`};
      const said = pair ? here < first ? 4 : 5 : which === 0 ? Number(here === words.length - 1) : here ? 3 : 2;
      return {words: rows, here, word: words[here], count, finding: fill(says[said], about)};
    },
    draw({words, here, family}, {families, source}, {svg, text, arrow, set}) {
      const pair = family === families[2], first = source.length, wide = pair ? 84 : 57;
      const spot = (k) => pair ? {x: 124 + 98 * (k % first), y: k < first ? 60 : 166} : {x: 33 + 63 * k, y: 128};
      const to = spot(here), boxes = words.map(({word, kind}, k) => {
        const {x, y} = spot(k), box = svg("g", {class: `family-word family-${kind}`}, svg("rect", {x: x - wide / 2, y, width: wide, height: HIGH, rx: 7}), text(x, y + 28, word));
        box.addEventListener("click", () => set({place: k + 1}));
        return box;
      });
      // An arrow goes from the word that is read to the word that attends; within a text it is an arc beside the words.
      const arrows = words.flatMap(({kind, open}, k) => {
        if (!open || k === here) return [];
        const {x, y} = spot(k), far = Math.abs(x - to.x);
        if (kind === "cross") return [svg("g", {class: "family-cross"}, arrow([x, y + HIGH + 2], [to.x + (x - to.x) / 12, to.y - 3]))];
        const below = pair && here >= first, edge = below ? y + HIGH + 2 : y - 2, out = below ? 1 : -1, deep = edge + out * Math.min(far * 0.42 + 14, pair ? 52 : 112);
        const tip = edge + out * 2, end = to.x + (x - to.x) / 14;
        return [svg("g", {class: "family-text"}, svg("path", {class: "family-arc", d: `M${x} ${edge}C${x} ${deep} ${end} ${deep} ${end} ${tip + out * 8}`}),
          svg("path", {class: "family-tip", d: `M${end} ${tip}l-4.5 ${out * 9}h9z`}))];
      });
      const sides = pair ? [text(6, spot(0).y + 20, "source", {class: "live-right"}), text(6, spot(0).y + 38, "encoder", {class: "live-right live-name"}),
        text(6, spot(first).y + 20, "target", {class: "live-right"}), text(6, spot(first).y + 38, "decoder", {class: "live-right live-name"})] : [];
      return svg("svg", {viewBox: "0 0 380 260", class: "families"}, ...sides, ...arrows, ...boxes);
    },
  });
})();
