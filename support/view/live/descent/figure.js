// What it computes stands first in __init__.py beside this file, under the same names; a test holds the two equal.
(() => {
  "use strict";
  const surface = (w, b, {hours, marks}) => {
    let loss = 0, by_w = 0, by_b = 0;
    hours.forEach((x, i) => {
      const error = w * x + b - marks[i];
      loss += error ** 2 / 10;
      by_w += error * x / 5;
      by_b += error / 5;
    });
    return [loss, by_w, by_b];
  };
  const lowest = ({hours, marks}) => {
    const mean = (list) => list.reduce((sum, value) => sum + value, 0) / 10;
    const x = mean(hours), y = mean(marks);
    const w = mean(hours.map((a, i) => (a - x) * (marks[i] - y))) / mean(hours.map((a) => (a - x) ** 2));
    return [w, y - w * x];
  };
  const off = ([w, b], {sheet}) => w < sheet.w[0] || w > sheet.w[1] || b < sheet.b[0] || b > sheet.b[1];
  const walk = ({rate, steps, method, start_w, start_b}, data) => {
    const [b1, b2, eps] = data.shares, path = [[start_w, start_b]], m = [0, 0], s = [0, 0];
    for (let t = 1; t <= steps; t++) {
      const here = path[path.length - 1], gradient = surface(...here, data).slice(1);
      path.push(gradient.map((g, i) => {
        if (method === "Adam") {
          m[i] = b1 * m[i] + (1 - b1) * g;
          s[i] = b2 * s[i] + (1 - b2) * g * g;
          return here[i] - rate * (m[i] / (1 - b1 ** t) / (Math.sqrt(s[i] / (1 - b2 ** t)) + eps));
        }
        m[i] = (method === "momentum" ? b1 : 0) * m[i] + g;
        return here[i] - rate * m[i];
      }));
      if (off(path[path.length - 1], data)) break;
    }
    return path;
  };
  const move = (values, by, data) => {
    const steps = values.steps + by, over = by > 0 && walk(values, data).length <= values.steps;
    return steps >= 0 && steps <= data.most && !over ? {steps} : {};
  };
  const LEFT = 44, WIDE = 344, TOP_OF_MAP = 14, HIGH = 262; // where the map is drawn
  Live.define("descent", {
    compute(values, data) {
      const path = walk(values, data), [w, b] = path[path.length - 1];
      const [loss, by_w, by_b] = surface(w, b, data), [best_w, best_b] = lowest(data);
      const best = surface(best_w, best_b, data)[0];
      const verdict = off([w, b], data) ? "has left the map: the learning rate is too large"
        : loss - best < 0.001 ? "has arrived near the minimum"
        : loss > surface(...path[0], data)[0] ? "moves away from the minimum: the learning rate is too large"
        : Math.abs(by_w) + Math.abs(by_b) < 0.3 ? "is still on its way along the flat direction"
        : "is still where the gradient is large";
      return {w, b, loss, by_w, by_b, best, best_w, best_b, verdict,
        first: surface(...path[0], data)[0], taken: path.length - 1};
    },
    draw(state, data, {svg, text, shown}) {
      const [w0, w1] = data.sheet.w, [b0, b1] = data.sheet.b;
      const x = (w) => LEFT + WIDE * (Math.min(w1, Math.max(w0, w)) - w0) / (w1 - w0);
      const y = (b) => TOP_OF_MAP + HIGH * (b1 - Math.min(b1, Math.max(b0, b))) / (b1 - b0);
      const path = walk(state, data);
      // The surface is quadratic, so a contour is an ellipse: from the minimum, as far in each direction as the
      // loss allows. Outside of the sheet nothing is drawn.
      const contour = (level) => {
        let d = "", pen = "M";
        for (let k = 0; k <= 360; k++) {
          const u = Math.cos(Math.PI * k / 180), v = Math.sin(Math.PI * k / 180);
          const rise = surface(state.best_w + u, state.best_b + v, data)[0] - state.best, r = Math.sqrt(level / rise);
          const point = [state.best_w + r * u, state.best_b + r * v];
          if (off(point, data)) { pen = "M"; continue; }
          d += `${pen}${x(point[0]).toFixed(1)} ${y(point[1]).toFixed(1)}`;
          pen = "L";
        }
        return d;
      };
      const line = (points) => points.map(([a, b], i) => `${i ? "L" : "M"}${a.toFixed(1)} ${b.toFixed(1)}`).join("");
      // Below: the loss after each step.
      const TOP = 1.5, across = (step) => 44 + 344 * step / data.most, down = (loss) => 420 - 84 * loss / TOP;
      const losses = path.map((point) => surface(...point, data)[0]), below = losses.findIndex((loss) => loss <= TOP);
      const left = losses.findIndex((loss, i) => loss > TOP && i > below && below >= 0);
      // Between two steps the line is cut where it crosses the upper edge of the plot.
      const edge = (i, j) => i + (j - i) * (TOP - losses[i]) / (losses[j] - losses[i]);
      const curve = losses.map((loss, i) => {
        if (loss > TOP) return losses[i - 1] <= TOP ? `L${across(edge(i - 1, i)).toFixed(1)} ${down(TOP)}` : "";
        const enters = losses[i - 1] > TOP ? `M${across(edge(i, i - 1)).toFixed(1)} ${down(TOP)}` : "";
        return `${enters}${i ? "L" : "M"}${across(i).toFixed(1)} ${down(loss).toFixed(1)}`;
      }).join("");
      const above = (step, at, row, words) => [svg("path", {d: `M${across(step).toFixed(1)} ${down(TOP) - 9}l6 9h-12z`}),
        text(Math.min(across(at) + 10, 258).toFixed(1), down(TOP) + row, `above ${TOP} ${words}`, {class: "live-right live-name"})];
      const leaves = [...(below === 0 ? [] : above(0, 0, 36, below < 0 ? "at every step" : `before step ${below}`)),
        ...(left < 0 ? [] : above(edge(left - 1, left), left, 18, `from step ${left}`))];
      const sx = x(state.start_w), sy = y(state.start_b), star = [x(state.best_w), y(state.best_b)];
      return svg("svg", {viewBox: "0 0 404 462"},
        svg("rect", {x: 44, y: 14, width: 344, height: 262, class: "live-grid", fill: "none"}),
        svg("g", {class: "live-line live-absolute"},
          ...data.levels.map((level) => svg("path", {d: contour(level), fill: "none", class: "live-contour"})),
          svg("path", {d: `M${star[0]} ${star[1] - 7}l7 7l-7 7l-7 -7z`})),
        svg("g", {class: "live-line"},
          svg("path", {d: line(path.map(([w, b]) => [x(w), y(b)])), class: "live-curve"}),
          ...path.map(([w, b]) => svg("circle", {cx: x(w).toFixed(1), cy: y(b).toFixed(1), r: 2.6})),
          svg("rect", {x: sx - 5, y: sy - 5, width: 10, height: 10}),
          svg("path", {d: curve, class: "live-curve"}), ...leaves),
        ...[-1, 0, 1, 2].map((w) => text(x(w), 294, shown(w, 0))),
        ...[-1, 0, 1, 2].map((b) => text(38, y(b) + 5, shown(b, 0), {class: "live-left"})),
        text(216, 314, "weight w", {class: "live-name"}),
        text(44, 9, "bias b", {class: "live-right live-name"}),
        ...[0, 0.5, 1, 1.5].map((loss) => svg("g", {}, text(38, down(loss) + 5, shown(loss, 1), {class: "live-left"}),
          svg("line", {x1: 44, x2: 388, y1: down(loss), y2: down(loss), class: "live-grid"}))),
        ...[0, 50, 100].map((step) => text(across(step), 438, shown(step, 0))),
        text(216, 458, "step", {class: "live-name"}),
        text(10, 318, "loss", {class: "live-right live-name"}),
        text(sx, sy + (sy > 250 ? -12 : 22), "start", {class: "live-name"}), Live.grip(svg, sx, sy, "start"));
    },
    prepare: () => ({}),
    // Play shows the walk from its start; after a pause it goes on.
    begin: ({steps}, data, held) => steps === held.at ? null : {steps: 0},
    pace: () => 130,
    actions: {
      back: (values, _, held, data) => move(values, -1, data),
      step(values, _, held, data) {
        const to = move(values, 1, data);
        held.at = to.steps; // (at the end it is undefined: from there Play begins anew)
        return to;
      },
    },
    drag(grip, [x, y], {sheet: {w: [w0, w1], b: [b0, b1]}}) {
      return {start_w: w0 + (x - LEFT) / WIDE * (w1 - w0), start_b: b1 - (y - TOP_OF_MAP) / HIGH * (b1 - b0)};
    },
  });
})();
