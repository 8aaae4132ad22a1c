// What it computes stands first in numbers.py beside this file, under the same names; a test holds the two equal.
// The drawing is in drawing.js, an opened part in detail.js.
(() => {
  "use strict";
  const {Reader, nextToken, softmax, BOS, EOS, split, prepare, after, surely, exactly} = window.ModelText;
  const ranked = (numbers) => window.ModelText.ranked(Array.from(numbers, (x) => Math.round(x * 1e12))); // equal but for rounding is equal
  const settled = (logits) => Float64Array.from(logits, (z) => Math.round(z * 1e12) / 1e12);
  const best = (numbers) => {
    let at = 0, top = -Infinity;
    for (let i = 0; i < numbers.length; i++) {
      const value = Math.round(numbers[i] * 1e12);
      if (value > top) [at, top] = [i, value];
    }
    return at;
  };
  const NOTHING = "nothing", SHOWN = 12, ALIKE = 0.8, LISTED = 8;
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
  const list = (view) => { // [...view], without an iterator for each of ten thousands of numbers
    const out = new Array(view.length);
    for (let i = 0; i < view.length; i++) out[i] = view[i];
    return out;
  };
  const norm = (numbers) => Math.sqrt(numbers.reduce((sum, x) => sum + x * x, 0));
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

  // A row for each part: what it does for the chosen word, how much, and what the model would say then.
  function rows(held, answers, words, here, off, {fill, shown}) {
    const {reader, model: {config: c}, tokens} = held;
    const row = (part, does, size, stage) => {
      const item = {key: part, part, does, size, answer: "", sure: ""};
      if (stage === undefined) return item;
      const first = best(answers[stage]);
      return {...item, answer: tokens[first], sure: surely(shown, answers[stage][first])};
    };
    const found = [row("embedding", `row ${held.ids.get(words[here])} of the embedding, plus position ${here + 1}`, norm(reader.stream(0, here)), 0)];
    for (let i = 0; i < c.n_layers; i++) {
      for (let h = 0; h < c.n_heads; h++) {
        const weights = reader.pattern(i, h, here), most = best(weights);
        const does = off.includes(`h${i}${h}`) ? "switched off" : fill("attends most to “{w}” ({p:.0%})", {w: words[most], p: weights[most]});
        found.push(row(`head ${i}.${h}`, does, norm(reader.head(i, h, here))));
      }
      const write = (array) => norm(array[i].subarray(here * c.d_model, (here + 1) * c.d_model));
      found.push(row(`attention ${i}`, "adds the outputs of its heads", write(reader.attention), 2 * i + 1));
      const active = reader.activations(i, here).filter((a) => a > 0).length;
      found.push(row(`feed-forward ${i}`, off.includes(`m${i}`) ? "switched off" : `${active} units are active`, write(reader.feedForward), 2 * i + 2));
    }
    return found;
  }

  // One plain sentence or two: what an opened part does here, with the words at hand.
  function inWords(part, held, words, here, parts, off, {fill}) {
    const {reader, model: {config: c}} = held, [kind, place = ""] = part.split(" "), [i, h] = place.split(".").map(Number);
    const about = {word: words[here], d: c.d_model, place: here + 1, heads: c.n_heads, units: c.d_ff};
    if (kind === NOTHING) return "";
    if (kind === "embedding") return fill("“{word}” is looked up in a table: its own row of {d} numbers, plus the row of its position, {place} (counted from 1).", about);
    if (kind === "head") {
      const from = sources(reader.pattern(i, h, here), words, here, fill), begins = here && from.includes(`“${BOS}”`);
      const said = off.includes(`h${i}${h}`) ? "This head is off; on, it lets “{word}” collect from {sources}." : "This head lets “{word}” collect information from {sources}.";
      return fill(said, {...about, sources: from}) + (begins ? ` Weights add up to 100%: what does not lie on the words of this text lies on “${BOS}”, which begins every text.` : "");
    }
    const answers = parts.filter((row) => row.answer), {answer: last, sure: certain} = answers.at(-1);
    if (kind === "logits") return fill("The numbers of “{word}” are compared with the row of every word in the vocabulary: the better they fit, the more probable is the word. The most probable is “{last}” ({certain}).", {...about, last, certain});
    const at = answers.findIndex((row) => row.key === part), changed = ` Before it the model would say “${answers[at - 1].answer}” (${answers[at - 1].sure}), after it “${answers[at].answer}” (${answers[at].sure}).`;
    if (kind === "attention") return fill("What the heads have collected is added to the numbers of “{word}”.", about) + changed;
    if (off.includes(`m${i}`)) return fill("This network is switched off: it adds nothing to “{word}”.", about);
    const active = reader.activations(i, here).filter((a) => a > 0).length;
    return fill("This network works on “{word}” alone: {active} of its {units} units are active, and what they write is added to its numbers.", {...about, active}) + changed;
  }
  // From where a head collects, the most first: at most three words, and what is left for the others.
  function sources(weights, words, here, fill) {
    const most = ranked(weights).slice(0, 3).filter((k, n) => !n || weights[k] >= 0.05);
    const said = most.map((k) => fill("{from} ({p:.0%})", {from: k === here ? "itself" : `“${words[k]}”`, p: weights[k]}));
    const rest = 1 - most.reduce((sum, k) => sum + weights[k], 0);
    const left = 1 - most.reduce((sum, k) => sum + Math.round(100 * weights[k]), 0) / 100; // what is told adds up to 100%
    if (rest >= 0.05) said.push(fill("others ({p:.0%})", {p: left}));
    return said.length === 1 ? said[0] : `${said.slice(0, -1).join(", ")} and ${said.at(-1)}`;
  }

  // What the model says with all its parts; kept as long as the text is the same.
  function intact(held, here, shown) {
    const {reader, model, tokens} = held;
    held.intact ||= new Reader(model);
    const row = softmax(held.intact.read(reader.ids).logitsAt(here)), i = best(row);
    return {other: tokens[i], sure: exactly(shown, row[i])};
  }

  function finding(held, {left, alike, least, low}, words, here, found, first, {fill, shown}) {
    const {reader, tokens, model: {config: c}} = held, [part, layer] = found.step_name.split(" "), i = Number(layer);
    const about = {word: words[here], place: here + 1, d: c.d_model, units: c.d_ff, best: first.word, p: exactly(shown, first.plain), layer,
      after: after(words.slice(held.begins, here + 1).join(" "))};
    if (part === "prediction") {
      if (found.over) return `The text has ended: nothing follows ${EOS}. Press “Play” to begin again, or “Back” to take the last word back.`;
      const drawn = left < tokens.length - c.masked_ids.length ? ` The draw is between ${left === 1 ? "one word" : `${left} words`}.` : "";
      const off = found.off.length ? fill(" With all parts it would be “{other}” with {sure}.", intact(held, here, shown)) : "";
      const said = alike > 3 ? "{after} {alike} words{listed} are about equally probable, from “{best}” with {p} to “{least}” with {low}." : "{after} the most probable next word is “{best}” with {p}.";
      return fill(said, {...about, alike, least, low, listed: alike > LISTED ? ` (${LISTED} listed)` : ""}) + drawn + off; // (a tie has no winner)
    }
    if (part === "embedding" && here >= Math.max(held.begins, 1)) return fill("“{word}” (the model gave it {given}) becomes {d} numbers: its embedding plus that of position {place}.",
      {...about, given: exactly(shown, softmax(reader.logitsAt(here - 1))[held.ids.get(words[here])])});
    if (part === "embedding") return fill("“{word}” becomes {d} numbers: its embedding plus that of position {place}.", about);
    if (part === "attention") {
      if (!here) return fill("Attention {layer}: “{word}” has no word before it to collect information from.", about);
      let head = -1, key = -1, weight = -1;
      const begins = Math.min(held.begins, here - 1); // <BOS> counts only where no other stands before it
      for (let h = 0; h < c.n_heads; h++) {
        if (found.off.includes(`h${i}${h}`)) continue;
        reader.pattern(i, h, here).slice(begins, here).forEach((p, k) => { if (p > weight) [head, key, weight] = [h, k + begins, p]; });
      }
      if (head < 0) return fill("Attention {layer}: all heads are switched off.", about);
      const said = here === held.begins ? "Attention {layer}: only “{other}” stands before “{word}”, which collects most from it through head {layer}.{head} ({weight:.0%})."
        : "Attention {layer}: “{word}” collects information from the words before it, most from “{other}” (head {layer}.{head}, {weight:.0%}).";
      return fill(said, {...about, head, weight, other: words[key]});
    }
    if (found.off.includes(`m${layer}`)) return fill("Feed-forward {layer} is switched off.", about);
    const active = reader.activations(i, here).filter((a) => a > 0).length;
    return fill("Feed-forward {layer} works on each word alone: {active} of its {units} units are active for “{word}”.", {...about, active});
  }
  // The answer where there is room for a line or two, and the text stands above.
  function brief(held, {alike, least, low}, {words, here, over, off, step_name: step, finding}, first, {shown}) {
    if (step !== "prediction") return finding;
    if (over) return "The text has ended. “Play” begins again, “Back” takes the last word back.";
    const best = `“${first.word}” with ${exactly(shown, first.plain)}`, place = here < words.length - 1 ? `After “${words[here]}”: ` : "";
    if (alike > 3) return `${place}${alike} words are about equally probable, from ${best} to “${least}” with ${low}.`;
    const {other, sure} = off.length ? intact(held, here, shown) : {};
    return `${place || "Next: "}${best}${other ? `; with all parts “${other}” with ${sure}` : ""}.`;
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
      const plain = nextToken(logits), drawn = nextToken(logits, chosen);
      const top = ranked(plain).filter((i) => !c.masked_ids.includes(i)).slice(0, LISTED).map((i, k) => ({rank: k + 1, word: tokens[i], logit: logits[i], plain: plain[i], p: drawn[i]}));
      const layers = [...Array(c.n_layers).keys()], heads = [...Array(c.n_heads).keys()];
      const found = {
        words, here, first, word: words[here], step_name: data.steps[step], keep: chosen.topK === null ? "all" : String(chosen.topK), off, over,
        streams: lens.map((_, k) => shown.map((p) => list(reader.stream(k, p)))),
        patterns: layers.map((i) => heads.map((h) => shown.map((p) => list(reader.pattern(i, h, p))))),
        units: layers.map((i) => shown.map((p) => list(reader.activations(i, p)))),
        top: over ? [] : top,
        says_next: shown.map((p) => {
          const row = softmax(reader.logitsAt(p)), i = best(row);
          return {word: tokens[i], p: row[i]};
        }),
        parts: rows(held, answers, words, here, off, tools),
        detail: detail(open, held, words, here, reader.logitsAt(here)),
        others: {count: tokens.length - c.masked_ids.length - top.length, p: 1 - top.reduce((sum, {plain}) => sum + plain, 0)},
      };
      found.plain = inWords(open, held, words, here, found.parts, off, tools);
      const most = Math.max(...plain), alike = plain.filter((p) => p >= ALIKE * most).length, last_ = ranked(plain)[alike - 1];
      const about = {left: drawn.filter((p) => p > 0).length, alike, least: tokens[last_], low: exactly(tools.shown, plain[last_])};
      found.finding = finding(held, about, words, here, found, top[0], tools);
      return {...found, brief: brief(held, about, found, top[0], tools)};
    },
    draw(state, data, tools) { return (tools.held.view ||= new window.MachineView(tools.held, data, tools)).show(state, tools); },
    actions: {
      // One step further: the pass goes on, and at its end the most probable word is appended.
      step(values, uniform, held, data) {
        const last = data.steps.length - 1, whole = held.view?.wholeWords;
        if (values.step === last && !values.at) return drawn({...values, ...SURE}, uniform, held, data, whole ? last : 0);
        return {at: 0, step: whole ? last : values.at ? 0 : values.step + 1};
      },
      draw: (values, uniform, held, data) => drawn(values, uniform, held, data, data.steps.length - 1),
      back({prompt, step, at}, uniform, held, data) {
        if (step > 0 && !prompt.endsWith(EOS)) return {step: step - 1};
        return wordsOf(held, prompt).length > 1 ? {prompt: split(prompt).slice(0, -1).join(" "), step: data.steps.length - 1, at: 0} : {};
      },
    },
    placed: (held) => held.view.placed(),
    written: ({steps}) => ({at: 0, step: steps.length - 1}),
    // From the end of a text Play goes back to what somebody wrote, or else to its first word.
    begin({prompt}, data, held) {
      const words = split(prompt), n = wordsOf(held, prompt).length;
      if (!prompt.endsWith(EOS) && n < held.model.config.context) return null;
      const {fresh} = held.view.tools.typed(), own = words.slice(0, words.length - fresh);
      return {prompt: (fresh && own.length ? own : words.slice(0, 1)).filter((word) => word !== EOS).join(" "), step: data.steps.length - 1, at: 0};
    },
    started: (held) => held.view.started(), // Play was pressed
    stepped: (held) => held.view.stepped(), // Step or Back
    toured: (held) => held.view.toured(), // a step of the tour was
    pace: (values, data) => values.step === data.steps.length - 1 ? 1600 : 1000,
  };
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
  for (const name of ["machine", "machine_story", "machine_by_hand"]) Live.define(name, machine);
})();
