// What it computes stands first in __init__.py beside this file, under the same names; a test holds the two equal.
(() => {
  "use strict";
  const {BOS, split, prepare, read, best} = window.ModelText;
  const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
  const length = (a) => Math.sqrt(dot(a, a));
  Live.define("trajectory", {
    prepare,
    compute({prompt, right, left, up, down, parts}, data, held, {fill}) {
      const {model, ids} = held, d = model.config.d_model, reader = read(held, prompt), words = [BOS, ...split(prompt)], at = words.length - 1;
      const row = (word) => Float64Array.from(model.weights["embedding.weight"].subarray(ids.get(word) * d, (ids.get(word) + 1) * d));
      const minus = (a, b) => a.map((value, i) => value - b[i]);
      const plane = [new Float64Array(d), new Float64Array(d)];
      [[right, left], [up, down]].forEach(([a, b], k) => {
        if (a === b) return;
        const direction = minus(row(a), row(b)), along = plane.map((axis) => dot(axis, direction));
        const rest = direction.map((value, i) => value - along[0] * plane[0][i] - along[1] * plane[1][i]);
        if (length(rest) > 1e-6 * length(direction)) plane[k] = rest.map((value) => value / length(rest));
      });
      const word = row(words[at]), writes = [["the word", word], ["its place", minus(reader.stream(0, at), word)]];
      for (let layer = 0; layer < model.config.n_layers; layer++) {
        const here = (array) => array[layer].subarray(at * d, (at + 1) * d), whole = here(reader.attention);
        if (parts === "heads") {
          const heads = Array.from({length: model.config.n_heads}, (_, h) => reader.head(layer, h, at));
          heads.forEach((write, h) => writes.push([`head ${layer}.${h}`, write]));
          writes.push([`bias ${layer}`, whole.map((value, i) => value - heads.reduce((sum, head) => sum + head[i], 0))]);
        } else writes.push([`attention ${layer}`, whole]);
        writes.push([`feed-forward ${layer}`, here(reader.feedForward)]);
      }
      let x = 0, y = 0;
      const steps = writes.map(([part, write]) => {
        const [dx, dy] = plane.map((axis) => dot(axis, write));
        return {part, dx, dy, x: x += dx, y: y += dy};
      });
      if (right === left || !plane[1].some(Boolean)) {
        return {steps, finding: "These words make no plane: choose two directions, each from one word to another."};
      }
      const strongest = steps[best(steps.map((step) => step.dx))];
      const said = "The stream of the last word ends at {x:.2f} towards “{right}” and {y:.2f} towards “{up}”. "
        + "The strongest push towards “{right}” comes from {part}: {push:.2f}.";
      return {steps, finding: fill(said, {...steps.at(-1), right, up, part: strongest.part, push: strongest.dx})};
    },
    draw(state, data, {svg, text, arrow}) {
      const points = [{part: "start", x: 0, y: 0}, ...state.steps], W = 404, H = 330;
      const scale = (key) => {
        const all = points.map((p) => p[key]), low = Math.min(...all), high = Math.max(...all), room = Math.max(0.5, high - low) * 0.14;
        return [low - room, high + room];
      };
      const [x0, x1] = scale("x"), [y0, y1] = scale("y");
      const at = points.map((p) => [34 + (W - 68) * (p.x - x0) / (x1 - x0), 26 + (H - 76) * (y1 - p.y) / (y1 - y0)]);
      // Each name goes to the first place around its point that is still free.
      const taken = at.map(([x, y]) => [x - 4, y - 4, x + 4, y + 4]);
      at.slice(1).forEach(([x, y], i) => {
        const [u, v] = at[i], n = Math.ceil(Math.hypot(x - u, y - v) / 8);
        for (let k = 1; k < n; k++) {
          const a = u + k * (x - u) / n, b = v + k * (y - v) / n;
          taken.push([a - 3, b - 3, a + 3, b + 3]);
        }
      });
      const names = points.map(({part}, i) => {
        const [x, y] = at[i], wide = 8 * part.length, places = [];
        for (const far of [9, 15, 22, 32, 46, 60, 78, 96]) {
          places.push([x + far, y + 5, 0], [x - far - wide, y + 5, 0], [x - wide / 2, y - far + 2, 1], [x - wide / 2, y + far + 9, 1],
            [x + far, y - far, 1], [x - far - wide, y - far, 1], [x + far, y + far + 6, 1], [x - far - wide, y + far + 6, 1]);
        }
        const box = ([u, v]) => [u, v - 13, u + wide, v + 3];
        const hits = (a) => taken.reduce((sum, b) => sum + (a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3] ? b[4] ?? 1 : 0), 0)
          + 10 * (a[0] < 0 || a[2] > W || a[1] < 0 || a[3] > H - 44);
        const place = places.reduce((a, b) => hits(box(b)) < hits(box(a)) ? b : a);
        taken.push([...box(place), 8]); // (a name over an arrow can still be read)
        return text(place[0], place[1], part, {class: "live-right live-name"});
      });
      const kind = ({part}) => part.startsWith("feed") ? " live-think" : part.startsWith("the") || part.startsWith("its") ? " live-begin" : "";
      const zero = [34 - (W - 68) * x0 / (x1 - x0), 26 + (H - 76) * y1 / (y1 - y0)];
      return svg("svg", {viewBox: `0 0 ${W} ${H}`},
        svg("line", {x1: zero[0], x2: zero[0], y1: 10, y2: H - 42, class: "live-grid"}),
        svg("line", {x1: 10, x2: W - 10, y1: zero[1], y2: zero[1], class: "live-grid"}),
        ...at.slice(1).map((b, i) => arrow(at[i], b, kind(state.steps[i]))), svg("circle", {cx: at[0][0], cy: at[0][1], r: 4, class: "live-dot"}), ...names,
        text(W / 2, H - 24, `${state.left} ← across → ${state.right}`, {class: "live-name"}),
        text(W / 2, H - 5, `${state.down} ↓ up and down ↑ ${state.up}`, {class: "live-name"}));
    },
  });
})();
