// What it computes stands first in __init__.py beside this file, under the same names; a test holds the two equal.
(() => {
  "use strict";
  const KINDS = ["", " live-absolute", " live-absolute live-open forgetting-low", " live-third", " live-fourth"]; // as `style.LINE_STYLES` says
  Live.define("forgetting", {
    compute({world, point: k}, data, held, {fill}) {
      const forced = data.forced[world], paths = {};
      for (const [name, runs] of Object.entries(data.tracks[world])) {
        paths[name] = data.steps.map((_, i) => [0, 1].map((j) => runs.reduce((sum, run) => sum + run[i][j], 0) / runs.length));
      }
      const rows = Object.entries(paths).map(([method, path]) => ({method, new: path[k][0], old: path[k][1], beyond: path[k][1] - forced}));
      const best = rows.reduce((a, b) => b.new + b.old < a.new + a.old ? b : a), worst = rows.reduce((a, b) => b.old > a.old ? b : a);
      const blanks = {step: data.steps[k], best: best.method, sum: best.new + best.old, worst: worst.method, old: worst.old, forced};
      return {step: data.steps[k], paths, rows, forced, finding: fill(k ? data.says[world] : data.at_first, blanks)};
    },
    draw(state, data, {svg, text, make, arrow}) {
      const [wide, high] = data.ends[state.world], k = state.point;
      const x = (loss) => 94 + 290 * Math.sqrt(loss / wide), y = (loss) => 236 - 220 * loss / high;
      const shape = (i, a, b, r) => [
        () => svg("circle", {cx: a, cy: b, r}),
        () => svg("rect", {x: a - r, y: b - r, width: 2 * r, height: 2 * r}),
        () => svg("rect", {x: a - r, y: b - r, width: 2 * r, height: 2 * r}),
        () => svg("path", {d: `M${a} ${b - 1.3 * r}l${1.3 * r} ${1.3 * r}l${-1.3 * r} ${1.3 * r}l${-1.3 * r} ${-1.3 * r}z`}),
        () => svg("path", {d: `M${a} ${b + 1.3 * r}l${1.3 * r} ${-2.2 * r}h${-2.6 * r}z`}),
      ][i]();
      const path = ([name, points], i) => svg("g", {class: `live-line${KINDS[i]}`},
        svg("path", {d: points.slice(0, k + 1).map((p, j) => `${j ? "L" : "M"}${x(p[0]).toFixed(1)} ${y(p[1]).toFixed(1)}`).join(""), class: "live-curve"}),
        shape(i, x(points[k][0]), y(points[k][1]), 6),
        ...(state.seeds ? data.tracks[state.world][name].map((run) => svg("g", {opacity: 0.6}, shape(i, x(run[k][0]), y(run[k][1]), 3.4))) : []));
      const star = (a, b) => Array.from({length: 10}, (_, i) => {
        const r = i % 2 ? 4 : 10, turn = Math.PI * i / 5;
        return `${i ? "L" : "M"}${(a + r * Math.sin(turn)).toFixed(1)} ${(b - r * Math.cos(turn)).toFixed(1)}`;
      }).join("") + "z";
      // Each path has its name at its end: before its mark, one below the other where marks are close, or where there is room.
      const SHORT = {"full fine-tuning": "full", "LoRA at a high rate": "LoRA, high rate", "LoRA at a low rate": "LoRA, low rate"};
      const PLACES = {"LoRA at a low rate": (a, b) => a > 300 ? [a - 12, b - 44, "live-left"] : [a - 28, b + 21, "live-right"],
        distillation: (a, b) => a < 230 && [a + 10, b + 11, "live-right"]};
      let low = -Infinity;
      const ends = k ? Object.entries(state.paths).map(([name, points]) => [name, x(points[k][0]), y(points[k][1])]).sort((a, b) => a[2] - b[2]).map(([name, a, b]) => {
        const [u, v, side] = PLACES[name]?.(a, b) || [a - 11, low = Math.max(b + 4, low + 14), "live-left"];
        return text(u.toFixed(1), v.toFixed(1), SHORT[name] ?? name, {class: `${side} live-name forgetting-name`});
      }) : [];
      const names = Object.keys(state.paths), [from] = state.paths["full fine-tuning"];
      return make("div", {class: "live-drawn"},
        svg("svg", {viewBox: "0 0 404 296"},
          ...data.levels[state.world].map((level) => svg("g", {},
            svg("line", {x1: 54, x2: 384, y1: y(level), y2: y(level), class: "live-grid"}), text(41, y(level) + 5, String(level), {class: "live-left"}))),
          ...data.marks[state.world].map((mark) => text(x(mark), 258, String(mark))),
          text(224, 284, "second evening: loss above its floor (square-root axis)", {class: "live-name"}),
          text(54, 10, "first evening: loss above its floor", {class: "live-right live-name"}),
          ...Object.entries(state.paths).map(path),
          svg("path", {d: star(94, y(state.forced)), class: "live-dot"}), text(94, y(state.forced) - 15, "best possible", {class: "live-name forgetting-name"}),
          svg("circle", {cx: x(from[0]), cy: y(from[1]), r: 7, class: "live-dot"}), text(396, y(from[1]) - 125, "all start here", {class: "live-left live-name forgetting-name"}),
          svg("line", {x1: x(from[0]), x2: x(from[0]), y1: y(from[1]) - 118, y2: y(from[1]) - 12, class: "live-grid"}), ...ends,
          text(394, 34, `${state.step} steps of training`, {class: "live-left live-name forgetting-name"}), arrow([394, 43], [278, 43], " live-begin")),
        make("ul", {class: "live-legend"}, ...names.map((name, i) => make("li", {},
          svg("svg", {viewBox: "0 0 16 16", class: "live-key", "aria-hidden": "true"}, svg("g", {class: `live-line${KINDS[i]}`}, shape(i, 8, 8, 5))), name)),
          make("li", {}, svg("svg", {viewBox: "0 0 20 20", class: "live-key", "aria-hidden": "true"}, svg("path", {d: star(10, 10), class: "live-dot"})), "best possible")));
    },
  });
})();
