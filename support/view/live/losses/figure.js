// What it computes stands first in __init__.py beside this file, under the same names; a test holds the two equal.
(() => {
  "use strict";
  const losses = (p) => {
    const flat = p * (1 - p); // dp/dz
    return {
      squared: [(1 - p) ** 2, -2 * (1 - p), -2 * (1 - p) * flat],
      absolute: [1 - p, -1, -flat],
      log: [-Math.log(p), -1 / p, -(1 - p)],
    };
  };
  Live.define("losses", {
    compute({p, steps}, data) {
      const now = losses(p), found = {};
      for (const name of data.names) {
        [found[`${name}_loss`], found[`${name}_in_p`], found[`${name}_in_logit`]] = now[name];
        found[`${name}_step`] = -now[name][2];
        let logit = Math.log(p / (1 - p)), end = p;
        for (let step = 0; step < steps; step++) {
          logit -= losses(end)[name][2];
          end = 1 / (1 + Math.exp(-logit));
        }
        found[`${name}_end`] = end;
      }
      const best = data.names.reduce((a, b) => found[`${b}_end`] > found[`${a}_end`] ? b : a);
      found.first = steps ? `the ${best} loss is ahead` : "nobody has moved yet";
      return found;
    },
    draw(state, data, {svg, text, shown}) {
      const view = data.views.indexOf(state.what), [low, high] = data.shown[state.what];
      const x = (p) => 84 + 302 * p; // (beside it the runners' names have room)
      const y = (value) => 20 + 190 * (high - Math.min(high, Math.max(low, value))) / (high - low);
      const curve = (name) => Array.from({length: 171}, (_, i) => 0.001 + 0.998 * i / 170)
        .map((p) => [p, losses(p)[name][view]]).filter(([, value]) => low <= value && value <= high)
        .map(([p, value], i) => `${i ? "L" : "M"}${x(p).toFixed(1)} ${y(value).toFixed(1)}`).join("");
      const mark = {squared: (a, b) => svg("circle", {cx: a, cy: b, r: 6}),
        absolute: (a, b) => svg("rect", {x: a - 5.5, y: b - 5.5, width: 11, height: 11}),
        log: (a, b) => svg("path", {d: `M${a} ${b - 7}l7 12h-14z`})};
      // Below the curves, three runners: from p to where the steps lead.
      const row = (i) => 306 + 28 * i;
      return svg("svg", {viewBox: "0 -8 404 384"},
        ...[0, 0.5, 1].map((t) => {
          const value = low + t * (high - low);
          return svg("g", {}, svg("line", {x1: 84, x2: 386, y1: y(value), y2: y(value), class: "live-grid"}),
            text(76, y(value) + 5, shown(value, high - low < 6 ? 1 : 0), {class: "live-left"}));
        }),
        ...[0, 0.5, 1].map((p) => text(x(p), 230, shown(p, 1))),
        text(235, 250, "p, the probability of the right answer", {class: "live-name"}),
        text(10, 6, data.axes[view], {class: "live-right live-name"}),
        text(10, 275, state.steps === 1 ? "where 1 step leads" : `where ${state.steps} steps lead`, {class: "live-right live-name"}),
        svg("line", {x1: x(state.p), x2: x(state.p), y1: 20, y2: 214, class: "live-here"}),
        svg("line", {x1: x(state.p), x2: x(state.p), y1: 292, y2: 368, class: "live-here"}),
        ...data.names.map((name, i) => svg("g", {class: `live-line live-${name}`},
          svg("path", {d: curve(name), class: "live-curve"}),
          mark[name](x(state.p), y(losses(state.p)[name][view])),
          svg("line", {x1: x(state.p), x2: x(state[`${name}_end`]), y1: row(i), y2: row(i), class: "live-curve"}),
          mark[name](x(state[`${name}_end`]), row(i)),
          text(72, row(i) + 5, name, {class: "live-left"}))));
    },
  });
})();
