// What it computes stands first in __init__.py beside this file, under the same names; a test holds the two equal.
(() => {
  "use strict";
  Live.define("student", {
    compute({hours, attendance}, data) {
      const x = [hours / 10, attendance / 100];
      const sums = data.w_hidden.map((row, i) => row[0] * x[0] + row[1] * x[1] + data.b_hidden[i]);
      const hidden = sums.map((z) => Math.max(0, z));
      const z = hidden.reduce((sum, h, i) => sum + h * data.w_out[i], 0) + data.b_out;
      const p = 1 / (1 + Math.exp(-z));
      const found = {x1: x[0], x2: x[1], z, p, verdict: p >= 0.5 ? "passes" : "fails", third: hidden[2] > 0 ? data.third : ""};
      sums.forEach((value, i) => { found[`z${i + 1}`] = value; found[`h${i + 1}`] = hidden[i]; });
      return found;
    },
    draw(state, data, {svg, text, shown}) {
      const inputs = [[52, 88, state.x1, "hours ÷ 10", -34], [52, 212, state.x2, "attendance"]];
      const hidden = [0, 1, 2].map((i) => [205, 42 + 108 * i, state[`h${i + 1}`], `hidden ${i + 1}`, i ? 45 : -34]);
      const out = [352, 150, state.p, "probability"];
      // Each weight stands on its own line where no other one passes, each name on the side without lines.
      const edges = inputs.flatMap((a, i) => hidden.map((b, j) => [a, b, data.w_hidden[j][i], j === 1 ? 0.355 : j === 2 * i ? 0.5 : 0.7]))
        .concat(hidden.map((a, j) => [a, out, data.w_out[j], 0.45]));
      const node = ([x, y, value, label, name = 45], last) => svg("g", {},
        svg("circle", {cx: x, cy: y, r: 27, class: value > 0 ? (last ? "live-node live-on" : "live-node") : "live-node live-off"}),
        text(x, y + 5, shown(value, 3)), text(x, y + name, label, {class: "live-name"}));
      return svg("svg", {viewBox: "0 -10 404 326"},
        ...edges.map(([a, b, w]) => svg("line", {x1: a[0], y1: a[1], x2: b[0], y2: b[1],
          class: w > 0 ? "live-plus" : "live-minus", "stroke-width": (0.8 + 9 * Math.abs(w * a[2])).toFixed(2)})),
        ...inputs.map((n) => node(n)), ...hidden.map((n) => node(n)), node(out, state.p >= 0.5),
        ...edges.flatMap(([a, b, w, at]) => {
          const x = a[0] + at * (b[0] - a[0]), y = a[1] + at * (b[1] - a[1]);
          return [svg("rect", {x: x - 21, y: y - 9, width: 42, height: 18, rx: 3, class: "live-card"}),
            text(x, y + 5, (w > 0 ? "+" : "") + shown(w, 2), {class: "live-name"})];
        }));
    },
  });
})();
