// What it computes is in __init__.py beside this file and in support/training/accounts.py; a test holds them equal.
(() => {
  "use strict";
  // A block of GPT-2: two norms, queries, keys, values and the output, up and down projection, with biases.
  const parameters = (layers, d, context, vocabulary) =>
    vocabulary * d + context * d + layers * (12 * d * d + 13 * d) + 2 * d;
  const planned = ({layers, width: d, batch, context}, mixed, every, shards, {vocabulary, d_head}) => {
    const count = parameters(layers, d, context, vocabulary), inside = 8 * d + 2 * 4 * d + 4 + d / d_head;
    const step = Math.min(every, layers);
    const kept = step ? Math.ceil(layers / step) * d + step * inside : layers * inside;
    return {
      weights: (mixed ? 6 : 4) * count / shards, gradients: (mixed ? 2 : 4) * count / shards,
      optimiser: 8 * count / shards, activations: (mixed ? 2 : 4) * batch * context * (kept + 2 * d + vocabulary + 2),
    };
  };
  Live.define("memory", {
    compute(values, data, held, {fill}) {
      const now = planned(values, values.precision !== "float32", values.every, values.shards, data);
      const plain = planned(values, false, 0, 1, data), count = plain.gradients / 4, found = {};
      const sum = (plan) => plan.weights + plan.gradients + plan.optimiser + plan.activations;
      for (const part of [...data.parts, "total"]) {
        for (const [plan, end] of [[now, ""], [plain, "_plain"]]) {
          const gb = (part === "total" ? sum(plan) : plan[part]) / 1e9;
          found[part + end] = gb;
          found[`${part}${end}_written`] = Live.inGigabytes(gb, fill);
        }
      }
      const [size, unit] = [[1e9, "billion"], [1e6, "million"], [1e3, "thousand"]].find(([one]) => count >= one); // (never fewer)
      return {...found, millions: count / 1e6, parameters: `${fill("{n:.1f}", {n: count / size})} ${unit}`, share: now.activations / sum(now),
        interval: values.every ? String(values.every) : "none"};
    },
    draw(state, data, {svg, text}) {
      const fill = (i) => `fill: var(--role-${data.roles[i]})`;
      // An even axis, to 100 GB as long as that will do, and else to 150, 200, 300 …, so that no bar is short.
      const {reaches, cards} = data, LEFT = 82, WIDE = 232, TOP = 42, BOTTOM = 138, BARS = [52, 98];
      const reach = reaches.find((gb) => gb >= Math.max(state.total, state.total_plain)), x = (gb) => LEFT + WIDE * gb / reach;
      const bar = (top, end) => {
        let sum = 0;
        return data.parts.map((part, i) => {
          const from = x(sum);
          sum += state[part + end];
          return svg("rect", {x: from.toFixed(1), y: top, width: (x(sum) - from).toFixed(1), height: 30, style: fill(i)});
        });
      };
      const named = (gb) => gb.toLocaleString("en"), close = reach > 200; // (no room for the names of the cards)
      // Before a bar stands its name; behind the axis, where no line of a card goes, its total and the smallest card that it fits.
      const told = (top, words, end) => {
        const fits = Math.min(...cards.filter((gb) => gb >= state[`total${end}`]));
        return [text(LEFT - 6, top + 20, words, {class: "live-left live-name"}),
          text(LEFT + WIDE + 10, top + 12, `${state[`total${end}_written`]} GB`, {class: "live-right live-name memory-total"}),
          text(LEFT + WIDE + 10, top + 29, fits < Infinity ? `fits ${fits} GB` : "fits neither", {class: "live-right live-name"})];
      };
      return svg("svg", {viewBox: "0 0 404 242"},
        ...[0, 1, 2, 3, 4, 5].map((k) => k * reach / 5).map((gb) => svg("g", {}, svg("line", {x1: x(gb).toFixed(1), x2: x(gb).toFixed(1), y1: TOP, y2: BOTTOM + 4, class: "live-grid"}),
          text(x(gb).toFixed(1), BOTTOM + 19, named(gb), {class: "live-name"}))),
        ...bar(BARS[0], ""), ...bar(BARS[1], "_plain"),
        ...cards.map((gb) => svg("g", {class: "memory-card"}, ...["halo", "line"].map((part) => svg("path", {d: `M${x(gb).toFixed(1)} ${TOP - 8}V${BOTTOM + 4}`, class: `memory-${part}`})),
          ...(close ? [] : [text(x(gb).toFixed(1), TOP - 14, `${gb} GB card`, {class: "live-name"})]))),
        ...(close ? [text(LEFT, TOP - 14, `dashed: cards of ${cards.join(" and ")} GB`, {class: "live-right live-name"})] : []),
        ...told(BARS[0], "as chosen", ""), ...told(BARS[1], "no savings", "_plain"),
        text(LEFT + WIDE / 2, BOTTOM + 40, reach > reaches[0] ? `GB on each device (the axis now ends at ${named(reach)})` : "GB on each device", {class: "live-name"}),
        ...data.parts.map((part, i) => svg("g", {},
          svg("rect", {x: 12 + 196 * (i % 2), y: 192 + 24 * (i > 1), width: 14, height: 14, style: fill(i)}),
          text(34 + 196 * (i % 2), 204 + 24 * (i > 1), part, {class: "live-right live-name"}))));
    },
  });
})();
