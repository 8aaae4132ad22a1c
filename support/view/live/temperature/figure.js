// What it computes stands first in __init__.py beside this file, under the same names; a test holds the two equal.
(() => {
  "use strict";
  const softmax = (scores) => {
    const top = Math.max(...scores), powers = scores.map((z) => Math.exp(z - top));
    const sum = powers.reduce((a, b) => a + b, 0);
    return powers.map((power) => power / sum);
  };
  const said = (p) => p < 0.0005 ? "< 0.1%" : p > 0.9995 ? "> 99.9%" : `${(100 * p).toFixed(1)}%`;
  Live.define("temperature", {
    compute(values, data) {
      const logits = data.words.map((word) => values[`${word}_`]);
      const divided = logits.map((logit) => logit / values.temperature);
      const probabilities = softmax(divided), plain = softmax(logits), found = {};
      data.words.forEach((word, i) => {
        found[`${word}_z`] = divided[i];
        found[`${word}_p`] = probabilities[i];
        found[`${word}_one`] = plain[i];
        found[`${word}_said`] = said(probabilities[i]);
      });
      const much = said(Math.max(...probabilities)), [first, ...others] = data.words.filter((_, i) => probabilities[i] === Math.max(...probabilities)).map((word) => `“${word}”`);
      const listed = () => `${[first, ...others.slice(0, -1)].join(", ")} and ${others.at(-1)}`, more = others.length + 1 === data.words.length ? "words" : "two most probable words";
      const most = others.length ? `the ${more} ${listed()} are equally probable, with ${much} each` : `the most probable word is ${first} with ${much}`;
      const entropy = probabilities.reduce((sum, p) => sum - (p > 0 ? p * Math.log(p) : 0), 0);
      return {...found, best: first.slice(1, -1), best_said: much, most, as_many: Math.exp(entropy)};
    },
    draw(state, data, {svg, text}) {
      const width = (p) => (p * 268).toFixed(1);
      return svg("svg", {viewBox: "0 0 404 218"},
        ...data.words.map((word, i) => svg("g", {},
          text(42, 32 + 60 * i, word, {class: "live-left"}),
          svg("rect", {x: 52, y: 12 + 60 * i, width: width(state[`${word}_p`]), height: 30, rx: 3, class: "live-bar"}),
          svg("rect", {x: 52, y: 8 + 60 * i, width: width(state[`${word}_one`]), height: 38, rx: 3, class: "live-ghost"}),
          text(396, 32 + 60 * i, state[`${word}_said`], {class: "live-left"}))),
        text(52, 208, "dashed: at temperature 1", {class: "live-right live-name"}));
    },
  });
})();
