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
    compute(values, data) {
      const now = planned(values, values.precision !== "float32", values.every, values.shards, data);
      const plain = planned(values, false, 0, 1, data), found = {millions: plain.gradients / 4e6};
      const sum = (plan) => plan.weights + plan.gradients + plan.optimiser + plan.activations;
      for (const part of data.parts) {
        found[part] = now[part] / 1e9;
        found[`${part}_plain`] = plain[part] / 1e9;
      }
      return {...found, total: sum(now) / 1e9, total_plain: sum(plain) / 1e9, share: now.activations / sum(now),
        interval: values.every ? String(values.every) : "none"};
    },
    draw(state, data, {svg, text, shown}) {
      const kinds = ["live-line", "live-line live-absolute", "live-line live-log", "live-line live-third"];
      const scale = 384 / Math.max(state.total, state.total_plain);
      const bar = (top, end) => {
        let left = 10;
        return data.parts.map((part, i) => {
          const wide = state[part + end] * scale;
          left += wide;
          return svg("rect", {x: (left - wide).toFixed(1), y: top, width: wide.toFixed(1), height: 34, class: kinds[i]});
        });
      };
      return svg("svg", {viewBox: "0 0 404 208"},
        text(10, 18, `as chosen: ${shown(state.total, 2)} GB`, {class: "live-right"}), ...bar(28, ""),
        text(10, 92, `with no savings: ${shown(state.total_plain, 2)} GB`, {class: "live-right"}), ...bar(102, "_plain"),
        ...data.parts.map((part, i) => svg("g", {},
          svg("rect", {x: 10 + 196 * (i % 2), y: 154 + 26 * (i > 1), width: 14, height: 14, class: kinds[i]}),
          text(32 + 196 * (i % 2), 166 + 26 * (i > 1), part, {class: "live-right live-name"}))));
    },
  });
})();
