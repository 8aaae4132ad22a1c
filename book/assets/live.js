// Live figures without a kernel. The page holds <live-figure> elements; each has a description in JSON (made from
// support/view/controls.py: controls, a sentence, a table) and a still picture, which stays if anything here fails.
// A figure is defined once with Live.define(name, {compute, draw}); everything shown goes in as text, never as HTML.
(() => {
  "use strict";
  const figures = {};
  const waiting = new Set();
  let count = 0;

  // --- words and numbers: the same signs as fill() in support/view/controls.py ---
  const shown = (value, digits, percent) => {
    const number = percent ? value * 100 : value;
    if (!Number.isFinite(number)) return (Number.isNaN(number) ? "–" : number > 0 ? "∞" : "−∞") + (percent ? "%" : "");
    let text = Math.abs(number).toFixed(digits);
    if (number < 0 && /[1-9]/.test(text)) text = "−" + text;
    return percent ? text + "%" : text;
  };
  const fill = (template, values) => template.replace(/\{(\w+)(?::\.(\d)([f%]))?\}/g,
    (_, name, digits, kind) => kind ? shown(values[name], Number(digits), kind === "%") : String(values[name]));

  // --- building blocks ---
  const put = (node, attributes, children) => {
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  };
  const make = (tag, attributes = {}, ...children) => put(document.createElement(tag), attributes, children);
  const svg = (tag, attributes = {}, ...children) =>
    put(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
  const text = (x, y, words, attributes = {}) => svg("text", {x, y, ...attributes}, words);

  // Each kind of control: what is put on the page, and how its value is read and set.
  const CONTROLS = {
    slider(spec, id) {
      const input = make("input", {type: "range", id, min: spec.low, max: spec.high, step: spec.step,
        value: spec.start, autocomplete: "off"});
      const beside = make("output", {for: id, "aria-live": "off"});
      return {
        parts: [make("label", {for: id}, spec.label), input, beside], input,
        get: () => Number(input.value),
        set: (value) => { input.value = value; },
        say(state) {
          beside.textContent = fill(spec.show, state);
          input.setAttribute("aria-valuetext", beside.textContent);
        },
      };
    },
    choice(spec, id) {
      const input = make("select", {id, autocomplete: "off"}, ...spec.options.map((word) => make("option", {}, word)));
      input.value = spec.start;
      return {
        parts: [make("label", {for: id}, spec.label), input], input,
        get: () => input.value,
        set: (value) => { input.value = value; },
        say() {},
      };
    },
  };

  class LiveFigure extends HTMLElement {
    connectedCallback() {
      if (this.woken) return;
      waiting.add(this);
      if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => this.wake(), {once: true});
      else this.wake();
    }
    wake() {
      const holder = this.querySelector("script.live-spec");
      if (this.woken || !holder) return;
      const spec = JSON.parse(holder.textContent);
      const figure = figures[spec.name];
      if (!figure) return; // defined by a script that comes later
      this.woken = true;
      waiting.delete(this);
      this.build(spec, figure);
    }
    build(spec, figure) {
      const id = `live-${++count}`;
      const controls = spec.controls.map((c) => ({spec: c, ...CONTROLS[c.kind](c, `${id}-${c.name}`)}));
      const says = make("p", {class: "live-says", id: `${id}-says`});
      const status = make("p", {class: "live-status", role: "status"});
      const picture = make("div", {class: "live-picture"});
      const cells = spec.rows.map((row) => row.map((_, k) => k ? make("td") : make("th", {scope: "row"})));
      const reset = make("button", {type: "button", class: "live-reset"}, "Back to the start");
      let told = 0;

      const update = (moved) => {
        const values = Object.fromEntries(controls.map((c) => [c.spec.name, c.get()]));
        const state = {...values, ...figure.compute(values, spec.data)};
        for (const control of controls) control.say(state);
        spec.rows.forEach((row, i) => row.forEach((cell, k) => { cells[i][k].textContent = fill(cell, state); }));
        says.textContent = fill(spec.says, state);
        picture.replaceChildren(put(figure.draw(state, spec.data, {svg, text, shown}),
          {role: "img", "aria-labelledby": says.id}, []));
        reset.disabled = controls.every((c) => values[c.spec.name] === c.spec.start);
        if (!moved) return;
        clearTimeout(told); // a reader who listens hears the sentence once the hand rests
        told = setTimeout(() => { status.textContent = says.textContent; }, 600);
      };

      const head = make("tr", {}, ...spec.columns.map((word) => make("th", {scope: "col"}, word)));
      const table = make("table", {class: "live-table"}, make("thead", {}, head),
        make("tbody", {}, ...cells.map((row) => make("tr", {}, ...row))));
      const rows = controls.map((c) => make("div", {class: `live-control live-${c.spec.kind}`}, ...c.parts));
      const panel = make("div", {class: "live-panel", role: "group", "aria-labelledby": `${id}-title`},
        make("p", {class: "live-title", id: `${id}-title`}, spec.title),
        make("div", {class: "live-controls"}, ...rows, reset),
        picture, says, make("div", {class: "live-scroll"}, table), status);
      for (const control of controls) control.input.addEventListener("input", () => update(true));
      reset.addEventListener("click", () => {
        for (const control of controls) control.set(control.spec.start);
        update(true);
        controls[0].input.focus(); // the button is now off, and a keyboard must stand somewhere
      });
      update(false);
      for (const still of this.querySelectorAll(":scope > .live-still")) still.hidden = true;
      this.append(panel);
    }
  }

  window.Live = {
    define(name, figure) {
      figures[name] = figure;
      if (document.readyState !== "loading") for (const element of [...waiting]) element.wake();
    },
  };
  customElements.define("live-figure", LiveFigure);

  // --- the student's exam: two inputs, three hidden neurons, one probability ---
  Live.define("student", {
    compute({hours, attendance}, data) {
      const x = [hours / 10, attendance / 100];
      const sums = data.w_hidden.map((row, i) => row[0] * x[0] + row[1] * x[1] + data.b_hidden[i]);
      const hidden = sums.map((z) => Math.max(0, z));
      const z = hidden.reduce((sum, h, i) => sum + h * data.w_out[i], 0) + data.b_out;
      const p = 1 / (1 + Math.exp(-z));
      const found = {x1: x[0], x2: x[1], z, p, verdict: p >= 0.5 ? "passes" : "fails"};
      sums.forEach((value, i) => { found[`z${i + 1}`] = value; found[`h${i + 1}`] = hidden[i]; });
      return found;
    },
    draw(state, data, {svg, text, shown}) {
      const inputs = [[52, 88, state.x1, "hours ÷ 10"], [52, 212, state.x2, "attendance"]];
      const hidden = [0, 1, 2].map((i) => [205, 42 + 108 * i, state[`h${i + 1}`], `hidden ${i + 1}`]);
      const out = [352, 150, state.p, "probability"];
      const edges = inputs.flatMap((a, i) => hidden.map((b, j) => [a, b, data.w_hidden[j][i], 0.66]))
        .concat(hidden.map((a, j) => [a, out, data.w_out[j], 0.45]));
      const node = ([x, y, value, label], last) => svg("g", {},
        svg("circle", {cx: x, cy: y, r: 27, class: value > 0 ? (last ? "live-node live-on" : "live-node") : "live-node live-off"}),
        text(x, y + 5, shown(value, 3)), text(x, y + 45, label, {class: "live-name"}));
      return svg("svg", {viewBox: "0 0 404 316"},
        ...edges.map(([a, b, w]) => svg("line", {x1: a[0], y1: a[1], x2: b[0], y2: b[1],
          class: w > 0 ? "live-plus" : "live-minus", "stroke-width": (0.8 + 9 * Math.abs(w * a[2])).toFixed(2)})),
        ...inputs.map((n) => node(n)), ...hidden.map((n) => node(n)), node(out, state.p >= 0.5),
        ...edges.flatMap(([a, b, w, at]) => {
          const x = a[0] + at * (b[0] - a[0]), y = a[1] + at * (b[1] - a[1]);
          return [svg("rect", {x: x - 21, y: y - 9, width: 42, height: 18, rx: 3, class: "live-card"}),
            text(x, y + 5, (w > 0 ? "+" : "") + shown(w, 2), {class: "live-name"})];
        }));
    },
  });

  // --- three losses of one right answer out of two, and a race down them ---
  const losses = (p) => {
    const flat = p * (1 - p); // the slope of p in the score
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
        [found[`${name}_loss`], found[`${name}_in_p`], found[`${name}_in_score`]] = now[name];
        found[`${name}_pull`] = -now[name][2];
        let lead = Math.log(p / (1 - p)), end = p;
        for (let step = 0; step < steps; step++) {
          lead -= losses(end)[name][2];
          end = 1 / (1 + Math.exp(-lead));
        }
        found[`${name}_end`] = end;
      }
      const best = data.names.reduce((a, b) => found[`${b}_end`] > found[`${a}_end`] ? b : a);
      found.first = steps ? `the ${best} loss is ahead` : "nobody has moved yet";
      return found;
    },
    draw(state, data, {svg, text, shown}) {
      const view = data.views.indexOf(state.what), [low, high] = data.shown[state.what];
      const x = (p) => 52 + 334 * p;
      const y = (value) => 20 + 190 * (high - Math.min(high, Math.max(low, value))) / (high - low);
      const curve = (name) => Array.from({length: 171}, (_, i) => 0.001 + 0.998 * i / 170)
        .map((p) => [p, losses(p)[name][view]]).filter(([, value]) => low <= value && value <= high)
        .map(([p, value], i) => `${i ? "L" : "M"}${x(p).toFixed(1)} ${y(value).toFixed(1)}`).join("");
      const mark = {squared: (a, b) => svg("circle", {cx: a, cy: b, r: 6}),
        absolute: (a, b) => svg("rect", {x: a - 5.5, y: b - 5.5, width: 11, height: 11}),
        log: (a, b) => svg("path", {d: `M${a} ${b - 7}l7 12h-14z`})};
      // Below the curves, three runners: from p to where the steps lead.
      const lane = (i) => 278 + 26 * i;
      return svg("svg", {viewBox: "0 0 404 356"},
        ...[0, 0.5, 1].map((t) => {
          const value = low + t * (high - low);
          return svg("g", {}, svg("line", {x1: 52, x2: 386, y1: y(value), y2: y(value), class: "live-grid"}),
            text(46, y(value) + 5, shown(value, high - low < 6 ? 1 : 0), {class: "live-left"}));
        }),
        ...[0, 0.5, 1].map((p) => text(x(p), 230, shown(p, 1))),
        text(219, 250, "p, the probability of the right answer", {class: "live-name"}),
        svg("line", {x1: x(state.p), x2: x(state.p), y1: 20, y2: 335, class: "live-here"}),
        ...data.names.map((name, i) => svg("g", {class: `live-line live-${name}`},
          svg("path", {d: curve(name), class: "live-curve"}),
          mark[name](x(state.p), y(losses(state.p)[name][view])),
          svg("line", {x1: x(state.p), x2: x(state[`${name}_end`]), y1: lane(i), y2: lane(i), class: "live-curve"}),
          mark[name](x(state[`${name}_end`]), lane(i)),
          text(x(state[`${name}_end`]) + (state[`${name}_end`] > 0.7 ? -12 : 12), lane(i) - 8, name,
            {class: state[`${name}_end`] > 0.7 ? "live-left" : "live-right"}))));
    },
  });

  // --- softmax of three scores at a temperature ---
  const softmax = (scores) => {
    const top = Math.max(...scores), powers = scores.map((z) => Math.exp(z - top));
    const sum = powers.reduce((a, b) => a + b, 0);
    return powers.map((power) => power / sum);
  };
  Live.define("temperature", {
    compute(values, data) {
      const scores = data.words.map((word) => values[`${word}_`]);
      const divided = scores.map((score) => score / values.temperature);
      const page = softmax(divided), plain = softmax(scores), found = {};
      data.words.forEach((word, i) => {
        found[`${word}_z`] = divided[i];
        found[`${word}_p`] = page[i];
        found[`${word}_one`] = plain[i];
      });
      const best = page.indexOf(Math.max(...page));
      const entropy = page.reduce((sum, p) => sum - (p > 0 ? p * Math.log(p) : 0), 0);
      return {...found, best: data.words[best], best_p: page[best], as_many: Math.exp(entropy)};
    },
    draw(state, data, {svg, text, shown}) {
      const width = (p) => (p * 268).toFixed(1);
      return svg("svg", {viewBox: "0 0 404 218"},
        ...data.words.map((word, i) => svg("g", {},
          text(42, 32 + 60 * i, word, {class: "live-left"}),
          svg("rect", {x: 52, y: 12 + 60 * i, width: width(state[`${word}_p`]), height: 30, rx: 3, class: "live-bar"}),
          svg("rect", {x: 52, y: 8 + 60 * i, width: width(state[`${word}_one`]), height: 38, rx: 3, class: "live-ghost"}),
          text(396, 32 + 60 * i, shown(state[`${word}_p`], 1, true), {class: "live-left"}))),
        text(52, 208, "dashed: at temperature 1", {class: "live-right live-name"}));
    },
  });
})();
