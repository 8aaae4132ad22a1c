// What it computes stands first in __init__.py beside this file, under the same names; a test holds the two equal.
(() => {
  "use strict";
  const keyOf = (norm, residual, scaled) => `${norm}, ${residual ? "residual" : "none"}, ${scaled ? "scaled" : "full"}`;
  Live.define("norms", {
    compute({norm, residual, scaled, what, blocks}, {told, norms, whats}) {
      const k = whats.indexOf(what), place = Math.round(blocks), key = keyOf(norm, residual, scaled);
      const rows = norms.map((name) => {
        const [length, gradient, alike] = told[keyOf(name, residual, scaled)].map((column) => column[place]);
        return {name, length, gradient, alike};
      });
      return {told: told[key][k][place], first: told[key][k][0], rows, k};
    },
    draw({norm, residual, scaled, what, blocks, k}, {curves, norms}, {svg, text, shown}) {
      const x = (block) => 62 + 13.6 * block;
      // A logarithmic axis goes from the power of ten below all three curves to that above them.
      const sizes = norms.flatMap((name) => curves[keyOf(name, residual, scaled)][k].map(Math.log10));
      const low = Math.floor(Math.min(...sizes)), high = Math.max(low + 1, Math.ceil(Math.max(...sizes))), step = Math.ceil((high - low) / 6);
      const power = (e) => low >= -2 && high <= 3 ? shown(10 ** e, Math.max(0, -e)) : `10${[...String(e)].map((sign) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)]).join("")}`;
      const y = k === 2 ? (v) => 214 - 160 * (v + 0.3) / 1.35 : (v) => 214 - 180 * (Math.log10(v) - low) / (high - low);
      const ticks = k === 2 ? [0, 0.5, 1].map((v) => [v, shown(v, 1)])
        : Array.from({length: Math.floor((high - low) / step) + 1}, (_, i) => [10 ** (low + i * step), power(low + i * step)]);
      const kinds = ["", "live-absolute", "live-log"];
      const line = (name, i) => {
        const curve = curves[keyOf(name, residual, scaled)][k], here = name === norm;
        return svg("g", {class: `live-line ${kinds[i]}${here ? " norms-here" : " norms-other"}`},
          svg("path", {class: "live-curve", d: curve.map((v, block) => `${block ? "L" : "M"}${x(block).toFixed(1)} ${y(v).toFixed(1)}`).join("")}),
          ...(here ? [svg("circle", {cx: x(blocks).toFixed(1), cy: y(curve[blocks]).toFixed(1), r: 6})] : []));
      };
      const legend = norms.map((name, i) => svg("g", {class: `live-line ${kinds[i]}`}, svg("path", {class: "live-curve", d: `M${10 + 132 * i} 276h26`}),
        text(42 + 132 * i, 281, name, {class: "live-right live-name"})));
      return svg("svg", {viewBox: "0 0 404 292"}, text(10, 16, what, {class: "live-right live-name"}),
        ...ticks.map(([v, word]) => svg("g", {}, svg("line", {x1: 62, x2: 392, y1: y(v), y2: y(v), class: "live-grid"}), text(56, y(v) + 5, word, {class: "live-left"}))),
        svg("line", {x1: x(blocks), x2: x(blocks), y1: 24, y2: 214, class: "live-here"}),
        ...norms.map((name, i) => [name === norm, name, i]).sort((a, b) => a[0] - b[0]).map(([, name, i]) => line(name, i)),
        ...[0, 6, 12, 18, 24].map((block) => text(x(block), 234, String(block))), text(226, 254, "blocks passed", {class: "live-name"}), ...legend);
    },
  });
})();
