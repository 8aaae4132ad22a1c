// What it computes stands first in __init__.py beside this file, under the same names; a test holds the two equal.
(() => {
  "use strict";
  const {Reader, softmax, BOS, split, prepare, read, after, surely, bar} = window.ModelText;
  const mean = (a) => a.reduce((sum, x) => sum + x, 0) / a.length;
  const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
  // What is equal but for rounding stands in order.
  const descending = (numbers, least = 0) => {
    const kept = Array.from(numbers, (x) => Number(x.toFixed(12)));
    return [...kept.keys()].slice(least).sort((a, b) => kept[b] - kept[a] || a - b);
  };
  const matrices = ({model: {weights, config: {d_model: d, d_ff: n}}}, layer) => {
    const part = (name) => weights[`blocks.${layer}.feed_forward.${name}`], up = part("up.weight"), down = part("down.weight");
    return {key: (i) => Array.from(up.subarray(i * d, (i + 1) * d)), value: (i) => Array.from({length: d}, (_, r) => down[r * n + i]), bias: (i) => part("up.bias")[i]};
  };
  const effect = ({model: {weights, config}}, value) => {
    const d = config.d_model, middle = mean(value), gain = weights["final_norm.weight"], rows = weights["embedding.weight"];
    const away = value.map((x, i) => (x - middle) * gain[i]), votes = Array.from({length: config.vocab_size}, (_, w) => {
      let sum = 0;
      for (let i = 0; i < d; i++) sum += away[i] * rows[w * d + i];
      return sum;
    });
    const all = mean(votes.slice(1)); // the padding is never predicted
    return votes.map((vote) => vote - all);
  };
  const pass = (held, prompt, layer) => {
    const reader = read(held, prompt), at = split(prompt).length, {config} = held.model, {value} = matrices(held, layer);
    const plain = softmax(reader.logitsAt(at)), probable = descending(plain), stream = reader.stream(2 * config.n_layers, at), middle = mean(stream);
    const scale = Math.sqrt(mean(stream.map((x) => (x - middle) ** 2)) + config.norm_eps), active = reader.activations(layer, at);
    held.effects[layer] ||= Array.from({length: config.d_ff}, (_, i) => effect(held, value(i)));
    const adds = (i, word) => active[i] * held.effects[layer][i][word] / scale;
    return {reader, at, plain, probable, adds, order: descending(Array.from(active, (_, i) => adds(i, probable[0])))};
  };
  Live.define("units", {
    prepare: (model) => ({...prepare(model), without: new Reader(model), effects: []}),
    compute({prompt, layer, unit: i, on, cut}, data, held, {fill}) {
      const l = data.layers.indexOf(layer), {reader, at, plain, probable, adds, order} = pass(held, prompt, l), {tokens} = held, network = matrices(held, l);
      const off = [...new Set([...order.slice(0, cut), ...(on ? [] : [i])])].sort((a, b) => a - b);
      const now = off.length ? softmax(held.without.read(reader.ids, {units: off.map((u) => [l, u])}).logitsAt(at)) : plain;
      const winner = descending(now)[0], vote = held.effects[l][i], favoured = descending(vote, 1), first = probable.slice(0, 5), best = favoured.slice(0, 3);
      const words = [...new Set([...first, winner, ...best])].map((w) => ({word: tokens[w], vote: vote[w], adds: adds(i, w), plain: plain[w], now: now[w]}));
      const key = network.key(i), value = network.value(i), x = Array.from(reader.fed(2 * l + 1, at, `blocks.${l}.norm_2`)), bias = network.bias(i);
      const found = {words, contexts: data.units[l][i].map(([where, much]) => ({context: data.contexts[where], much})), often: data.active[l][i],
        votes: best.map((w) => tokens[w]).join(", "), vetoes: favoured.slice(-3).reverse().map((w) => tokens[w]).join(", "), x, key, value, dot: dot(x, key), bias, off: off.length};
      found.activation = Math.max(0, found.dot + bias);
      const strong = cut === 0 ? "" : cut === 1 ? "the strongest unit" : `the ${cut} strongest units`, [said, active, silent, whole, without, instead] = data.says;
      const about = {...found, ...words[0], unit: i, last: [BOS, ...split(prompt)].at(-1), after: after(prompt), instead: winner === probable[0] ? "" : fill(instead, {winner: tokens[winner], much: now[winner]}), off: [strong, on || order.indexOf(i) < cut ? "" : `unit ${i}`].filter(Boolean).join(" and ")};
      return {...found, finding: fill(said + (found.activation > 0 ? active : silent) + (off.length ? without : whole), about)};
    },
    draw(state, data, {svg, text, make, shown}) {
      const most = Math.max(...state.contexts.map(({much}) => much)), row = (word, filled, outline, much) => make("li", {class: "live-rank"},
        make("span", {class: "live-word"}, word), bar(make, filled, outline), make("span", {class: "live-much"}, much));
      const strip = (name, y) => {
        const top = Math.max(...state[name].map(Math.abs)) || 1;
        return [text(46, y + 16, name === "x" ? "input" : name, {class: "live-left live-name"}), ...state[name].map((v, k) =>
          svg("rect", {x: (52 + 5.5 * k).toFixed(1), y, width: 5, height: 20, class: v < 0 ? "unit-minus" : "unit-plus", "fill-opacity": (Math.abs(v) / top).toFixed(2)}))];
      };
      const told = (...words) => make("p", {class: "live-told"}, ...words);
      return make("div", {class: "live-drawn unit-parts"},
        told(state.off ? `Next word with ${state.off === 1 ? "one unit" : `${state.off} units`} off; dashed: with every unit on.` : "Next word with every unit on."),
        make("ul", {class: "live-ranks"}, ...state.words.map(({word, plain, now}) => row(word, now, plain, surely(shown, now)))),
        told(`Unit ${state.unit} of ${state.layer} is active at ${shown(state.often, 1, true)} of the tokens, most of all after these (number: any of 1 to 8)`),
        make("ul", {class: "live-ranks live-rules"}, ...state.contexts.map(({context, much}) => row(context, much / most, undefined, shown(much, 2)))),
        make("div", {class: "unit-strips"}, svg("svg", {viewBox: "0 0 404 80"}, ...["x", "key", "value"].flatMap((name, k) => strip(name, 4 + 27 * k))),
          told(`The 64 numbers of the normalised stream at the last word, of the key and of the value (amber: positive, blue: negative). The value favours ${state.votes} and disfavours ${state.vetoes}.`)));
    },
    actions: {
      stronger({prompt, layer, unit}, uniform, held, data) {
        const first = pass(held, prompt, data.layers.indexOf(layer)).order.slice(0, 10);
        return {unit: first[(first.indexOf(unit) + 1) % first.length]};
      },
    },
  });
})();
