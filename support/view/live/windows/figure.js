// What it computes stands first in __init__.py beside this file, under the same names; a test holds the two equal.
(() => {
  "use strict";
  const windows = (n, games, {entropy, possible, runs}) => {
    const losses = runs[games], place = Math.round(n), loss = losses[place], lowest = possible[place];
    return {
      loss, F: lowest, entropy, hides: lowest - entropy, lacks: loss - lowest, above: loss - entropy,
      best: losses.indexOf(Math.min(...losses)),
    };
  };
  Live.define("windows", {
    compute({n, games}, data) {
      return windows(n, games, data);
    },
    draw(state, data, {svg, text, shown}) {
      const x = (n) => 62 * n - 35, high = (nats) => 255 * nats;
      const bar = (n, from, to, kind) => svg("rect",
        {x: x(n), y: (232 - high(to)).toFixed(1), width: 42, height: high(to - from).toFixed(1), class: kind});
      return svg("svg", {viewBox: "0 0 404 306"},
        ...data.possible.slice(1).map((_, i) => {
          const n = i + 1, part = windows(n, state.games, data);
          return svg("g", {},
            bar(n, 0, part.hides, "live-bar"), bar(n, part.hides, part.above, "live-line live-absolute"),
            text(x(n) + 21, 224 - high(part.above), shown(part.above, 2)), text(x(n) + 21, 254, shown(n, 0)));
        }),
        svg("rect", {x: x(state.n) - 4, y: (230 - high(state.above)).toFixed(1), width: 50,
          height: (high(state.above) + 6).toFixed(1), rx: 3, class: "live-ghost"}),
        text(202, 276, "nats above the entropy, by words of context", {class: "live-name"}),
        svg("rect", {x: 40, y: 288, width: 12, height: 12, class: "live-bar"}),
        text(58, 299, "window too short", {class: "live-right live-name"}),
        svg("rect", {x: 210, y: 288, width: 12, height: 12, class: "live-line live-absolute"}),
        text(228, 299, "too few counts", {class: "live-right live-name"}));
    },
  });
})();
