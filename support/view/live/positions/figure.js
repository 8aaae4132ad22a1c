// What it computes stands first in __init__.py beside this file, under the same names; a test holds the two equal.
(() => {
  "use strict";
  const turned = ([x, y], angle) => {
    const cosine = Math.cos(angle), sine = Math.sin(angle);
    return [x * cosine - y * sine, y * cosine + x * sine];
  };
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1];
  const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
  const together = (by) => ({first, second}, uniform, held, data) =>
    [first + by, second + by].every((place) => place >= 0 && place <= data.last) ? {first: first + by, second: second + by} : {};

  const CENTRE = [202, 142]; // of the dial
  // Two names that would lie over each other: beside the dial one goes up and the other down, above and below it to the sides.
  const HIGH = 18, ends = ({x, side, words}) => {
    const wide = 8 * words.length, from = x - (side === "live-right" ? 0 : side === "live-left" ? wide : wide / 2);
    return [from, from + wide];
  };
  const apart = (names) => {
    const [[a, b], [c, d]] = names.map(ends), [first, second] = names, far = second.y - first.y;
    if (a > d || c > b || Math.abs(far) >= HIGH) return names;
    if (first.side || second.side) {
      const by = (HIGH - Math.abs(far)) / 2 * (far < 0 ? -1 : 1);
      return [{...first, y: first.y - by}, {...second, y: second.y + by}];
    }
    const middle = (first.x + second.x) / 2, turn = first.x > second.x ? -1 : 1, side = (by) => ({x: middle + 5 * by, side: by < 0 ? "live-left" : "live-right"});
    return [{...first, ...side(-turn)}, {...second, ...side(turn)}];
  };
  Live.define("positions", {
    compute({way, first, second, pair}, data, held, {fill}) {
      const still = data.speeds.map(() => [1, 0]);
      const [query, key] = way === "sinusoids" ? [still, still] : [data.query, data.key];
      const a = data.speeds.map((speed, i) => turned(query[i], first * speed));
      const b = data.speeds.map((speed, i) => turned(key[i], second * speed));
      const dots = a.map((row, i) => dot(row, b[i])), apart = second - first;
      const pairs = data.speeds.map((speed, i) => ({pair: i + 1, speed, angle: apart * speed, dot: dots[i]}));
      const curve = Array.from({length: 2 * data.last + 1}, (_, k) =>
        sum(data.speeds.map((speed, i) => dot(query[i], turned(key[i], (k - data.last) * speed)))));
      const found = {a: a[pair - 1], b: b[pair - 1], pairs, curve, apart, whole: sum(dots), degrees: Math.abs(pairs[pair - 1].angle) * 180 / Math.PI};
      const [turnedBy, same, score, more] = data.says, [further, other] = apart < 0 ? ["query", "key"] : ["key", "query"], far = Math.abs(apart);
      const distance = `${far} position${far === 1 ? "" : "s"} ${apart < 0 ? "before" : "after"}`;
      const full = Math.floor(found.degrees / 360), turns = full ? fill(more, {full: data.full[full - 1], rest: found.degrees % 360}) : "";
      return {...found, finding: fill((apart ? turnedBy : same) + score, {...found, pair, further, other, distance, turns})};
    },
    draw(state, data, {svg, text, make, shown}) {
      const one = (v) => v.toFixed(1), [cx, cy] = CENTRE, radius = 118;
      const at = ([x, y]) => [cx + radius * x, cy - radius * y];
      const names = apart([[state.a, `query, ${state.first}`], [state.b, `key, ${state.second}`]].map(([point, words]) => {
        const [x, y] = at(point), long = Math.hypot(...point) || 1, [ux, uy] = [point[0] / long, point[1] / long];
        return {x: x + 16 * ux, y: y - 16 * uy + 5, words, side: ux > 0.3 ? "live-right" : ux < -0.3 ? "live-left" : ""};
      }));
      const arrow = (point, name, look, mark, what) => {
        const [x, y] = at(point);
        return svg("g", {class: `live-line ${look}`},
          svg("line", {x1: cx, y1: cy, x2: one(x), y2: one(y), class: "live-curve"}), mark(x, y),
          text(one(name.x), one(name.y), name.words, {class: `live-name ${name.side}`}),
          Live.grip(svg, one(x), one(y), what));
      };
      const low = Math.min(0, ...state.curve), high = Math.max(...state.curve);
      const x = (distance) => 44 + 340 * (distance + data.last) / (2 * data.last), y = (value) => 452 - 130 * (value - low) / (high - low);
      return svg("svg", {viewBox: "0 0 404 512"},
        svg("circle", {cx, cy, r: radius, fill: "none", class: "live-grid"}),
        arrow(state.a, names[0], "", (px, py) => svg("circle", {cx: px, cy: py, r: 6}), "first"),
        arrow(state.b, names[1], "live-absolute", (px, py) => svg("rect", {x: px - 5.5, y: py - 5.5, width: 11, height: 11}), "second"),
        text(cx, 296, "score (the dot product of all pairs), by distance", {class: "live-name"}),
        ...[0, high].map((value) => svg("g", {}, svg("line", {x1: 44, x2: 384, y1: one(y(value)), y2: one(y(value)), class: "live-grid"}),
          text(38, one(y(value) + 5), shown(value, 1), {class: "live-left"}))),
        svg("g", {class: "live-line live-log"},
          svg("path", {d: state.curve.map((value, k) => `${k ? "L" : "M"}${one(x(k - data.last))} ${one(y(value))}`).join(""), class: "live-curve", style: "stroke-dasharray: none"})),
        svg("line", {x1: one(x(state.apart)), x2: one(x(state.apart)), y1: 312, y2: 458, class: "live-here"}),
        svg("circle", {cx: one(x(state.apart)), cy: one(y(state.whole)), r: 6, class: "live-dot"}),
        ...[-data.last, 0, data.last].map((distance) => text(one(x(distance)), 478, shown(distance, 0))),
        text(cx, 502, "position of the key − position of the query", {class: "live-name"}));
    },
    actions: {back: together(-1), on: together(1)},
    // The dial of the chosen pair goes round as often as it must: what counts is how far the hand has turned it.
    drag(grip, point, data) {
      const angle = ([x, y]) => Math.atan2(CENTRE[1] - y, x - CENTRE[0]), before = angle(grip.last || grip.from), turn = angle(point) - before;
      grip.turned = (grip.turned || 0) + Math.atan2(Math.sin(turn), Math.cos(turn));
      grip.last = point;
      const place = Math.round(grip.now[grip.what] + grip.turned / data.speeds[grip.now.pair - 1]);
      return {[grip.what]: Math.min(data.last, Math.max(0, place))};
    },
  });
})();
