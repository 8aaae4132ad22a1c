// What it looks up stands first in __init__.py beside this file, under the same names; a test holds the two equal.
(() => {
  "use strict";
  Live.define("rates", {
    compute({rate, clip, optimiser}, data, held, {fill}) {
      const run = data.runs[`${optimiser} ${Math.round(rate)} ${clip}`];
      const ends = Object.entries(data.runs).filter(([name, other]) => name.startsWith(optimiser) && other.held !== null);
      const found = {
        rate_shown: data.rates[Math.round(rate)], limit: clip === "none" ? "no clipping" : `clipping at ${clip}`,
        first: run.losses[0], last: run.losses.at(-1), highest: Math.max(...run.losses), held: run.held,
        stopped: run.stopped, lowest: Math.min(...ends.map(([, other]) => other.held)),
      };
      found.end = run.held === null ? "NaN" : fill("{held:.2f}", found);
      const asked = optimiser === "SGD" && Math.round(rate) === data.rates.length - 1 && run.held !== null;
      const answer = !asked ? "" : run.held < run.losses[0] - data.floor ? data.tamed : data.untamed;
      found.finding = fill(run.stopped === null ? data.ended : data.stopped, {...found, optimiser, answer});
      return found;
    },
    draw(state, data, {svg, text, shown}) {
      const last = data.steps.at(-1), x = (step) => 44 + 348 * step / last, y = (loss) => 18 + 236 * (1 - loss / data.top);
      const path = (losses) => losses.map((loss, i) =>
        `${i ? "L" : "M"}${x(data.steps[i]).toFixed(1)} ${y(loss).toFixed(1)}`).join("");
      const place = Math.round(state.rate), run = data.runs[`${state.optimiser} ${place} ${state.clip}`];
      const cross = run.stopped === null ? [] : [
        svg("path", {d: `M${x(run.stopped) - 7} ${y(data.top) - 7}l14 14m0 -14l-14 14`, class: "live-contour", "stroke-width": 4})];
      const above = run.losses.findIndex((loss) => loss > data.top);
      const leaves = above < 0 ? [] : [text(x(run.stopped ?? data.steps[above]) + 13, y(data.top) + 16,
        `↑ up to ${shown(state.highest, 0)}${run.stopped === null ? "" : ", then NaN"}`, {class: "live-right live-name"})];
      return svg("svg", {viewBox: "0 -22 404 328"},
        svg("clipPath", {id: "rates-frame"}, svg("rect", {x: 44, y: y(data.top), width: 348, height: y(0) - y(data.top)})),
        ...[0, 2, 4, 6].map((loss) => svg("g", {},
          svg("line", {x1: 44, x2: 392, y1: y(loss), y2: y(loss), class: "live-grid"}),
          text(36, y(loss) + 5, shown(loss, 0), {class: "live-left"}))),
        ...[0, 50, 99].map((step) => text(x(step), 274, shown(step, 0))),
        text(218, 298, "step", {class: "live-name"}),
        text(10, -6, "loss on the batch, nats per token", {class: "live-right live-name"}),
        svg("g", {"clip-path": "url(#rates-frame)"}, ...data.rates.map((_, i) => i === place ? "" : svg("path",
          {d: path(data.runs[`${state.optimiser} ${i} ${state.clip}`].losses), class: "live-grid", fill: "none"}))),
        svg("line", {x1: 44, x2: 392, y1: y(data.floor), y2: y(data.floor), class: "live-here"}),
        text(390, y(data.floor) + 18, "entropy of the game", {class: "live-left live-name"}),
        svg("g", {class: "live-line", "clip-path": "url(#rates-frame)"}, svg("path", {d: path(run.losses), class: "live-curve"})),
        ...cross, ...leaves);
    },
  });
})();
