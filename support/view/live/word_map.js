// A map of words: points with their names where there is room, and the neighbours of a chosen one.
(() => {
  "use strict";
  const LINES = ["", " live-absolute", " live-log"]; // a colour and a mark for each kind of word
  const marks = (svg) => [
    (x, y) => svg("circle", {cx: x, cy: y, r: 5}),
    (x, y) => svg("rect", {x: x - 4.5, y: y - 4.5, width: 9, height: 9}),
    (x, y) => svg("path", {d: `M${x} ${y - 6}l6 10h-12z`}),
  ];
  const one = (x) => x.toFixed(1);

  // From the plane to the drawing, with one scale for both axes; its height follows the points, or is given.
  const scale = (points, given) => {
    const xs = points.map((p) => p[0]), ys = points.map((p) => p[1]);
    const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const size = Math.min(356 / (right - left || 1), ((given || 404) - 48) / (high - low || 1));
    const tall = given || Math.max(200, 48 + size * (high - low));
    return {tall, to: ([x, y]) => [202 + size * (x - (left + right) / 2), tall / 2 - size * (y - (low + high) / 2)]};
  };

  // Words beside their points where there is room, the first ones first; those that find none wait for the pointer.
  // A name that matters always stands: with a line to its point further away, or over points.
  const AROUND = [26, 38, 52, 68, 88, 110].flatMap((far) => Array.from({length: 16}, (_, k) => [far, k * Math.PI / 8]));
  const place = (words, at, order, tall, chosen, first, busy) => {
    const dots = [...at, ...busy].map(([x, y]) => [x - 5, x + 5, y - 5, y + 5]), names = [], found = new Map();
    for (const i of order) {
      const wide = 9 * words[i].length + 4, [x, y] = at[i], far = i === chosen ? 14 : 9; // outside its ring
      const spots = [[x + far - 1, y - 9, "live-right", x + far, y + 5], [x - far + 1 - wide, y - 9, "live-left", x - far, y + 5],
        [x - wide / 2, y - far - 17, "", x, y - far - 2], [x - wide / 2, y + far - 1, "", x, y + far + 12]];
      const distant = () => AROUND.map(([reach, turn]) => {
        const across = Math.cos(turn), down = Math.sin(turn), cx = x + reach * across + across * wide / 2, cy = y + reach * down;
        return [cx - wide / 2, cy - 9, "", cx, cy + 5, [cx - Math.sign(across.toFixed(3)) * (wide / 2 - 2), cy - Math.sign(down.toFixed(3)) * (Math.abs(across) < 0.5 ? 8 : 0)]];
      });
      const fits = ([left, top]) => left > 1 && left + wide < 403 && top > 0 && top + 18 < tall
        && !names.some((b) => left < b[1] && left + wide > b[0] && top < b[3] && top + 18 > b[2]);
      const open = (s) => !dots.some((b) => s[0] < b[1] && s[0] + wide > b[0] && s[1] < b[3] && s[1] + 18 > b[2]);
      const free = spots.filter(fits), matters = order.indexOf(i) < first, distant_free = matters && !free.some(open) ? distant().filter(fits) : [];
      const spot = free.find(open) || distant_free.find(open) || (matters ? free[0] || distant_free[0] : undefined);
      if (!spot) continue;
      names.push([spot[0], spot[0] + wide, spot[1], spot[1] + 18]);
      found.set(i, spot);
    }
    return found;
  };

  const picture = (tools, {words, kinds, points, frame, height, chosen, near, first = near, lines, path, arrows = [], cross, ruler, notes, choose}) => {
    const {svg, text, make, arrow} = tools, {to, tall} = scale(frame || points, height), at = points.map(to), mark = marks(svg);
    const names = [...new Set(kinds)], told = make("p", {class: "live-told"}, matchMedia("(hover: none)").matches ? "Press a point to choose it." : "Go over a point to read its name; press it to choose it.");
    const matter = [...new Set(chosen === null ? [] : [chosen, ...first])], order = [...new Set([...matter, ...words.keys()])];
    const along = ([a, b]) => Array.from({length: 29}, (_, k) => to([0, 1].map((i) => a[i] + (k + 1) / 30 * (b[i] - a[i])))), busy = arrows.flatMap(along);
    const spots = place(words, at, order, tall, chosen, matter.length, busy), here = chosen === null ? null : at[chosen];
    const points_of = words.map((word, i) => {
      const [x, y] = at[i].map((v) => Number(one(v))), spot = spots.get(i);
      const node = svg("g", {class: `live-line${LINES[names.indexOf(kinds[i])]} live-spot`},
        svg("circle", {cx: x, cy: y, r: 11, class: "live-halo"}), mark[names.indexOf(kinds[i])](x, y),
        ...(spot && spot[5] ? [svg("line", {x1: x, y1: y, x2: one(spot[5][0]), y2: one(spot[5][1]), class: "live-tie"})] : []),
        ...(spot ? [text(one(spot[3]), one(spot[4]), word, {class: `live-name ${spot[2]}${i === chosen ? " live-chosen" : ""}`})] : []));
      node.addEventListener("mouseenter", () => { told.textContent = `${word} (${kinds[i]})`; });
      node.addEventListener("click", () => choose(word));
      return node;
    });
    const drawing = svg("svg", {viewBox: `0 0 404 ${one(tall + (ruler ? 26 : 0))}`, class: "live-map"},
      ...(path ? [svg("polyline", {points: path.map((p) => to(p).map(one).join(",")).join(" "), class: "live-trail"})] : []),
      ...(here && lines ? near.map((k) => svg("line", {x1: one(here[0]), y1: one(here[1]), x2: one(at[k][0]), y2: one(at[k][1]), class: "live-here"})) : []),
      ...points_of, ...arrows.map(([a, b]) => arrow(to(a), to(b))), ...(cross ? [cross].map(to).map(([x, y]) =>
        svg("path", {d: `M${one(x - 7)} ${one(y - 7)}l14 14m0 -14l-14 14`, class: "live-cross"})) : []), ...(here ? [svg("circle", {cx: one(here[0]), cy: one(here[1]), r: 10, class: "live-ring"})] : []));
    // A bar of one length in all pictures, each of which has its own scale.
    if (ruler) {
      const long = to([ruler, 0])[0] - to([0, 0])[0];
      drawing.append(svg("path", {d: `M8 ${one(tall + 7)}v10m0 -5h${one(long)}m0 -5v10`, class: "live-ruler"}), text(one(long + 14), one(tall + 17), String(ruler), {class: "live-right live-name"}));
    }
    const legend = make("ul", {class: "live-legend"}, ...names.map((name, k) => make("li", {},
      svg("svg", {viewBox: "0 0 16 16", class: "live-key", "aria-hidden": "true"}, svg("g", {class: `live-line${LINES[k]}`}, mark[k](8, 8))), name)));
    return make("div", {class: "live-drawn"}, drawing, legend, ...notes.map((note) => make("p", {class: "live-told"}, note)), told);
  };

  window.WordMap = {one, picture};
})();
