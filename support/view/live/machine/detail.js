// An opened part of the machine view: its formula, the lines of the package that compute it, and all its numbers. Whatever
// is pointed at lights up in all of them, and a number says the sum that made it.
(() => {
  "use strict";
  const {BOS, ranked, square, cased} = window.ModelText;
  // Where two spaces stand in a formula, another equation begins, on a line of its own where there is no room. Within one a
  // line may break behind a comma or a sign of equality or addition, never inside a term.
  const parted = (pieces, ends) => pieces.reduce((all, piece) => {
    all.at(-1).push(piece);
    return ends.test(piece[1]) ? [...all, []] : all;
  }, [[]]).filter((part) => part.length);
  const FORMULAS = { // pairs of a vector's name and what is written
    embedding: [["x", "x"], ["", " = "], ["E", "E[word]"], ["", " + "], ["P", "P[position]"]],
    head: [["q", "q"], ["", ", "], ["k", "k"], ["", ", "], ["v", "v"], ["", " = "], ["n", "n"], ["", " W_Q, "], ["n", "n"], ["", " W_K, "], ["n", "n"], ["", " W_V,  "],
      ["s", "s"], ["", " = "], ["q", "q"], ["", " · "], ["k", "k"], ["", " / √d_head,  "], ["w", "α"], ["", " = softmax("], ["s", "s"], ["", "),  "], ["z", "z"], ["", " = Σ "],
      ["w", "α"], ["", " "], ["v", "v"], ["", ",  "], ["o", "o"], ["", " = "], ["z", "z"], ["", " W_O"]],
    "feed-forward": [["n", "n"], ["", " = LayerNorm("], ["x", "x"], ["", "),  "], ["u", "u"], ["", " = "], ["n", "n"], ["", " W_up + b,  "], ["a", "a"], ["", " = activation("], ["u", "u"], ["", "),  "], ["o", "o"], ["", " = "],
      ["a", "a"], ["", " W_down + b,  "], ["y", "y"], ["", " = "], ["x", "x"], ["", " + "], ["o", "o"]],
    logits: [["h", "h"], ["", " = LayerNorm("], ["x", "x"], ["", "),  "], ["z", "z"], ["", " = "], ["h", "h"], ["", " Eᵀ,  "], ["p", "p"], ["", " = softmax("], ["z", "z"], ["", ")"]],
  };
  const dot = (name, n, a, b, bias) => ({terms: [...Array.from({length: n}, (_, i) => [`${name(i)}`, a(i) * b(i)]), ...(bias === undefined ? [] : [["bias", bias]])]});

  // What made number `index` of vector `key`: terms that add up to it, or words.
  function madeOf(view, key, index) {
    const {held, state} = view, {reader, model} = held, {config: c, weights: w} = model, {here, open, words} = state, d = c.d_model;
    const [kind, place = ""] = open.split(" "), [i, h] = place.split(".").map(Number), of = (name) => state.detail.find((v) => v.key === name).values;
    const part = (name) => w[`blocks.${i}.${name}`];
    const normed = (stage, name) => {
      const x = reader.stream(stage, here), mean = x.reduce((sum, v) => sum + v, 0) / d, std = Math.sqrt(x.reduce((sum, v) => sum + (v - mean) ** 2, 0) / d + c.norm_eps);
      const gain = w[`${name}.weight`][index], bias = w[`${name}.bias`][index];
      return {words: "normalised", parts: [["( ", "x", x[index]], ["− ", "mean", mean], [") ÷ ", "standard deviation", std], ["× ", "gain", gain], ["+ ", "bias", bias]], value: (x[index] - mean) / std * gain + bias};
    };
    const share = (scores, name) => {
      const top = Math.max(...scores), all = scores.reduce((sum, s) => sum + Math.exp(s - top), 0);
      const {shown} = view.tools, power = Math.exp(scores[index] - top); // the largest is taken off everywhere, which changes no share
      return {words: `e to the ${name} ${shown(scores[index], 3)} − ${shown(top, 3)} (the largest), ${shown(power, 3)}, divided by the sum of all such powers, ${shown(all, 3)}`, value: power / all};
    };
    const written = (last) => ({words: last === "embedding" ? "the word’s embedding plus that of its position" : `the embedding plus what all parts up to ${last} have added to it`});
    const output = (head) => dot((m) => `z${m}·W`, c.d_head, (m) => held.mixed(i, head, here)[m], (m) => part("attention.output.weight")[index * c.n_heads * c.d_head + head * c.d_head + m]);
    if (kind === "embedding") {
      if (key !== "x") return {words: key === "E" ? `learned: row ${held.ids.get(words[here])} of the embedding matrix` : `learned: row ${here + 1} of the position matrix`};
      return {terms: [["E", of("E")[index]], ["P", of("P")[index]]]};
    }
    if (kind === "attention") {
      if (key === "y") return {terms: state.detail.slice(0, -1).map((v) => [v.key, v.values[index]])};
      if (key[0] === "o") return output(Number(key.slice(1)));
      return key === "x" ? written(view.data.steps[2 * i]) : {words: "learned, the same at every position"};
    }
    if (kind === "feed-forward") {
      const n = of("n"), a = of("a");
      if (key === "x") return written(`attention ${i}`);
      if (key === "n") return normed(2 * i + 1, `blocks.${i}.norm_2`);
      if (key === "u") return dot((k) => `n${k}·W`, d, (k) => n[k], (k) => part("feed_forward.up.weight")[index * d + k], part("feed_forward.up.bias")[index]);
      if (key === "a") return {words: `${view.data.activation === "relu" ? "ReLU" : "GELU"} of ${view.tools.shown(of("u")[index], 3)}`};
      if (key === "y") return {terms: [["x", reader.stream(2 * i + 1, here)[index]], ["o", of("o")[index]]]};
      if (state.off.includes(`m${i}`)) return {words: "switched off"};
      return dot((k) => `a${k}·W`, c.d_ff, (k) => a[k], (k) => part("feed_forward.down.weight")[index * c.d_ff + k], part("feed_forward.down.bias")[index]);
    }
    if (kind === "logits") {
      if (key === "x") return written(`feed-forward ${c.n_layers - 1}`);
      if (key === "h") return normed(2 * c.n_layers, "final_norm");
      if (key === "z") return dot((k) => `h${k}·E`, d, (k) => of("h")[k], (k) => w["embedding.weight"][index * d + k]);
      return c.masked_ids.includes(index) ? {words: "masked: the model never predicts it", value: 0}
        : {...share(of("z").map((z, id) => c.masked_ids.includes(id) ? -Infinity : z), "logit")};
    }
    if (key === "n") return normed(2 * i, `blocks.${i}.norm_1`);
    if ("qkv".includes(key)) {
      const n = of("n"), row = ("qkv".indexOf(key) * c.n_heads + h) * c.d_head + index;
      return dot((k) => `n${k}·W`, d, (k) => n[k], (k) => part("attention.qkv.weight")[row * d + k], part("attention.qkv.bias")?.[row]);
    }
    if (key === "s") return dot((m) => `q${m}·k${m}/√${c.d_head}`, c.d_head, (m) => of("q")[m], (m) => held.key(i, h, index)[m] / Math.sqrt(c.d_head));
    if (key === "w") return share(of("s"), "score");
    if (state.off.includes(`h${i}${h}`)) return {words: "switched off"};
    if (key === "z") return dot((j) => `α·v of “${words[j]}”`, here + 1, (j) => of("w")[j], (j) => held.value(i, h, j)[index]);
    return output(h);
  }

  // The sum: its largest terms, and how much all others make together. Each number stands over its name.
  function told(view, vector, index) {
    const {make, shown} = view.tools, fine = view.data.digits + 1, {terms, words, parts} = madeOf(view, vector.key, index), value = vector.values[index];
    const result = make("b", {}, shown(value, fine)), name = `${vector.name.split(",")[0]}[${label(view, vector.key, index)}]`;
    if (words && !parts) return [`${name} = `, result, `: ${words}`];
    const summed = () => {
      const order = terms.map((_, i) => i).sort((a, b) => Math.abs(terms[b][1]) - Math.abs(terms[a][1])), most = terms.length > 6 ? 4 : terms.length;
      const some = order.slice(0, most).sort((a, b) => a - b).map((i) => terms[i]);
      const rest = order.slice(most).reduce((sum, i) => sum + terms[i][1], 0), all = terms.length > most ? [...some, [`${terms.length - most} more, together`, rest]] : some;
      return all.map(([of, v], k) => [k ? "+ " : "", of, v]);
    };
    const turned = {"+ ": "− ", "− ": "+ "}; // to add a negative number is to subtract its absolute value
    const positive = ([sign, of, v]) => v < 0 && turned[sign] ? [turned[sign], of, -v] : [sign, of, v];
    const written = (parts || summed()).map(positive).map(([sign, of, v]) => make("span", {class: "machine-part"}, sign, make("span", {}, make("small", {}, of), " ", shown(v, fine)), " "));
    return [make("span", {class: "machine-part"}, `${name} = `), ...written, make("span", {class: "machine-part"}, "= ", result)];
  }
  const kindOf = (view) => view.state.open.split(" ")[0];
  const axis = (view, key) => kindOf(view) === "head" && "sw".includes(key) ? "position" : kindOf(view) === "logits" && "zp".includes(key) ? "word" : "";
  const label = (view, key, index) => ({position: `“${view.state.words[index]}”`, word: `“${view.held.tokens[index]}”`})[axis(view, key)] ?? index;

  window.MachineDetail = (view) => {
    const {state, data, tools: {make, shown, set}} = view, kind = kindOf(view), box = make("section", {class: "machine-detail", "aria-label": `${state.open}, its numbers`});
    const keys = kind === "attention" ? state.detail.map((v) => v.key) : null;
    const formula = keys ? [["y", "y"], ["", " = "], ...keys.slice(0, -1).flatMap((key, i) => [...(i ? [["", " + "]] : []), [key, key]])] : FORMULAS[kind];
    const close = make("button", {type: "button", class: "machine-close", "data-key": "close", "aria-label": `Close ${state.open}`}, "×");
    close.addEventListener("click", () => view.open("nothing"));
    const sum = make("p", {class: "machine-sum", "aria-live": "polite"}), tip = make("p", {class: "machine-tip"}, matchMedia("(pointer: coarse)").matches ? "Tap a number to see how it is made." : "Go over a number to see how it is made, or choose a row with the tab key and step through it with the arrow keys.");
    const light = (key, index, vector) => {
      for (const e of box.querySelectorAll("[data-term]")) e.classList.toggle("live-same", Boolean(key) && e.dataset.term.split(" ").some((t) => t === key || t === key.replace(/\d+$/, "")));
      for (const e of box.querySelectorAll(".machine-cell")) e.classList.toggle("live-same", index !== undefined && e.dataset.axis === axis(view, key) + lengths[key] && Number(e.dataset.index) === index);
      for (const e of box.querySelectorAll("td.live-square")) e.classList.toggle("live-same", axis(view, key) === "position" && e.dataset.key === `w${index}`);
      if (vector) sum.replaceChildren(...told(view, vector, index));
      const whole = vector && lengths[key] === data.d;
      view.point(!key ? {} : {part: state.open, ...(whole ? {index} : {}), ...(axis(view, key) === "position" ? {key: index} : {})});
    };
    // The stream's numbers stand in rows as in its squares, or in half or double rows.
    const {columns} = view.box || {columns: 8}, rowed = `--narrow:${columns > 8 ? columns / 2 : columns};--wide:${columns > 8 ? columns : 2 * columns}`;
    const lengths = Object.fromEntries(state.detail.map((v) => [v.key, v.values.length]));
    const vectors = state.detail.map((vector) => {
      const {key, name, values} = vector, scale = Math.max(1e-9, ...values.map(Math.abs)), words = axis(view, key) === "word";
      const order = words ? ranked(state.detail.at(-1).values).slice(0, 28) : [...values.keys()];
      const cells = order.map((i) => make("span", {class: `machine-cell${values[i] < 0 ? " machine-minus" : ""}`, "data-index": i, "data-axis": axis(view, key) + values.length,
        style: `--v:${(100 * Math.abs(values[i]) / scale).toFixed(0)}%`}, ...(axis(view, key) ? [make("i", {}, view.titled(words ? view.held.tokens[i] : state.words[i]))] : []), shown(values[i], data.digits)));
      const row = make("div", {class: `machine-cells${axis(view, key) ? " machine-named" : ""}`, tabindex: "0", role: "group", "data-key": `row ${key}`, style: values.length === data.d ? rowed : "",
        "aria-label": `${name}: ${values.length} numbers; step through them with the arrow keys`}, ...cells);
      let now = -1;
      const go = (cell) => {
        if (!cell) return;
        now = cells.indexOf(cell);
        light(key, Number(cell.dataset.index), vector);
        const under = cell.getBoundingClientRect().bottom - sum.getBoundingClientRect().top; // (the line is pinned)
        if (under > 0 && view.bottom.raised) view.room.scrollTop += under;
      };
      let over = null; // (a hand that moves: a sheet that comes under one at rest tells nothing)
      row.addEventListener("mousemove", ({target}) => {
        const cell = target.closest(".machine-cell");
        if (cell !== over) go(cell);
        over = cell;
      });
      row.addEventListener("click", (event) => { // what is pressed stays marked
        const cell = event.target.closest(".machine-cell");
        if (!cell) return;
        for (const e of box.querySelectorAll(".machine-pressed")) e.classList.remove("machine-pressed");
        cell.classList.add("machine-pressed");
        go(cell);
      });
      row.addEventListener("mouseleave", () => {
        over = null;
        light();
      });
      row.addEventListener("blur", () => light());
      row.addEventListener("keydown", (event) => {
        const step = {ArrowRight: 1, ArrowLeft: -1, Home: -cells.length, End: cells.length}[event.key];
        if (!step) return;
        event.preventDefault();
        go(cells[Math.max(0, Math.min(cells.length - 1, now + step))]);
      });
      const more = order.length < values.length ? ` (the ${order.length} most probable of ${values.length} words)` : "";
      return make("div", {class: "machine-vector", "data-term": key}, make("p", {class: "machine-name", "data-term": key}, `${cased(name, data.names)}${more}`), row);
    });
    const written = (text) => text.split(/(_\w+)/).map((piece) => piece[0] === "_" ? make("sub", {}, piece.slice(1)) : piece);
    const term = ([key, text]) => make("span", key ? {class: "machine-term", "data-term": key} : {}, ...written(text));
    const lines = data.lines[kind].map(([line, where, terms]) => make("li", {"data-term": terms}, make("code", {}, line), " ", make("small", {}, where)));
    const said = make("div", {class: "machine-said"}), all = make("div", {class: "machine-all"}, tip, ...vectors, sum);
    said.append(make("p", {class: "machine-formula"}, ...parted(formula, / {2}$/).map((one) => make("span", {class: "machine-equation"},
      ...parted(one, /[,=+] +$/).flatMap((run) => [make("span", {class: "machine-run"}, ...run.map(term)), " "])))),
      make("ul", {class: "machine-code", "aria-label": "The lines of the package"}, ...lines));
    // First what it does here, in words; formula, code and all numbers are folded until they are asked for.
    const fold = make("details", {class: "machine-fold"}, make("summary", {"data-key": "fold"}, "Formula, code and all numbers"), make("div", {class: "machine-sums"}, said, all));
    fold.open = view.asks ?? view.unfolded; // (its toggle is told later than the press, and this sheet may have been made in between)
    fold.firstChild.addEventListener("click", () => { view.asks = !fold.open; });
    fold.addEventListener("toggle", () => {
      view.asks = null;
      const asked = fold.open && !view.unfolded;
      view.unfolded = fold.open;
      view.bottom.fit(asked);
    });
    const name = state.open.replace("head ", "h").replace("feed-forward ", "m").replace(".", ""), off = state.off.includes(name);
    box.append(make("div", {class: "machine-head"}, make("p", {class: "machine-title"}, `${state.open[0].toUpperCase()}${state.open.slice(1)}${off ? " (switched off)" : ""}, at “${view.titled(state.word)}”`), view.bottom.mover, close), make("p", {class: "machine-plain"}, state.plain));
    for (const e of box.querySelectorAll(".machine-term, .machine-code li")) {
      e.addEventListener("mouseenter", () => light(e.dataset.term.split(" ").at(-1)));
      e.addEventListener("mouseleave", () => light());
    }
    if (/^[hf]/.test(kind)) box.append(ablate(view, name, off));
    if (kind === "head") box.append(map(view, light));
    box.append(fold);
    return box;
  };

  // The button that switches a part off.
  function ablate({state: {open: part}, tools: {make, set}}, name, off) {
    const button = make("button", {type: "button", class: "live-act", "data-key": `ablate ${name}`, "aria-pressed": String(off)}, off ? `Switch ${part} on again` : `Ablate ${part} (switch it off)`);
    button.addEventListener("click", () => set({[name]: off}));
    return button;
  }
  // The head's attention map in numbers.
  function map(view, light) {
    const {state, tools: {make, shown}} = view, [i, h] = state.open.split(" ")[1].split(".").map(Number), name = `h${i}${h}`, off = state.off.includes(name);
    const caption = off ? `Weights of head ${i}.${h} if it were on, in percent` : `Attention weights of head ${i}.${h} in percent (0: next to nothing; empty: a later word)`, [part, word] = view.tools.stop?.about || [], rows = state.patterns[i][h], first = state.first, keys = state.words.slice(0, first + rows.length).map((_, j) => j).slice(first);
    const named = (j) => [view.titled(state.words[j]), ...(state.words.indexOf(state.words[j]) < state.words.lastIndexOf(state.words[j]) ? [make("sub", {}, j + 1)] : [])];
    const many = keys.length > 5 && keys.reduce((sum, j) => sum + Math.max(26, 8 + 7 * state.words[j].length), 0) > 210; // (their names need more room than there is in a narrow sheet: they stand upright)
    const table = make("table", {class: `live-squares machine-weights machine-head-${h % 4}${off ? " machine-off" : ""}${many ? " machine-many" : ""}`, "aria-label": caption},
      make("thead", {}, make("tr", {}, make("td", {class: "live-corner"}, "query\u00a0↓ key\u00a0→"), ...keys.map((j) => make("th", {scope: "col"}, ...named(j))))),
      make("tbody", {}, ...rows.map((row, k) => make("tr", first + k === state.here ? {class: "live-now"} : {}, make("th", {scope: "row"}, ...named(first + k)),
        ...keys.map((j) => {
          if (j > first + k) return make("td", {class: "live-square live-masked"}, "");
          const cell = square(make, row[j], {"data-key": `${first + k === state.here ? "w" : "-"}${j}`}, shown(100 * row[j], 0));
          cell.classList.toggle("machine-spoken", first + k === state.here && part === state.open && word === state.words[j]); // a tour speaks of it
          cell.addEventListener("mouseenter", () => {
            if (first + k === state.here) light("w", j, state.detail.find((v) => v.key === "w"));
            else view.point({part: state.open, query: first + k, key: j});
          });
          return cell;
        })))));
    return make("div", {class: "machine-where"}, make("p", {class: "machine-caption"}, caption), make("div", {class: "live-scroll live-wide", tabindex: "0", role: "region", "aria-label": "Attention weights"}, table));
  }
  window.MachineDetail.madeOf = madeOf;
})();
