// What it computes stands first in numbers.py beside this file, under the same names; a test holds the two equal.
// What is said of them is in words.js, the drawing in drawing.js, an opened part in detail.js.
(() => {
  "use strict";
  const {nextToken, softmax, BOS, EOS, split, prepare, exactly, titled, cased} = window.ModelText;
  const {NOTHING, LISTED, best, ranked, rows, inWords, finding, brief} = window.MachineWords;
  const settled = (logits) => Float64Array.from(logits, (z) => Math.round(z * 1e12) / 1e12);
  const SHOWN = 12, ALIKE = 2 / 3;
  const SURE = {temperature: 1, top_k: 1, top_p: 1}; // a draw that always takes the most probable word

  // Which parts are off, by the names of their switches: h01 is head 1 of block 0, m1 a feed-forward network.
  const offOf = (values, {n_layers: layers, n_heads: heads}) => {
    const off = [];
    for (let i = 0; i < layers; i++) {
      for (let h = 0; h < heads; h++) if (!values[`h${i}${h}`]) off.push(`h${i}${h}`);
      if (!values[`m${i}`]) off.push(`m${i}`);
    }
    return off;
  };
  const sampling = ({temperature, top_k: k, top_p: p}, data) => ({temperature, topK: k >= data.all_k ? null : k, topP: p === 1 ? null : p});
  const read = (held, prompt, off) => held.reader.read(wordsOf(held, prompt).map((word) => held.ids.get(word)), {
    heads: off.filter((s) => s[0] === "h").map((s) => [Number(s[1]), Number(s[2])]),
    feed_forward: off.filter((s) => s[0] === "m").map((s) => Number(s[1])),
  });
  const wordsOf = (held, prompt) => [...(held.ids.has(BOS) ? [BOS] : []), ...split(prompt)]; // what the model reads
  // The word that Play puts in itself on the front page (see OPENING in __init__.py), if it stands where that is due.
  const opens = ({view}, {prompt}, off, {opening: [from, word]}) => view?.opening && prompt === from && !off.length ? word : "";
  const list = (view) => { // [...view], without an iterator for each of ten thousands of numbers
    const out = new Array(view.length);
    for (let i = 0; i < view.length; i++) out[i] = view[i];
    return out;
  };
  const vector = (key, name, values) => ({key, name, values: [...values]});

  // The numbers of an opened part, as named vectors.
  function detail(part, held, words, here, logits) {
    const {reader, model} = held, {config: c, weights: w} = model, d = c.d_model, word = words[here];
    const [kind, place] = part.split(" ");
    if (kind === NOTHING) return [];
    if (kind === "embedding") {
      const id = held.ids.get(word), row = w["embedding.weight"].subarray(id * d, (id + 1) * d), whole = reader.stream(0, here);
      return [vector("E", `E, row “${word}”`, row), vector("P", `P, row ${here + 1}`, [...whole].map((x, i) => x - row[i])),
        vector("x", `x, the stream of “${word}”`, whole)];
    }
    if (kind === "logits") {
      const h = reader.fed(2 * c.n_layers, here, "final_norm"), z = new Float64Array(c.vocab_size);
      PageModel.linear(w["embedding.weight"], null, h, 0, z, 0, c.vocab_size, d);
      return [vector("x", "x, the stream at the end", reader.stream(2 * c.n_layers, here)), vector("h", "h, the normed stream", h), vector("z", "z, logits", z), vector("p", "p, probabilities", softmax(logits))];
    }
    const [i, number] = place.split(".").map(Number);
    const at = (array) => array[i].subarray(here * d, (here + 1) * d);
    if (kind === "attention") {
      const heads = Array.from({length: c.n_heads}, (_, h) => reader.head(i, h, here)), bias = w[`blocks.${i}.attention.output.bias`];
      return [vector("x", "x, the stream before", reader.stream(2 * i, here)),
        ...heads.map((out, h) => vector(`o${h}`, `o${h}, output of head ${i}.${h}`, out)),
        ...(bias ? [vector("b", "b, bias", bias)] : []),
        vector("y", "y, the stream after", reader.stream(2 * i + 1, here))];
    }
    if (kind === "feed-forward") {
      const n = reader.fed(2 * i + 1, here, `blocks.${i}.norm_2`), u = new Float64Array(c.d_ff);
      const part = (name) => w[`blocks.${i}.feed_forward.${name}`];
      PageModel.linear(part("up.weight"), part("up.bias"), n, 0, u, 0, c.d_ff, d);
      return [vector("x", "x, the stream before", reader.stream(2 * i + 1, here)), vector("n", "n, the normed stream", n), vector("u", "u, up projection", u), vector("a", "a, activations", reader.activations(i, here)),
        vector("o", "o, output", at(reader.feedForward)), vector("y", "y, the stream after", reader.stream(2 * i + 2, here))];
    }
    const q = held.query(i, number, here);
    const scores = words.slice(0, here + 1).map((_, j) => held.key(i, number, j).reduce((sum, k, m) => sum + k * q[m], 0) / Math.sqrt(c.d_head));
    return [vector("n", "n, the normed stream", reader.fed(2 * i, here, `blocks.${i}.norm_1`)), vector("q", `q, query of “${word}”`, q),
      vector("k", `k, key of “${word}”`, held.key(i, number, here)), vector("v", `v, value of “${word}”`, held.value(i, number, here)), vector("s", "s, scores", scores), vector("w", "α, attention weights", reader.pattern(i, number, here)),
      vector("z", "z, mixed values", held.mixed(i, number, here)), vector("o", "o, output of the head", reader.head(i, number, here))];
  }

  const machine = {
    prepare(model) {
      const held = prepare(model), {n_heads: heads, d_head: d} = model.config;
      const asking = (kind) => (layer, h, at) => held.reader.asking[layer].subarray(((3 * at + kind) * heads + h) * d, ((3 * at + kind) * heads + h + 1) * d);
      const mixed = (layer, h, at) => held.reader.mixed[layer].subarray((at * heads + h) * d, (at * heads + h + 1) * d);
      return Object.assign(held, {begins: wordsOf(held, "").length, query: asking(0), key: asking(1), value: asking(2), mixed});
    },
    compute(values, data, held, tools) {
      const {prompt, at, step, open} = values, {reader, model: {config: c}, tokens} = held;
      const words = wordsOf(held, prompt), here = Math.max(0, words.length - 1 - at), off = offOf(values, c);
      read(held, prompt, off);
      const first = Math.max(0, here - SHOWN + 1), last = Math.min(words.length, first + SHOWN);
      const shown = Array.from({length: last - first}, (_, k) => first + k), over = words[here] === EOS;
      const lens = Array.from({length: 2 * c.n_layers + 1}, (_, k) => reader.lens(k, here)), answers = lens.map(softmax);
      const logits = settled(lens[Math.min(step, 2 * c.n_layers)]), chosen = sampling(values, data);
      const plain = nextToken(logits), drawn = nextToken(logits, chosen), putIn = opens(held, values, off, data);
      const top = ranked(plain).filter((i) => !c.masked_ids.includes(i)).slice(0, LISTED).map((i, k) => ({rank: k + 1, word: tokens[i], logit: logits[i], plain: plain[i], p: drawn[i]}));
      const layers = [...Array(c.n_layers).keys()], heads = [...Array(c.n_heads).keys()];
      const found = {
        words, here, first, word: words[here], step_name: data.steps[step], keep: chosen.topK === null ? "all" : String(chosen.topK), off, over,
        streams: lens.map((_, k) => shown.map((p) => list(reader.stream(k, p)))),
        patterns: layers.map((i) => heads.map((h) => shown.map((p) => list(reader.pattern(i, h, p))))),
        units: layers.map((i) => shown.map((p) => list(reader.activations(i, p)))),
        top: over ? [] : top,
        chosen: step <= data.stands || over ? undefined : putIn ? {word: putIn, opens: true} : top[0], // what Step appends
        says_next: shown.map((p) => {
          const row = softmax(reader.logitsAt(p)), i = best(row);
          return {word: tokens[i], p: row[i]};
        }),
        parts: rows(held, answers, words, here, off, tools),
        detail: detail(open, held, words, here, reader.logitsAt(here)),
        others: {count: tokens.length - c.masked_ids.length - top.length, p: settled([1 - top.reduce((sum, {p}) => sum + p, 0)])[0]},
      };
      const {names} = data;
      found.plain = cased(inWords(open, held, words, here, found.parts, off, tools), names);
      for (const row of found.parts) Object.assign(row, {does: cased(row.does, names), answer: titled(row.answer, names)});
      const most = Math.max(...plain), alike = plain.filter((p) => p >= ALIKE * most).length, last_ = ranked(plain)[Math.min(alike, LISTED) - 1];
      const about = {left: drawn.filter((p) => p > 0).length, alike, least: tokens[last_], low: exactly(tools.shown, plain[last_])};
      found.finding = cased(finding(held, about, words, here, found, top[0], tools), names);
      return {...found, brief: cased(brief(held, about, found, top[0], tools), names)};
    },
    draw(state, data, tools) { return (tools.held.view ||= new window.MachineView(tools.held, data, tools)).show(state, tools); },
    actions: {
      // One step further: a text that stands is gone through from the beginning; after the choice its word is appended.
      step(values, uniform, held, {stands, ...data}) {
        const {prompt, step, at} = values, {view} = held, plays = view?.tools.speed, whole = view?.wholeWords && plays;
        if (view && !plays && step <= stands) view.opening = false; // (by hand the most probable word is chosen)
        if (whole || (step > stands && !at)) {
          const first = opens(held, values, offOf(values, held.model.config), data), then = whole ? stands : 0;
          const next = first ? {prompt: `${prompt} ${first}`, step: then, at: 0} : drawn({...values, ...SURE}, uniform, held, data, then);
          if (view) view.again = false;
          return next.prompt?.endsWith(EOS) ? {...next, step: stands} : next;
        }
        if (prompt.endsWith(EOS)) return {};
        if (view) view.again = step >= stands || Boolean(at); // (the pass over a text that stands there already)
        return {at: 0, step: at || step === stands ? 0 : step + 1 < stands ? step + 1 : stands + 1};
      },
      draw: (values, uniform, held, data) => drawn(values, uniform, held, data, data.stands),
      back({prompt, step, at}, uniform, held, {stands}) {
        if (at) return {step: stands, at: 0};
        if (step !== stands && !prompt.endsWith(EOS)) return {step: step === 0 ? stands : Math.min(step, stands) - 1};
        return wordsOf(held, prompt).length > 1 ? {prompt: split(prompt).slice(0, -1).join(" "), step: stands, at: 0} : {};
      },
    },
    placed(held) {
      held.view.placed();
      const panel = held.view.root.closest(".live-panel"), begun = () => panel.classList.add("machine-begun"); // (front.css)
      putAway(panel);
      for (const hand of ["pointerdown", "keydown"]) panel.addEventListener(hand, begun, {once: true});
      // On the front page Play stands below the drawing and its many buttons: the keyboard may pass them by.
      if (!panel.closest(".hero")) return;
      const skip = Object.assign(document.createElement("button"), {type: "button", className: "machine-skip", textContent: "Skip the drawing: to Play"});
      skip.addEventListener("click", () => [...panel.querySelectorAll(".live-play")].find((play) => play.checkVisibility())?.focus());
      panel.querySelector(":scope > .live-picture").before(skip);
    },
    written: ({stands}) => ({at: 0, step: stands}),
    // From a step of the experiment Play goes on with the whole model; from the end of a text it goes back to what somebody
    // wrote, or else to its first word.
    begin({prompt}, data, held) {
      const {stop} = held.view.tools, {off} = held.view.state;
      if (stop && off.length) {
        held.view.brought = {off, prompt};
        return Object.fromEntries(off.map((name) => [name, true]));
      }
      const words = split(prompt), n = wordsOf(held, prompt).length;
      if (!prompt.endsWith(EOS) && n < held.model.config.context) return null;
      const {fresh} = held.view.tools.typed(), own = words.slice(0, words.length - fresh);
      return {prompt: (fresh && own.length ? own : words.slice(0, 1)).filter((word) => word !== EOS).join(" "), step: data.stands, at: 0};
    },
    started: (held) => held.view.started(), // Play was pressed
    playing: (held) => window.MachineSaid.playing(held.view), // what is said beside the tour while it plays
    did: ({view}) => view && window.MachineSaid.did(view), // what it did before that
    stepped: (held) => held.view.stepped(), // Step or Back
    toured: (held) => held.view.toured(), // a step of the tour was
    lacks: (state) => window.MachineSaid.lacks(state), // which parts are off
    does: (state, {view}) => view && window.MachineSaid.stage(state, view), // how far the pass has come
    // A stage stands as long as reading takes, in a deep model half as long from its second block on, and the first whole word
    // longer than the others.
    pace: ({step}, {stands, layers, pace: {still, sign, word}}, {view}) => step === stands ? (view.first ? 2.5 : 1) * word
      : (still + sign * view.state.finding.length) / (layers > 2 && step > 2 && step < stands ? 2 : 1),
  };
  // Few buttons are seen at first: a word at random stands with the sliders that say how it is drawn.
  function putAway(panel) {
    const more = panel.querySelector(":scope > .live-more"), row = document.createElement("div"), pace = document.createElement("label");
    const speed = panel.querySelector(".live-buttons > .live-speed");
    row.className = "live-buttons machine-away";
    pace.className = "machine-pace";
    pace.append("Speed", speed);
    speed.removeAttribute("aria-label");
    row.append(panel.querySelector(".live-buttons > [data-act=draw]"), pace);
    more.querySelector("summary").textContent = "More: random words";
    more.lastElementChild.before(row);
  }
  function drawn(values, uniform, held, data, step) {
    const {prompt} = values, n = wordsOf(held, prompt).length;
    if (prompt.endsWith(EOS) || n >= held.model.config.context) return {};
    const shares = nextToken(settled(read(held, prompt, offOf(values, held.model.config)).logitsAt(n - 1)), sampling(values, data));
    let total = 0, token = 0;
    for (const [i, share] of shares.entries()) {
      if (!share) continue;
      token = i;
      if ((total += share) > uniform) break;
    }
    return {prompt: `${prompt} ${held.tokens[token]}`.trim(), step, at: 0};
  }
  for (const name of ["machine", "machine_story", "machine_by_hand", "machine_feed_forward"]) Live.define(name, machine);
})();
