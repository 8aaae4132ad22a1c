// What is coloured in the machine view: streams, threads, maps and units, on a canvas. layout.js says where they stand.
(() => {
  "use strict";
  const clamp = (x) => Math.max(0, Math.min(1, x));
  const soft = (t) => t * t * (3 - 2 * t);
  // What a part collects is on its way first; then the square it writes to changes.
  const sent = (t) => clamp(t / 0.6), arrived = (t) => clamp((t - 0.6) / 0.4);

  // From the paper to a colour, as far as t. On dark paper a weak colour keeps its hue, and gets lighter as evenly as one sees (in OKLab):
  // mixed as on white, amber and blue would be mud there.
  const straight = (from, to, t) => from.map((x, i) => Math.round(x + (to[i] - x) * t));
  const times = (rows, values) => rows.map((row) => row.reduce((sum, w, i) => sum + w * values[i], 0));
  const lab = (rgb) => times([[0.2105, 0.7936, -0.0041], [1.978, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]],
    times([[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.63]], rgb.map((x) => (x / 255) ** 2.2)).map(Math.cbrt));
  const unlab = (values) => times([[4.0767, -3.3077, 0.231], [-1.2684, 2.6098, -0.3413], [-0.0042, -0.7034, 1.7076]],
    times([[1, 0.3963, 0.2158], [1, -0.1056, -0.0639], [1, -0.0895, -1.2915]], values).map((x) => x ** 3)).map((x) => Math.round(255 * clamp(x) ** (1 / 2.2)));
  const even = (from, to, t) => {
    const [a, b] = [lab(from), lab(to)];
    return unlab(a.map((x, i) => x + (b[i] - x) * (i ? t ** 0.45 : t)));
  };

  window.MachinePainting = class {
    colours() {
      const style = getComputedStyle(this.root), get = (name) => style.getPropertyValue(`--m-${name}`).trim() || "#888888";
      const rgb = (name) => get(name).match(/[0-9a-f]{2}/gi).map((h) => parseInt(h, 16));
      const [paper, low, high] = ["paper", "low", "high"].map(rgb), dark = paper[0] < 128, ramp = dark ? even : straight;
      const steps = Array.from({length: 49}, (_, k) => [...ramp(paper, k < 24 ? low : high, Math.abs(k - 24) / 24), 255]);
      const pixels = new Uint32Array(new Uint8Array(steps.flat()).buffer), green = rgb("ffn"); // the same as a picture keeps it, one number a pixel
      const lit = Uint32Array.from({length: 256}, (_, a) => new Uint32Array(new Uint8Array([...green, a]).buffer)[0]);
      // Small weights are drawn stronger than in proportion, the more so on dark paper, where a pale colour is nearly black.
      const lift = dark ? 0.3 : 0.36, heads = [0, 1, 2, 3].map((h) => rgb(`head-${h}`));
      const weights = heads.map((head) => Array.from({length: 101}, (_, k) => `rgb(${ramp(paper, head, 0.04 + 0.96 * (k / 100) ** lift)})`));
      return {paper, lift, steps, pixels, lit, unit: get("unit"), line: get("line"), stream: get("stream"), ink: get("ink"),
        heads: heads.map((head) => `rgb(${head})`), weights, mark: get("mark"), output: get("output"), block: get("block")};
    }
    paint() {
      const {box, state, canvas} = this;
      if (!box || !this.root.isConnected) return;
      const start = performance.now(), ink = this.ink ||= this.colours(), c = canvas.getContext("2d");
      c.setTransform(this.dense, 0, 0, this.dense, 0, 0);
      c.clearRect(0, 0, box.W, box.H);
      // What stands still is painted once for each state; a frame paints the chosen word's own way over it.
      const only = this.only();
      if (!this.base || this.dimmed !== only) {
        if (!this.base) this.print(ink);
        this.base = this.sheet("base", canvas.width, canvas.height);
        const still = this.base.getContext("2d");
        still.setTransform(this.dense, 0, 0, this.dense, 0, 0);
        still.clearRect(0, 0, box.W, box.H);
        this.background(still, ink);
        this.layer(still, ink, box.shown.filter((p) => p !== state.here), only);
        this.dimmed = only;
      }
      c.drawImage(this.base, 0, 0, box.W, box.H);
      this.layer(c, ink, box.shown.filter((p) => p === state.here), only);
      box.blocks.forEach((block, i) => this.maps(c, ink, block, i));
      if (box.fan) this.fan(c, ink);
      if (this.focus.part) this.mark(c, ink);
      performance.measure("machine:frame", {start});
    }
    only() {
      const {focus, state} = this;
      const part = focus.part || (state.open === "nothing" ? this.spoken : state.open);
      return part.startsWith("head") ? part : "";
    }
    background(c, ink) {
      const {box} = this;
      for (const {frame} of box.blocks) {
        c.fillStyle = ink.block;
        c.beginPath();
        c.roundRect(frame.x, frame.y, frame.w, frame.h, 10);
        c.fill();
      }
      this.rails(c, ink, (p) => p > this.state.here ? 0.35 : 1);
      if (box.shown[0] > 0) for (const {from} of box.blocks) this.earlier(c, ink, from);
    }
    // The words that are not shown share a bar, at which their threads begin, one below the other.
    earlier(c, ink, from) {
      const {box} = this, wide = box.flow === "across", at = box.point(-1)[wide ? "y" : "x"], half = box.hidden / 2;
      const point = (along, over) => wide ? [along, over] : [over, along];
      c.strokeStyle = c.fillStyle = ink.ink;
      c.globalAlpha = 0.6;
      c.lineWidth = 2;
      c.beginPath();
      c.moveTo(...point(from, at - half));
      c.lineTo(...point(from, at + half));
      c.stroke();
      c.font = "700 13px sans-serif";
      c.textAlign = wide ? "right" : "center";
      c.fillText("…", ...point(from - (wide ? 3 : 5), wide ? at + 3 : at));
      c.globalAlpha = 1;
    }
    layer(c, ink, words, only) {
      const {box, state} = this, far = (p) => p > state.here ? 0.35 : 1, mine = ({p}) => words.includes(p);
      // How much of a stage of the stream is there already, for a word.
      const there = (stage, p) => p === state.here ? clamp(this.reach - stage + 1) : 1;
      box.blocks.forEach((block, i) => {
        for (const p of words) this.threads(c, ink, block, i, p, sent(there(2 * i + 1, p)), only);
        for (const {p, x, y} of block.dots.filter(mine)) this.units(c, ink, block, i, p, x, y, sent(there(2 * i + 2, p)) * far(p));
      });
      for (const {stage, p, x, y} of box.squares.filter(mine)) this.square(c, ink, stage, p, x, y, stage ? arrived(there(stage, p)) : there(0, p), far(p));
    }
    spread() { return Math.min(this.box.S * 0.62, 30); } // how broad the threads of a word are together
    rails(c, ink, far) {
      const {box} = this, first = box.squares.filter((s) => s.stage === 0), last = box.squares.filter((s) => s.stage === this.state.streams.length - 1);
      c.strokeStyle = ink.stream;
      c.lineWidth = 1.6;
      first.forEach((a, k) => {
        c.globalAlpha = 0.4 * far(a.p);
        c.beginPath();
        if (box.flow === "across") { c.moveTo(a.x, a.y + box.S / 2 * box.rows / box.columns); c.lineTo(last[k].x, a.y + box.S / 2 * box.rows / box.columns); } else {
          const x = a.x + box.S / 2, half = this.spread() / 2;
          c.moveTo(x, a.y - 30);
          c.lineTo(x, last[k].y);
          for (const {from} of box.blocks) { c.moveTo(x - half, from); c.lineTo(x + half, from); } // where the threads leave it
        }
        c.stroke();
      });
      c.globalAlpha = 1;
    }
    // A canvas for what is not seen itself, kept for the next state.
    sheet(name, width, height) {
      const kept = (this.kept ||= {})[name] ||= document.createElement("canvas");
      if (kept.width !== width || kept.height !== height) Object.assign(kept, {width, height});
      return kept;
    }
    // All numbers as pixels, one each: a square is then a single picture, made larger.
    print(ink) {
      const {state, box} = this, {units} = box.blocks[0], count = state.streams[0].length;
      const sheet = (name, width, height, stages, colour) => {
        const canvas = this.sheet(name, width * count, height * stages.length), c = canvas.getContext("2d");
        const picture = c.createImageData(canvas.width, canvas.height), pixels = new Uint32Array(picture.data.buffer);
        stages.forEach((rows, s) => rows.forEach((values, k) => {
          const top = colour.top(values, s);
          for (let i = 0, n = values.length; i < n; i++) pixels[(s * height + Math.floor(i / width)) * canvas.width + k * width + i % width] = colour.of(values[i], top);
        }));
        c.putImageData(picture, 0, 0);
        return canvas;
      };
      const most = (values) => {
        let top = 1e-9;
        for (const value of values) top = Math.max(top, Math.abs(value));
        return top;
      };
      this.sheets = {
        stream: sheet("stream", box.columns, box.rows, state.streams, {top: (_, s) => this.scales[s], of: (x, scale) => ink.pixels[this.shade(x / scale)]}),
        unit: sheet("unit", units.columns, units.rows, state.units, {top: most, of: (x, top) => Math.abs(x) < 0.02 * top ? 0 : ink.lit[Math.round(255 * (0.15 + 0.85 * Math.abs(x) / top))]}),
      };
    }
    shade(v) { return Math.round(24 * Math.max(-1, Math.min(1, v))) + 24; }
    // From the last stream to the words, thick for the probable ones.
    fan(c, ink) {
      const {box, state} = this, {fan} = box, last = box.squares.find((s) => s.stage === state.streams.length - 1 && s.p === state.here), t = soft(clamp(this.reach - state.streams.length + 1));
      c.strokeStyle = ink.output;
      if (t) state.top.forEach(({plain}, k) => {
        c.globalAlpha = 0.3 + 0.5 * plain;
        c.lineWidth = 0.5 + 10 * plain;
        this.curve(c, true, fan.x, last.y + box.rows * box.cell / 2 + (k - 4) * 3, (fan.x + fan.to) / 2, fan.to, fan.y + fan.step * (k + 0.5), t);
      });
      c.globalAlpha = 1;
    }
    square(c, ink, stage, p, x, y, t, alpha) {
      const {box, state} = this, values = state.streams[stage][p - state.first], scale = this.scales[stage];
      const before = stage && t < 1 ? state.streams[stage - 1][p - state.first] : null;
      c.globalAlpha = alpha;
      c.fillStyle = `rgb(${ink.paper})`;
      c.fillRect(x, y, box.S, box.rows * box.cell);
      if (t === 1) {
        c.imageSmoothingEnabled = false;
        c.drawImage(this.sheets.stream, (p - state.first) * box.columns, stage * box.rows, box.columns, box.rows, x, y, box.S, box.rows * box.cell);
      } else if (t > 0) {
        const s = soft(t);
        c.globalAlpha = alpha * (before ? 1 : s);
        values.forEach((value, i) => {
          const v = before ? before[i] / this.scales[stage - 1] * (1 - s) + value / scale * s : value / scale;
          c.fillStyle = `rgb(${ink.steps[this.shade(v)]})`;
          c.fillRect(x + (i % box.columns) * box.cell, y + Math.floor(i / box.columns) * box.cell, box.cell + 0.4, box.cell + 0.4);
        });
      }
      c.globalAlpha = alpha;
      if (stage) { // ⊕: what a part writes is added
        const wide = box.flow === "across", [u, v] = wide ? [x - 7, y + box.rows * box.cell / 2] : [x + box.S / 2, y - 7];
        c.fillStyle = `rgb(${ink.paper})`;
        c.strokeStyle = ink.stream;
        c.lineWidth = 1.2;
        c.beginPath();
        c.arc(u, v, 4.5, 0, 7);
        c.fill();
        c.moveTo(u - 3, v);
        c.lineTo(u + 3, v);
        c.moveTo(u, v - 3);
        c.lineTo(u, v + 3);
        c.stroke();
      }
      c.strokeStyle = p === state.here && t > 0 ? ink.stream : ink.line;
      c.lineWidth = p === state.here && t > 0 ? 1.8 : 1;
      c.setLineDash(t > 0 ? [] : [3, 3]);
      c.strokeRect(x - 1, y - 1, box.S + 2, box.rows * box.cell + 2);
      c.setLineDash([]);
      c.globalAlpha = 1;
    }
    // What a word collects, head by head.
    threads(c, ink, block, i, p, reached, only) {
      const {box, state} = this, H = state.patterns[i].length, wide = box.flow === "across";
      const own = p === state.here, t = soft(reached), x0 = block.from, x1 = block.to, mid = (x0 + x1) / 2;
      const hidden = [...Array(p + 1).keys()].filter((q) => !box.shown.includes(q)), each = box.hidden / Math.max(1, hidden.length);
      const point = (q, h) => {
        const k = hidden.indexOf(q), [apart, place] = k < 0 ? [this.spread(), 0] : [each, (k + 0.5) * each - box.hidden / 2];
        return box.point(q)[wide ? "y" : "x"] + place + (h - (H - 1) / 2) / H * apart;
      };
      for (let h = 0; h < H && t; h++) {
        if (state.off.includes(`h${i}${h}`)) continue;
        const row = state.patterns[i][h][p - state.first];
        const dim = only && only !== `head ${i}.${h}` ? 0.08 : 1;
        c.strokeStyle = c.fillStyle = ink.heads[h % 4];
        for (const [j, share] of row.entries()) {
          if (share < 0.015) continue;
          const a = point(j, h), b = point(p, h);
          c.globalAlpha = dim * (own ? 0.35 + 0.55 * share : p > state.here ? 0.05 : 0.13);
          c.lineWidth = 0.6 + 6.5 * share;
          this.curve(c, wide, x0, a, mid, x1, b, t);
          if (!own || t === 1) continue;
          const [u, v] = this.along(x0, a, mid, x1, b, t);
          c.globalAlpha = dim;
          c.beginPath();
          c.arc(wide ? u : v, wide ? v : u, 1.5 + 4 * Math.sqrt(share), 0, 7);
          c.fill();
        }
      }
      c.globalAlpha = 1;
    }
    along(x0, a, mid, x1, b, t) {
      const s = 1 - t, k = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t];
      return [k[0] * x0 + k[1] * mid + k[2] * mid + k[3] * x1, k[0] * a + k[1] * a + k[2] * b + k[3] * b];
    }
    // The first part of a Bézier curve, as far as t.
    curve(c, wide, x0, a, mid, x1, b, t) {
      const mix = (p, q) => [p[0] + (q[0] - p[0]) * t, p[1] + (q[1] - p[1]) * t], P = [[x0, a], [mid, a], [mid, b], [x1, b]];
      const one = [mix(P[0], P[1]), mix(P[1], P[2]), mix(P[2], P[3])], two = [mix(one[0], one[1]), mix(one[1], one[2])], end = mix(two[0], two[1]);
      const flat = (p) => wide ? p : [p[1], p[0]];
      c.beginPath();
      c.moveTo(...flat(P[0]));
      c.bezierCurveTo(...flat(one[0]), ...flat(two[0]), ...flat(end));
      c.stroke();
    }
    maps(c, ink, block, i) {
      const {box, state} = this, n = box.shown.length;
      for (const {h, x, y, s} of block.maps) {
        const size = s / n, off = state.off.includes(`h${i}${h}`);
        c.globalAlpha = off ? 0.25 : 1;
        c.fillStyle = `rgb(${ink.paper})`;
        c.fillRect(x, y, s, s);
        box.shown.forEach((p, a) => box.shown.forEach((j, b) => {
          if (j > p || (p === state.here && this.reach < 2 * i + 0.5)) return;
          c.fillStyle = ink.weights[h % 4][Math.round(100 * state.patterns[i][h][p - state.first][j])];
          c.fillRect(x + b * size, y + a * size, size - 0.7, size - 0.7);
        }));
        c.globalAlpha = 1;
      }
    }
    // The units of a feed-forward network as dots, lit as far as they are active.
    units(c, ink, block, i, p, x, y, t) {
      const {state} = this, {columns, rows, cell} = block.units, off = state.off.includes(`m${i}`);
      c.globalAlpha = off ? 0.3 : 0.75;
      c.fillStyle = ink.unit;
      c.fillRect(x - 1, y - 1, columns * cell + 1, rows * cell + 1);
      if (off || !t) return;
      c.globalAlpha = t;
      c.imageSmoothingEnabled = false;
      c.drawImage(this.sheets.unit, (p - state.first) * columns, i * rows, columns, rows, x, y, columns * cell, rows * cell);
      c.globalAlpha = 1;
    }
    // A frame around what is pointed at, here or among the numbers below.
    mark(c, ink) {
      const {box, state, focus: {part, p, index, query, key}} = this, [kind, place = ""] = part.split(" "), [i, h] = place.split(".").map(Number);
      c.strokeStyle = ink.mark;
      c.lineWidth = 2.4;
      const around = (x, y, w, v = w) => c.strokeRect(x - 2.5, y - 2.5, w + 5, v + 5);
      const stages = {embedding: [0], attention: [2 * i, 2 * i + 1], "feed-forward": [2 * i + 1, 2 * i + 2], logits: [state.streams.length - 1]}[kind] || [];
      for (const s of box.squares) {
        if (!stages.includes(s.stage) || s.p !== (p ?? state.here)) continue;
        if (index === undefined) around(s.x, s.y, box.S, box.rows * box.cell);
        else around(s.x + (index % box.columns) * box.cell, s.y + Math.floor(index / box.columns) * box.cell, box.cell);
      }
      if (kind === "feed-forward" && index === undefined) {
        const {columns, rows, cell} = box.blocks[i].units;
        for (const d of box.blocks[i].dots) if (d.p === (p ?? state.here)) around(d.x, d.y, columns * cell, rows * cell);
      }
      if (kind === "head") {
        const map = box.blocks[i].maps[h], size = map.s / box.shown.length, a = box.shown.indexOf(query ?? state.here), b = box.shown.indexOf(key);
        if (key !== undefined && a >= 0 && b >= 0) around(map.x + b * size, map.y + a * size, size);
        else around(map.x, map.y, map.s);
      }
    }
  };
})();
