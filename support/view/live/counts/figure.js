// What it computes stands first in __init__.py beside this file, under the same names; a test holds the two equal.
(() => {
  "use strict";
  Live.define("counts", {
    compute({model, other, bits}, {tables, totals, written}, held, {fill}) {
      const memory = (name) => {
        const gb = totals[name] * bits / 8e9;
        return gb < 0.1 ? fill("{mb:.1f} MB", {mb: 1000 * gb}) : `${Live.inGigabytes(gb, fill)} GB`;
      };
      const parts = tables[model].map((part, i) => ({...part, other_share: tables[other][i].share, other_written: tables[other][i].written}));
      return {parts, total: written[model], other_total: written[other], memory: memory(model), other_memory: memory(other), times: totals[model] / totals[other],
        ffn: parts[3].share, tables: parts[0].share + parts[1].share + parts[6].share};
    },
    draw(state, data, {svg, text, shown}) {
      const bar = (key, top, name, total, memory) => {
        let left = 10;
        return svg("g", {},
          text(10, top - 8, `${name}: ${total}`, {class: "live-right"}),
          text(394, top - 8, memory, {class: "live-left"}),
          ...state.parts.flatMap((part, i) => {
            const wide = 384 * part[key], x = left;
            left += wide;
            return [svg("rect", {x: x.toFixed(2), y: top, width: wide.toFixed(2), height: 34, class: `counts-part counts-${i}`}),
              ...(wide > (part[key] < 0.095 ? 17 : 25) ? [text(x + wide / 2, top + 50, shown(100 * part[key], 0) + "%", {class: "live-name"})] : [])];
          }));
      };
      // What is too thin to be seen in either bar has its share beside its name.
      const named = ({part, share, other_share: other}, most = Math.max(share, other)) =>
        most >= 0.02 ? part : `${part} (${most < 0.0005 ? "< 0.1%" : `≤ ${shown(most, 1, true)}`})`;
      const there = [...state.parts.keys()].filter((i) => state.parts[i].share || state.parts[i].other_share);
      const legend = there.map((i, k) => svg("g", {},
        svg("rect", {x: 10 + 192 * (k % 2), y: 222 + 24 * Math.floor(k / 2), width: 13, height: 13, class: `counts-part counts-${i}`}),
        text(28 + 192 * (k % 2), 233 + 24 * Math.floor(k / 2), named(state.parts[i]), {class: "live-right live-name"})));
      return svg("svg", {viewBox: "0 0 404 310"}, bar("share", 30, state.model, state.total, state.memory),
        bar("other_share", 122, state.other, state.other_total, state.other_memory),
        text(10, 200, `memory: with ${state.bits} bits for each parameter`, {class: "live-right live-name"}), ...legend);
    },
  });
})();
