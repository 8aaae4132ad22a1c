// What it computes stands first in __init__.py beside this file, under the same names; a test holds the two equal.
(() => {
  "use strict";
  Live.define("counts", {
    compute({model, other, bits}, {tables, totals, written}, held, {fill}) {
      const gb = totals[model] * bits / 8e9;
      const parts = tables[model].map((part, i) => ({...part, other_share: tables[other][i].share, other_written: tables[other][i].written}));
      return {parts, total: written[model], other_total: written[other], memory: gb < 0.1 ? fill("{mb:.1f} MB", {mb: 1000 * gb}) : `${Live.inGigabytes(gb, fill)} GB`, times: totals[model] / totals[other],
        ffn: parts[3].share, tables: parts[0].share + parts[1].share + parts[6].share};
    },
    draw(state, data, {svg, text, shown}) {
      const bar = (key, top, name, total) => {
        let left = 10;
        return svg("g", {},
          text(10, top - 8, `${name}: ${total}`, {class: "live-right"}),
          ...state.parts.flatMap((part, i) => {
            const wide = 384 * part[key], x = left;
            left += wide;
            return [svg("rect", {x: x.toFixed(2), y: top, width: wide.toFixed(2), height: 34, class: `counts-part counts-${i}`}),
              ...(wide > 40 ? [text(x + wide / 2, top + 50, shown(100 * part[key], 0) + "%", {class: "live-name"})] : [])];
          }));
      };
      const there = [...state.parts.keys()].filter((i) => state.parts[i].share || state.parts[i].other_share);
      const legend = there.map((i, k) => svg("g", {},
        svg("rect", {x: 10 + 128 * (k % 3), y: 212 + 24 * Math.floor(k / 3), width: 13, height: 13, class: `counts-part counts-${i}`}),
        text(28 + 128 * (k % 3), 223 + 24 * Math.floor(k / 3), state.parts[i].part, {class: "live-right live-name"})));
      return svg("svg", {viewBox: "0 0 404 290"}, bar("share", 30, state.model, state.total), bar("other_share", 122, state.other, state.other_total),
        text(10, 196, `${state.model}: ${state.memory} in ${state.bits} bits`, {class: "live-right live-name"}), ...legend);
    },
  });
})();
