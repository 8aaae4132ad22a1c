// What it computes stands first in __init__.py beside this file, under the same names; a test holds the two equal.
(() => {
  "use strict";
  const sum = (values) => values.reduce((a, b) => a + b, 0);
  const divergence = (p, q) => sum(p.map((x, k) => (x > 0 ? x * Math.log(x / q[k]) : 0)));
  Live.define("kl_penalty", {
    compute(values, data) {
      const {beta} = values, p = data.reference, rewards = [...data.rewards, values.reward], found = {};
      const top = Math.max(...rewards), weights = p.map((x, k) => x * Math.exp((rewards[k] - top) / beta));
      const Z = sum(weights), best = weights.map((w) => w / Z);
      data.answers.forEach((name, k) => {
        found[`${name}_reward`] = rewards[k];
        found[`${name}_best`] = best[k];
      });
      const at = best.indexOf(Math.max(...best)), gain = sum(best.map((x, k) => x * rewards[k])), kl = divergence(best, p);
      return {
        ...found, first: data.answers[at], first_p: best[at], gain, kl,
        objective: +gain.toFixed(3) - beta * +kl.toFixed(4), value: top + beta * Math.log(Z),
      };
    },
    draw(state, data, {svg, text, shown}) {
      const width = (p) => (p * 268).toFixed(1);
      return svg("svg", {viewBox: "0 0 404 208"},
        ...data.answers.map((name, i) => svg("g", {},
          text(42, 27 + 44 * i, name, {class: "live-left"}),
          svg("rect", {x: 52, y: 10 + 44 * i, width: width(state[`${name}_best`]), height: 24, rx: 3, class: "live-bar"}),
          svg("rect", {x: 52, y: 6 + 44 * i, width: width(data.reference[i]), height: 32, rx: 3, class: "live-ghost"}),
          text(396, 27 + 44 * i, shown(state[`${name}_best`], 1, true), {class: "live-left"}))),
        text(52, 198, "filled: best policy; dashed: reference", {class: "live-right live-name"}));
    },
  });
})();
