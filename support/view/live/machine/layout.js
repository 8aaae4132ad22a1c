// Where everything of the machine view stands. On a wide screen the words are rows and the pass goes from left to right;
// on a narrow one the words are columns and the pass goes from top to bottom. All in pixels of the page.
(() => {
  "use strict";
  const clamp = (x, low, high) => Math.max(low, Math.min(high, x));

  // A grid of so many cells, about as wide and as high as said, and not higher than a limit.
  const grid = (count, width, height, limit = Infinity) => {
    let columns = clamp(Math.round(width / Math.sqrt(width * height / count)), 1, count);
    while (columns < count && Math.ceil(count / columns) * width / columns > limit) columns++;
    return {columns, rows: Math.ceil(count / columns), cell: width / columns};
  };
  // Where a finger presses, a switch is higher, unless the window is as low as that of a phone that lies.
  const low = () => innerHeight <= 480, high = () => matchMedia("(pointer: coarse)").matches && !low() ? 44 : 24;
  const square = (d) => {
    let columns = Math.ceil(Math.sqrt(d));
    while (d % columns) columns++;
    return {columns, rows: d / columns};
  };

  // Which words are shown: as many as fit, the chosen one among them. A word that a tour speaks of stays: then what lies
  // between it and the last words is a gap, which takes the place of one.
  const window_ = (state, most, keeps) => {
    const known = state.streams[0].length, last = Math.min(state.first + known - 1, Math.max(state.here, state.first + most - 1, state.words.length - 1));
    const to = state.here > last - most ? last : state.here + most - 1, from = Math.max(state.first, to - most + 1);
    const shown = Array.from({length: to - from + 1}, (_, k) => from + k), kept = state.words.slice(0, from).findLastIndex((word) => keeps.includes(word));
    if (kept < state.first || shown.length < 3 || state.here < shown[2]) return {shown, gap: 0, slot: (k) => k};
    return {shown: [kept, ...shown.slice(2)], gap: shown[2] - 1, slot: (k) => k ? k + 1 : k};
  };

  function across(W, state, data) { // words are rows
    const {layers: L, heads: H} = data, cell = square(data.d), deep = L > 2, words = W > 820 && !deep ? 92 : deep ? 78 : 68, bars = clamp(W * (deep ? 0.175 : 0.195), 142, 205), fan = deep ? 30 : 34;
    // Of the width of a block the squares get what its units and the maps of its heads, if they stand in one line, leave.
    const per = (W - words - bars - fan - 40) / L, g = clamp(per * 0.02, 2, 12), F = clamp(per * 0.23, 34, 120), free = per - F - 2 * g, least = clamp(per * 0.11, 24, 42);
    const few = free - 2 * least < 118, line = few ? 2 : H, S = few || low() ? least : clamp((free - 32.5 * H - 6) / 2, least, 46), A = free - 2 * S - 2 * g;
    const m = clamp((A + 2 * g - 6 * line - 6) / line, 24, low() ? 28 : 40), tap = high(), head = 41 + Math.ceil(H / line) * (m + tap + 2);
    const tall = S * cell.rows / cell.columns, most = low() ? 4 : 5, row = Math.max(tall + (tall > 30 ? 8 : 12), 34), room = row * most + 30;
    // A short text has more air between its words; the height of the whole stays the same.
    const {shown, gap, slot} = window_(state, most, data.keeps), places = {}, used = slot(shown.length - 1) + 1;
    const R = Math.min(row * 1.5, (room - 34) / used), y = (k) => head + 4 + R * (k + 0.5);
    shown.forEach((p, k) => { places[p] = {y: y(slot(k))}; });
    const box = {flow: "across", strip: 0, hidden: gap ? R * 0.8 : 14, W, high: tap, H: head + room + 4, shown, gap, most, S, cell: S / cell.columns, columns: cell.columns, rows: cell.rows, squares: [], blocks: []};
    box.words = shown.map((p) => ({p, x: 0, y: places[p].y - 15, w: words - 8, h: 30}));
    box.next = {x: 0, y: Math.min(y(used) - 15, head + room - 28), w: words - 8, h: 30};
    let x = words;
    const column = (stage) => {
      for (const p of shown) box.squares.push({stage, p, x, y: places[p].y - S * cell.rows / cell.columns / 2});
      x += S;
    };
    box.embedding = {x: 0, y: head - (gap || !shown[0] ? 56 : 68), w: words + S + 6, h: 46};
    box.earlier = gap ? {x: 10, y: y(1) - 9} : {x: 2, y: head - 13};
    column(0);
    for (let i = 0; i < L; i++) {
      const from = x + 1, to = x + g + A + g - 1;
      const maps = Array.from({length: H}, (_, h) => ({h, s: m, wide: m + 4,
        x: x + g + (A - line * m - 6 * (line - 1)) / 2 + (h % line) * (m + 6), y: 41 + Math.floor(h / line) * (m + tap + 2)}));
      const label = {x: x + g - (deep ? 5 : 10), y: 7, w: A + 20, h: 34}, start = x;
      x += 2 * g + A;
      column(2 * i + 1);
      const units = grid(data.d_ff, F, Math.min(tall, F), row - 2), left = x + g;
      const dots = shown.map((p) => ({p, x: left, y: places[p].y - units.rows * units.cell / 2}));
      x += 2 * g + F;
      column(2 * i + 2);
      box.blocks.push({from, to, maps, label, dots, units, ffn: {x: left - S - (deep ? 2 : 4), y: 7, w: F + 2 * S + 8, h: 34}, frame: {x: start + g / 2, y: 2, w: x - start - g / 2 + 3, h: head + room - 2},
        toggle: {x: left + F / 2 - 25, y: 41, w: 50, h: tap}, room: {x: from, y: head, w: A + 2 * g, h: R * most}});
    }
    box.switcher = {x: x + fan + 2, y: 0, w: W - x - fan - 2, h: Math.max(28, tap)};
    box.step = 28; // from one candidate to the next
    box.bars = {x: x + fan + 2, y: Math.max(box.switcher.h, Math.min(head - 46, box.H - 10 * box.step - 30)), w: W - x - fan - 2, h: 10 * box.step + 28};
    box.H = Math.max(box.H, box.bars.y + 10 * box.step + 30);
    box.fan = {x: x + 2, to: x + fan, y: box.bars.y + 29, step: box.step};
    box.point = (p) => ({x: 0, y: (places[p] || {y: gap ? y(1) : head + 2}).y});
    return box;
  }

  function down(W, state, data, switching) { // words are columns
    const {layers: L, heads: H} = data, cell = square(data.d), most = clamp(Math.floor(W / 61) - 1, 3, 7);
    // A short text has larger squares, and a long one more room for its threads; the height of the whole stays the same.
    const {shown, gap, slot} = window_(state, most, data.keeps), used = slot(shown.length - 1) + 2, C = W / clamp(used, Math.min(4, most + 1), most + 1), places = {};
    const largest = Math.max(58, 0.16 * W), side = (each) => clamp(each - 16, 40, largest), S = side(C), tall = S * cell.rows / cell.columns;
    const spare = (2 * L + 1) * (side(W / 4) * cell.rows / cell.columns - tall) / L;
    shown.forEach((p, k) => { places[p] = {x: C * (slot(k) + 0.5)}; });
    const tap = high(), box = {flow: "down", strip: 36, hidden: gap ? C * 0.7 : 14, W, high: tap, shown, gap, most, S, cell: S / cell.columns, columns: cell.columns, rows: cell.rows, squares: [], blocks: []};
    box.words = shown.map((p) => ({p, x: places[p].x - C / 2 + 2, y: 0, w: C - 4, h: 32}));
    box.next = {x: C * (slot(shown.length - 1) + 1) + 2, y: 0, w: C - 4, h: 32};
    box.embedding = {x: 4, y: 35, h: 24}; // (a heading is as wide as its words: behind them no line is seen)
    box.earlier = gap ? {x: C + 5, y: 8} : {x: W - 78, y: 40};
    let y = 61;
    const row = (stage) => {
      for (const p of shown) box.squares.push({stage, p, x: places[p].x - S / 2, y});
      y += tall;
    };
    row(0);
    for (let i = 0; i < L; i++) {
      const m = clamp(W / H - 30, 36, 64), each = W / H, label = {x: 4, y: y + 7, h: 24};
      const maps = Array.from({length: H}, (_, h) => ({h, s: m, wide: clamp(each - 10, 44, 64), x: each * (h + 0.5) - m / 2, y: y + 34}));
      const start = y + 5;
      y += 34 + m + tap + 4;
      // (the threads take the room of the switches where there is none)
      const from = switching || state.off.some((name) => name.startsWith(`h${i}`)) ? y : y - tap + 8, to = y + 52 + spare;
      y = to;
      row(2 * i + 1);
      box.switcher ||= {x: W - 128, y: label.y + 12 - Math.max(28, tap) / 2, w: 124, h: Math.max(28, tap)};
      const ffn = {x: 4, y: y + 10, h: 28}, toggle = {x: W - 72, y: y + 24 - tap / 2, w: 64, h: tap}, units = grid(data.d_ff, C - 12, 34), top = y + 44;
      const dots = shown.map((p) => ({p, x: places[p].x - (C - 12) / 2, y: top}));
      y = top + 48;
      row(2 * i + 2);
      y += 6;
      box.blocks.push({from, to, maps, label, dots, units, ffn, toggle, frame: {x: -4, y: start, w: W + 8, h: y - start}, room: {x: 0, y: from, w: W, h: to - from}});
    }
    box.step = Math.max(34, tap); // (a finger needs more)
    box.bars = {x: 0, y: y + 14, w: W, h: (state.over ? 2 : 10) * box.step + 30}; // (behind the end of a text stands one line)
    box.H = box.bars.y + box.bars.h;
    box.point = (p) => ({x: (places[p] || {x: gap ? 1.5 * C : 8}).x, y: 0});
    return box;
  }

  // What stands at a point of the drawing: a part of the model, with the word, the dimension or the hidden unit there.
  const at = (box, x, y) => {
    const inside = (u, v, w, h) => x >= u && x < u + w && y >= v && y < v + h;
    for (const s of box.squares) {
      if (!inside(s.x, s.y, box.S, box.rows * box.cell)) continue;
      const index = Math.floor((y - s.y) / box.cell) * box.columns + Math.floor((x - s.x) / box.cell), layer = (s.stage - 1) >> 1;
      return {part: s.stage === 0 ? "embedding" : s.stage % 2 ? `attention ${layer}` : `feed-forward ${layer}`, p: s.p, index, stage: s.stage};
    }
    for (const [i, block] of box.blocks.entries()) {
      const {columns, rows, cell} = block.units;
      for (const d of block.dots) if (inside(d.x, d.y, columns * cell, rows * cell)) return {part: `feed-forward ${i}`, p: d.p, unit: Math.floor((y - d.y) / cell) * columns + Math.floor((x - d.x) / cell)};
      const {room} = block;
      if (inside(room.x, room.y, room.w, room.h)) return {part: `attention ${i}`};
    }
    return {};
  };

  window.MachineLayout = (W, state, data, switching) => (W - (data.layers > 2 ? 300 : 270)) / data.layers > 148 ? across(W, state, data) : down(W, state, data, switching);
  window.MachineLayout.at = at;
})();
