// A whole language model in the page: no library, no kernel, no server. PageModel.load("calling-game") brings a model
// that support/exchange/web_export.py packed; a Reader runs it and keeps all that happens on the way. The sums are those of
// support/model/gpt.py, in double precision; tests/pages/test_page_model.py compares every number with PyTorch's.
(() => {
  "use strict";
  const home = new URL("../_models/", document.currentScript ? document.currentScript.src : location.href);
  const asked = {}, given = {};

  // --- from base64 to arrays ---
  function half(bits) {
    const sign = bits & 0x8000 ? -1 : 1, power = (bits >> 10) & 31, part = bits & 1023;
    if (power === 31) return part ? NaN : sign * Infinity;
    return sign * (power ? 2 ** (power - 15) * (1 + part / 1024) : 2 ** -14 * (part / 1024));
  }
  function unpack(name, base64) {
    const letters = atob(base64), bytes = new ArrayBuffer(letters.length), view = new Uint8Array(bytes);
    for (let i = 0; i < letters.length; i++) view[i] = letters.charCodeAt(i);
    const start = 8 + Number(new DataView(bytes).getBigUint64(0, true));
    const header = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 8, start - 8)));
    const {config, tokens, format} = header.__metadata__;
    delete header.__metadata__;
    if (format !== "neuron-to-assistant page model 1") throw new Error(`${name} is written in another format`);
    const weights = {};
    for (const [key, {dtype, data_offsets: [from, to]}] of Object.entries(header)) {
      weights[key] = dtype === "F64" ? new Float64Array(bytes, start + from, (to - from) / 8) : dtype === "F32" ? new Float32Array(bytes, start + from, (to - from) / 4)
        : Float32Array.from(new Uint16Array(bytes, start + from, (to - from) / 2), half);
    }
    return {name, config: JSON.parse(config), tokens: JSON.parse(tokens), weights, bytes: bytes.byteLength};
  }

  // --- the parts ---
  // out = matrix · x + bias, for one position. The matrix stands row after row; four rows are read at a time, which a
  // processor does about twice as fast as one.
  function linear(matrix, bias, x, from, out, to, rows, columns) {
    let r = 0;
    for (; r + 3 < rows; r += 4) {
      const i = r * columns, j = i + columns, k = j + columns, l = k + columns;
      let a = 0, b = 0, c = 0, d = 0;
      for (let n = 0; n < columns; n++) {
        const value = x[from + n];
        a += matrix[i + n] * value;
        b += matrix[j + n] * value;
        c += matrix[k + n] * value;
        d += matrix[l + n] * value;
      }
      out[to + r] = a;
      out[to + r + 1] = b;
      out[to + r + 2] = c;
      out[to + r + 3] = d;
    }
    for (; r < rows; r++) {
      let sum = 0;
      for (let n = 0; n < columns; n++) sum += matrix[r * columns + n] * x[from + n];
      out[to + r] = sum;
    }
    if (bias) for (r = 0; r < rows; r++) out[to + r] += bias[r];
  }
  function norm(x, from, gain, bias, eps, out) {
    const d = out.length;
    let mean = 0, spread = 0;
    for (let i = 0; i < d; i++) mean += x[from + i] / d;
    for (let i = 0; i < d; i++) spread += (x[from + i] - mean) ** 2 / d;
    const scale = 1 / Math.sqrt(spread + eps);
    for (let i = 0; i < d; i++) out[i] = (x[from + i] - mean) * scale * gain[i] + bias[i];
  }
  function softmax(scores) {
    let top = -Infinity, sum = 0;
    for (const score of scores) top = Math.max(top, score);
    const out = new Float64Array(scores.length);
    for (let i = 0; i < out.length; i++) sum += out[i] = Math.exp(scores[i] - top);
    for (let i = 0; i < out.length; i++) out[i] /= sum;
    return out;
  }
  // The error function by its series of positive terms; beyond 6 it is 1 to the last bit.
  function erf(x) {
    if (Math.abs(x) > 6) return Math.sign(x);
    let term = x, sum = x;
    for (let k = 1; Math.abs(term) > 1e-17 * Math.abs(sum); k++) sum += term *= 2 * x * x / (2 * k + 1);
    return 2 / Math.sqrt(Math.PI) * Math.exp(-x * x) * sum;
  }
  const ACTIVATIONS = {relu: (x) => x > 0 ? x : 0, gelu: (x) => x * (1 + erf(x / Math.SQRT2)) / 2};

  // --- one reading of one text ---
  // Arrays hold position after position. After read(): streams[stage], one stage after the embedding and after each
  // write; attention[layer], feedForward[layer] and heads[layer] (head after head), what each part writes;
  // patterns[layer], for each position and head its weights; units[layer], the activations; mixed[layer], the values
  // that each head mixes; asking[layer], queries, keys and values; logits. Switched off is what `off` names, as in
  // support.inside.ablate: {heads: [[layer, head], …], attention: [layer, …], feed_forward: [layer, …]}; and
  // single hidden units: units: [[layer, unit], …].
  class Reader {
    constructor(model) {
      const c = model.config, room = (width) => new Float64Array(c.context * width);
      const each = (width, count = c.n_layers) => Array.from({length: count}, () => room(width));
      this.model = model;
      this.ids = [];
      this.key = "";
      this.streams = each(c.d_model, 2 * c.n_layers + 1);
      this.attention = each(c.d_model);
      this.feedForward = each(c.d_model);
      this.heads = each(c.n_heads * c.d_model);
      this.patterns = each(c.n_heads * c.context);
      this.asking = each(3 * c.n_heads * c.d_head);
      this.mixed = each(c.n_heads * c.d_head);
      this.units = each(c.d_ff);
      this.logits = room(c.vocab_size);
      this.normed = new Float64Array(c.d_model);
    }

    read(ids, off = {}) {
      const {context, vocab_size: words} = this.model.config, key = JSON.stringify(off);
      if (!ids.length || ids.length > context || ids.some((id) => !(Number.isInteger(id) && id >= 0 && id < words))) {
        throw new RangeError(`a text has 1 to ${context} ids from 0 to ${words - 1}`);
      }
      // No position attends to a later one, so what stands before the first new word is known already.
      let from = 0;
      if (key === this.key) while (from < ids.length && this.ids[from] === ids[from]) from++;
      this.ids = [...ids];
      this.key = key;
      for (let at = from; at < ids.length; at++) this.step(at, ids[at], off);
      return this;
    }

    step(at, id, off) {
      const {config: c, weights: w} = this.model, d = c.d_model, here = at * d;
      const silent = (list, layer) => Boolean(list) && list.includes(layer);
      for (let i = 0; i < d; i++) {
        this.streams[0][here + i] = w["embedding.weight"][id * d + i] + w["position.weight"][here + i];
      }
      for (let layer = 0; layer < c.n_layers; layer++) {
        const part = (name) => w[`blocks.${layer}.${name}`];
        const [before, between, after] = this.streams.slice(2 * layer, 2 * layer + 3);
        norm(before, here, part("norm_1.weight"), part("norm_1.bias"), c.norm_eps, this.normed);
        this.attend(at, layer, part, (off.heads || []).filter(([l]) => l === layer).map(([, h]) => h));
        if (silent(off.attention, layer)) this.attention[layer].fill(0, here, here + d);
        for (let i = here; i < here + d; i++) between[i] = before[i] + this.attention[layer][i];

        norm(between, here, part("norm_2.weight"), part("norm_2.bias"), c.norm_eps, this.normed);
        linear(part("feed_forward.up.weight"), part("feed_forward.up.bias"), this.normed, 0, this.units[layer], at * c.d_ff, c.d_ff, d);
        const activation = ACTIVATIONS[c.activation], units = this.activations(layer, at), write = this.feedForward[layer];
        for (let i = 0; i < c.d_ff; i++) units[i] = activation(units[i]);
        for (const [where, unit] of off.units || []) if (where === layer) units[unit] = 0;
        linear(part("feed_forward.down.weight"), part("feed_forward.down.bias"), units, 0, write, here, d, c.d_ff);
        if (silent(off.feed_forward, layer)) write.fill(0, here, here + d);
        for (let i = here; i < here + d; i++) after[i] = between[i] + write[i];
      }
      this.unembed(this.streams[2 * c.n_layers], here, this.logits, at * c.vocab_size);
    }

    // Attention at one position: each head compares its query with the keys up to here and mixes their values.
    attend(at, layer, part, silenced) {
      const c = this.model.config, d = c.d_model, dHead = c.d_head, width = 3 * c.n_heads * dHead;
      const qkv = this.asking[layer], out = part("attention.output.weight"), bias = part("attention.output.bias");
      linear(part("attention.qkv.weight"), part("attention.qkv.bias"), this.normed, 0, qkv, at * width, width, d);
      const sum = this.attention[layer].subarray(at * d, (at + 1) * d), z = this.mixed[layer], home = at * c.n_heads * dHead;
      if (bias) sum.set(bias);
      else sum.fill(0);
      for (let h = 0; h < c.n_heads; h++) {
        const scores = new Float64Array(at + 1), query = at * width + h * dHead, first = h * dHead;
        for (let key = 0; key <= at; key++) {
          const there = key * width + (c.n_heads + h) * dHead;
          for (let i = 0; i < dHead; i++) scores[key] += qkv[query + i] * qkv[there + i];
          scores[key] /= Math.sqrt(dHead);
        }
        const weights = softmax(scores);
        this.patterns[layer].set(weights, (at * c.n_heads + h) * c.context);
        for (let i = 0; i < dHead; i++) {
          let mixed = 0;
          for (let key = 0; key <= at; key++) mixed += weights[key] * qkv[key * width + (2 * c.n_heads + h) * dHead + i];
          z[home + first + i] = silenced.includes(h) ? 0 : mixed;
        }
        const write = this.head(layer, h, at);
        for (let r = 0, w = first; r < d; r++, w += c.n_heads * dHead) {
          let value = 0;
          for (let i = 0; i < dHead; i++) value += out[w + i] * z[home + first + i];
          write[r] = value;
          sum[r] += value;
        }
      }
    }

    // From a stream to scores for every word; the lens asks this of earlier stages.
    unembed(stream, from, out, to) {
      const {config: c, weights: w} = this.model, last = new Float64Array(c.d_model);
      norm(stream, from, w["final_norm.weight"], w["final_norm.bias"], c.norm_eps, last);
      linear(w["embedding.weight"], null, last, 0, out, to, c.vocab_size, c.d_model);
      for (const id of c.masked_ids) out[to + id] = -Infinity;
    }

    // Views of one position.
    head(layer, h, at) {
      const {n_heads: heads, d_model: d} = this.model.config;
      return this.heads[layer].subarray((at * heads + h) * d, (at * heads + h + 1) * d);
    }
    pattern(layer, h, at) {
      const {n_heads: heads, context} = this.model.config;
      return this.patterns[layer].subarray((at * heads + h) * context, (at * heads + h) * context + at + 1);
    }
    stream(stage, at) {
      const d = this.model.config.d_model;
      return this.streams[stage].subarray(at * d, (at + 1) * d);
    }
    activations(layer, at) {
      const {d_ff: width} = this.model.config;
      return this.units[layer].subarray(at * width, (at + 1) * width);
    }
    // What a sublayer is fed: a stage of the stream behind a norm (of a block, or the last one).
    fed(stage, at, name) {
      const {config: c, weights: w} = this.model, out = new Float64Array(c.d_model);
      norm(this.streams[stage], at * c.d_model, w[`${name}.weight`], w[`${name}.bias`], c.norm_eps, out);
      return out;
    }
    logitsAt(at) {
      const {vocab_size: words} = this.model.config;
      return this.logits.subarray(at * words, (at + 1) * words);
    }
    lens(stage, at) {
      const out = new Float64Array(this.model.config.vocab_size);
      this.unembed(this.streams[stage], at * this.model.config.d_model, out, 0);
      return out;
    }
  }

  // The distribution that the next word is drawn from: support.generation.next_token, in the same order.
  function nextToken(logits, {temperature = 1, topK = null, topP = null} = {}) {
    const scores = Float64Array.from(logits, (z) => z / temperature);
    if (topK !== null) {
      const kth = Float64Array.from(scores).sort()[scores.length - Math.min(topK, scores.length)];
      for (let i = 0; i < scores.length; i++) if (scores[i] < kth) scores[i] = -Infinity;
    }
    if (topP !== null && topP < 1) {
      const order = [...scores.keys()].sort((a, b) => scores[a] - scores[b] || a - b), probabilities = softmax(scores);
      let sum = 0;
      for (const i of order.slice(0, -1)) if ((sum += probabilities[i]) <= 1 - topP) scores[i] = -Infinity;
    }
    return softmax(scores);
  }

  window.PageModel = {
    Reader, nextToken, softmax, erf, linear,
    // A model's script calls this.
    receive(name, base64) { given[name] = unpack(name, base64); },
    // A promise of the model; its script is fetched when somebody asks for the first time.
    load(name) {
      return asked[name] ||= new Promise((fine, failed) => {
        const script = document.createElement("script");
        // Each build under its own address: a new page never meets an old model that a browser has kept.
        const build = document.querySelector('meta[name="build"]');
        script.src = new URL(`${encodeURIComponent(name)}.js${build ? `?${build.content}` : ""}`, home).href;
        script.onload = () => {
          script.remove();
          if (name in given) setTimeout(() => fine(given[name])); // what is done with it is another task than to unpack it
          else failed(new Error(`no model ${name}`));
        };
        script.onerror = () => { delete asked[name]; failed(new Error(`the model ${name} did not come`)); };
        document.head.append(script);
      });
    },
  };
})();
