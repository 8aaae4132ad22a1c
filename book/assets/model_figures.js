// Live figures that run a model in the page. What each computes stands first in support/view/model_figures.py, under
// the same names; a test holds the two equal to the last digit shown.
(() => {
  "use strict";
  const {Reader, nextToken, softmax} = window.PageModel;
  const BOS = "<BOS>", EOS = "<EOS>";

  // --- words, and the model that reads them ---
  const split = (prompt) => prompt.split(" ").filter(Boolean);
  const prepare = (model) => ({model, tokens: model.tokens, ids: new Map(model.tokens.map((word, i) => [word, i])), reader: new Reader(model)});
  const read = (held, prompt) => held.reader.read([BOS, ...split(prompt)].map((word) => held.ids.get(word)));
  const after = (prompt) => {
    const words = split(prompt);
    return words.length ? `After “${words.length > 4 ? "… " : ""}${words.slice(-4).join(" ")}”` : "At the start";
  };
  const best = (numbers) => numbers.reduce((a, value, i) => value > numbers[a] ? i : a, 0);
  const ranked = (numbers) => [...numbers.keys()].sort((a, b) => numbers[b] - numbers[a] || a - b);

  // --- drawing: bars, and squares that are the darker the more ---
  const percent = (shown, p) => p > 0 && p < 0.0005 ? "< 0.1%" : shown(p, 1, true);
  const bar = (make, p, ghost) => make("span", {class: "live-track", "aria-hidden": "true"},
    make("span", {class: "live-fill", style: `width:${(100 * p).toFixed(2)}%`}),
    ...(ghost === undefined ? [] : [make("span", {class: "live-outline", style: `width:${(100 * ghost).toFixed(2)}%`})]));
  // The ink changes where it must, on the light page and on the dark one, to stay readable.
  const square = (make, p, attributes, ...words) => make("td", {...attributes,
    class: `live-square${p > 0.735 ? " live-deep" : p > 0.45 ? " live-mid" : ""}`, style: `--share:${(100 * p).toFixed(1)}%`}, ...words);
  const scroll = (make, label, table) => make("div", {class: "live-scroll live-wide live-to-end", role: "region", "aria-label": label, tabindex: "0"}, table);

  // --- next word ---
  const wishes = ({temperature, top_k: k, top_p: p}, data) =>
    ({temperature, topK: k >= data.all_k ? null : k, topP: p === 1 ? null : p});
  const nextWord = {
    prepare,
    compute(values, data, held, {fill}) {
      const {prompt} = values, wish = wishes(values, data);
      const found = {keep: wish.topK === null ? "all" : String(wish.topK), page: [], over: prompt.endsWith(EOS)};
      if (found.over) return {...found, finding: `The text is over: nothing follows ${EOS}. Take the last word back.`};
      const logits = read(held, prompt).scores(split(prompt).length), plain = nextToken(logits), drawn = nextToken(logits, wish);
      found.page = ranked(plain).slice(0, 10).map((i, k) => ({rank: k + 1, word: held.tokens[i], plain: plain[i], p: drawn[i]}));
      const left = drawn.filter((p) => p > 0).length;
      const said = "{after} the likeliest next word is “{word}”: {plain:.2%} by the model. The draw is between {words}.";
      return {...found, finding: fill(said, {...found.page[0], after: after(prompt), words: left === 1 ? "one word" : `${left} words`})};
    },
    draw(state, data, {make, shown, set}) {
      const text = make("p", {class: "live-text"}, `${state.prompt || "(nothing yet)"} `, ...(state.over ? [] : [make("span", {class: "live-caret"}, "?")]));
      const row = ({rank, word, plain, p}) => {
        const much = p === 0 ? "cut" : percent(shown, p);
        const button = make("button", {type: "button", class: `live-rank${p === 0 ? " live-cut" : ""}`, "data-key": rank,
          "aria-label": `Append ${word}: ${p === 0 ? "cut off" : `${much} in the draw`}, ${percent(shown, plain)} by the model`},
        make("span", {class: "live-word"}, word), bar(make, p, plain), make("span", {class: "live-much"}, much));
        button.addEventListener("click", () => set({prompt: `${state.prompt} ${word}`.trim()}));
        return make("li", {}, button);
      };
      return make("div", {}, text, make("ol", {class: "live-ranks", "aria-label": "The likeliest next words; press one to append it"}, ...state.page.map(row)));
    },
    actions: {
      draw(values, chance, held, data) {
        const {prompt} = values, n = split(prompt).length;
        if (prompt.endsWith(EOS) || n >= held.model.config.context - 1) return {};
        const shares = nextToken(read(held, prompt).scores(n), wishes(values, data));
        let total = 0, token = 0;
        for (const [i, share] of shares.entries()) {
          if (!share) continue;
          token = i;
          if ((total += share) > chance) break;
        }
        return {prompt: `${prompt} ${held.tokens[token]}`.trim()};
      },
      back: ({prompt}) => ({prompt: split(prompt).slice(0, -1).join(" ")}),
    },
  };
  Live.define("next_word", nextWord);
  Live.define("next_story_word", nextWord);

  // --- attention ---
  Live.define("attention", {
    prepare,
    compute({prompt, layer, head}, data, held, {fill}) {
      const words = [BOS, ...split(prompt)], reader = read(held, prompt);
      const weights = words.map((_, i) => [...reader.pattern(layer - 1, head - 1, i)]);
      const looks = weights.map((row, i) => {
        const most = best(row);
        return {word: words[i], most: words[most], weight: row[most], itself: row[i], first: row[0], place: i + 1, most_place: most + 1};
      });
      const last = looks.at(-1), whom = last.most_place === last.place ? "itself" : `“${last.most}”`;
      const said = "In layer {layer:.0f}, head {head:.0f}, the last word “{word}” looks most at {whom}, with {weight:.1%} of its attention.";
      return {words, weights, looks, finding: fill(said, {...last, layer, head, whom})};
    },
    draw(state, data, {make, shown}) {
      const n = state.words.length, told = make("p", {class: "live-told"}, "Go over the squares, or step through them with the arrow keys.");
      const cells = state.words.map((word, i) => state.words.map((other, k) => {
        if (k > i) return make("td", {class: "live-square live-never"}, "");
        const p = state.weights[i][k], says = `“${word}” (${i + 1}) looks at “${other}” (${k + 1}) with ${shown(p, 1, true)}`;
        const cell = square(make, p, {tabindex: i === n - 1 && k === n - 1 ? "0" : "-1", "data-key": `${i}-${k}`, "aria-label": says}, shown(100 * p, 0));
        for (const event of ["mouseenter", "focus"]) cell.addEventListener(event, () => { told.textContent = says; });
        cell.addEventListener("keydown", (event) => {
          const move = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]}[event.key];
          if (!move) return;
          event.preventDefault();
          const to = cells[i + move[0]]?.[k + move[1]];
          if (!to || k + move[1] > i + move[0]) return;
          cell.tabIndex = -1;
          to.tabIndex = 0;
          to.focus();
        });
        return cell;
      }));
      const head = make("tr", {}, make("td", {class: "live-corner"}, "looks ↓ at →"), ...state.words.map((word) => make("th", {scope: "col"}, make("span", {}, word))));
      const table = make("table", {class: "live-squares live-attention", role: "grid", "aria-label": "Who looks at whom, in percent"}, make("thead", {}, head),
        make("tbody", {}, ...state.words.map((word, i) => make("tr", {}, make("th", {scope: "row"}, word), ...cells[i]))));
      return make("div", {}, make("div", {class: "live-scroll live-wide"}, table), told);
    },
  });

  // --- the logit lens ---
  Live.define("lens", {
    prepare,
    compute({prompt, stage: now}, data, held, {fill}) {
      const words = [BOS, ...split(prompt)], reader = read(held, prompt), {tokens} = held, last = words.length - 1;
      const shares = data.stages.map((_, k) => words.map((_, at) => softmax(reader.lens(k, at))));
      const final = best(shares.at(-1)[last]), answer = tokens[final];
      const grid = shares.map((row) => row.map((page) => ({word: tokens[best(page)], p: page[best(page)]})));
      const stages = data.stages.map((stage, k) => {
        const page = shares[k][last], [first, second] = ranked(page);
        return {stage, best: tokens[first], p: page[first], second: tokens[second], p2: page[second], right: page[final]};
      });
      const here = shares[now][last];
      const since = data.stages.find((_, k) => stages.slice(k).every((s) => s.best === answer));
      const said = "{after} the answer after “{stage}” would be “{best}” with {p:.1%}. The final answer “{answer}” leads from “{since}” on.";
      return {words, grid, stages, stage_name: data.stages[now], answer, top: ranked(here).slice(0, 5).map((i) => ({word: tokens[i], p: here[i]})),
        finding: fill(said, {...stages[now], after: after(prompt), answer, since})};
    },
    draw(state, data, {make, shown, set}) {
      const top = make("ol", {class: "live-ranks", "aria-label": `Likeliest after ${state.stage_name}`}, ...state.top.map(({word, p}) =>
        make("li", {class: "live-rank"}, make("span", {class: "live-word"}, word), bar(make, p), make("span", {class: "live-much"}, percent(shown, p)))));
      const rows = state.grid.map((row, k) => {
        const button = make("button", {type: "button", class: "live-stage", "data-key": k, "aria-pressed": String(k === state.stage)}, data.stages[k]);
        button.addEventListener("click", () => set({stage: k}));
        return make("tr", k === state.stage ? {class: "live-now"} : {}, make("th", {scope: "row"}, button),
          ...row.map(({word, p}) => square(make, p, {}, make("b", {}, word), " ", make("small", {}, shown(p, 0, true)))));
      });
      const head = make("tr", {}, make("td", {class: "live-corner"}, "after ↓ having read →"), ...state.words.map((word) => make("th", {scope: "col"}, word)));
      return make("div", {}, top, scroll(make, "The answer after each component, at each word",
        make("table", {class: "live-squares live-lens"}, make("thead", {}, head), make("tbody", {}, ...rows))));
    },
  });

  // --- the trajectory ---
  const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
  const length = (a) => Math.sqrt(dot(a, a));
  Live.define("trajectory", {
    prepare,
    compute({prompt, right, left, up, down, parts}, data, held, {fill}) {
      const {model, ids} = held, d = model.config.d_model, reader = read(held, prompt), words = [BOS, ...split(prompt)], at = words.length - 1;
      const row = (word) => Float64Array.from(model.weights["embedding.weight"].subarray(ids.get(word) * d, (ids.get(word) + 1) * d));
      const minus = (a, b) => a.map((value, i) => value - b[i]);
      const plane = [new Float64Array(d), new Float64Array(d)];
      [[right, left], [up, down]].forEach(([a, b], k) => {
        if (a === b) return;
        const direction = minus(row(a), row(b)), along = plane.map((axis) => dot(axis, direction));
        const rest = direction.map((value, i) => value - along[0] * plane[0][i] - along[1] * plane[1][i]);
        if (length(rest) > 1e-6 * length(direction)) plane[k] = rest.map((value) => value / length(rest));
      });
      const word = row(words[at]), writes = [["the word", word], ["its place", minus(reader.stream(0, at), word)]];
      for (let layer = 0; layer < model.config.n_layers; layer++) {
        const here = (array) => array[layer].subarray(at * d, (at + 1) * d), whole = here(reader.attention);
        if (parts === "heads") {
          const heads = Array.from({length: model.config.n_heads}, (_, h) => reader.head(layer, h, at));
          heads.forEach((write, h) => writes.push([`head ${layer + 1}.${h + 1}`, write]));
          writes.push([`bias ${layer + 1}`, whole.map((value, i) => value - heads.reduce((sum, head) => sum + head[i], 0))]);
        } else writes.push([`attention ${layer + 1}`, whole]);
        writes.push([`feed-forward ${layer + 1}`, here(reader.feedForward)]);
      }
      let x = 0, y = 0;
      const steps = writes.map(([part, write]) => {
        const [dx, dy] = plane.map((axis) => dot(axis, write));
        return {part, dx, dy, x: x += dx, y: y += dy};
      });
      if (right === left || !plane[1].some(Boolean)) {
        return {steps, finding: "These words make no plane: choose two directions, each from one word to another."};
      }
      const strongest = steps[best(steps.map((step) => step.dx))];
      const said = "The stream of the last word ends at {x:.2f} towards “{right}” and {y:.2f} towards “{up}”. "
        + "The strongest push towards “{right}” comes from {part}: {push:.2f}.";
      return {steps, finding: fill(said, {...steps.at(-1), right, up, part: strongest.part, push: strongest.dx})};
    },
    draw(state, data, {svg, text, shown}) {
      const points = [{part: "start", x: 0, y: 0}, ...state.steps], W = 404, H = 330;
      const scale = (key) => {
        const all = points.map((p) => p[key]), low = Math.min(...all), high = Math.max(...all), room = Math.max(0.5, high - low) * 0.14;
        return [low - room, high + room];
      };
      const [x0, x1] = scale("x"), [y0, y1] = scale("y");
      const at = points.map((p) => [34 + (W - 68) * (p.x - x0) / (x1 - x0), 26 + (H - 76) * (y1 - p.y) / (y1 - y0)]);
      // Each name goes to the first place around its point that is still free.
      const taken = at.map(([x, y]) => [x - 4, y - 4, x + 4, y + 4]);
      at.slice(1).forEach(([x, y], i) => {
        const [u, v] = at[i], n = Math.ceil(Math.hypot(x - u, y - v) / 8);
        for (let k = 1; k < n; k++) {
          const a = u + k * (x - u) / n, b = v + k * (y - v) / n;
          taken.push([a - 3, b - 3, a + 3, b + 3]);
        }
      });
      const names = points.map(({part}, i) => {
        const [x, y] = at[i], wide = 8 * part.length, places = [];
        for (const far of [9, 15, 22, 32, 46, 60]) {
          places.push([x + far, y + 5, 0], [x - far - wide, y + 5, 0], [x - wide / 2, y - far + 2, 1], [x - wide / 2, y + far + 9, 1],
            [x + far, y - far, 1], [x - far - wide, y - far, 1], [x + far, y + far + 6, 1], [x - far - wide, y + far + 6, 1]);
        }
        const box = ([u, v]) => [u, v - 13, u + wide, v + 3];
        const hits = (a) => taken.filter((b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]).length
          + 10 * (a[0] < 0 || a[2] > W || a[1] < 0 || a[3] > H - 44);
        const place = places.reduce((a, b) => hits(box(b)) < hits(box(a)) ? b : a);
        taken.push(box(place));
        return text(place[0], place[1], part, {class: "live-right live-name"});
      });
      const arrow = (a, b, i) => {
        const far = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1, [u, v] = [(b[0] - a[0]) / far, (b[1] - a[1]) / far];
        const tip = Math.min(9, far), [x, y] = [b[0] - tip * u, b[1] - tip * v];
        const kind = state.steps[i].part.startsWith("feed") ? "live-write live-think" : state.steps[i].part.startsWith("the") || state.steps[i].part.startsWith("its") ? "live-write live-begin" : "live-write";
        return svg("g", {class: kind}, svg("line", {x1: a[0], y1: a[1], x2: x, y2: y}),
          svg("path", {d: `M${b[0]} ${b[1]}L${x - 4.5 * v} ${y + 4.5 * u}L${x + 4.5 * v} ${y - 4.5 * u}z`}));
      };
      const zero = [34 - (W - 68) * x0 / (x1 - x0), 26 + (H - 76) * y1 / (y1 - y0)];
      return svg("svg", {viewBox: `0 0 ${W} ${H}`},
        svg("line", {x1: zero[0], x2: zero[0], y1: 10, y2: H - 42, class: "live-grid"}),
        svg("line", {x1: 10, x2: W - 10, y1: zero[1], y2: zero[1], class: "live-grid"}),
        ...at.slice(1).map((b, i) => arrow(at[i], b, i)), svg("circle", {cx: at[0][0], cy: at[0][1], r: 4, class: "live-dot"}), ...names,
        text(W / 2, H - 24, `${state.left} ← across → ${state.right}`, {class: "live-name"}),
        text(W / 2, H - 5, `${state.down} ↓ up and down ↑ ${state.up}`, {class: "live-name"}));
    },
  });

  // --- ablation ---
  const offOf = (values) => {
    const names = Object.keys(values).filter((name) => !values[name]), layer = (name) => Number(name[1]) - 1;
    return {
      names,
      heads: names.filter((n) => n[0] === "h").map((n) => [layer(n), Number(n[2]) - 1]),
      attention: names.filter((n) => n[0] === "a").map(layer),
      feed_forward: names.filter((n) => n[0] === "m").map(layer),
    };
  };
  const answers = (held, data, {names, ...off}) => {
    const groups = data.rules.map(() => []), players = data.players.map((word) => held.ids.get(word));
    for (const [words, answer, rule] of data.questions) {
      const page = softmax(held.reader.read([BOS, ...words].map((word) => held.ids.get(word)), off).scores(words.length));
      const p = page[held.ids.get(answer)];
      groups[rule].push(rule < 4 ? p : p / players.reduce((sum, i) => sum + page[i], 0));
    }
    return groups.map((group) => group.reduce((a, b) => a + b, 0) / group.length);
  };
  Live.define("ablation", {
    prepare(model, data) {
      const held = prepare(model);
      return {...held, whole: answers(held, data, offOf({})), sizes: data.rules.map((_, i) => data.questions.filter((q) => q[2] === i).length)};
    },
    compute(values, data, held, {fill}) {
      const off = offOf(values), now = off.names.length ? answers(held, data, off) : held.whole;
      const rules = data.rules.map(([rule, asked], i) => ({rule: i < 4 ? `says ${rule}` : "the called one speaks", asked,
        whole: held.whole[i], now: now[i], change: now[i] - held.whole[i]}));
      const mean = (which) => which.reduce((sum, i) => sum + now[i] * held.sizes[i], 0) / which.reduce((sum, i) => sum + held.sizes[i], 0);
      const greeting = mean([0, 1, 2, 3]), speaker = mean([4, 5]), names = off.names.map((name) => data.names[name]);
      const list = names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0];
      const how = names.length ? `Without ${list}` : "With every part switched on";
      const said = "{how}, the right epithet has {greeting:.1%}, and the called one {speaker:.1%} of the chance to speak next.";
      return {rules, greeting, speaker, finding: fill(said, {greeting, speaker, how})};
    },
    draw(state, data, {make, shown}) {
      return make("div", {}, make("ul", {class: "live-ranks live-rules"}, ...state.rules.map(({rule, asked, whole, now}) =>
        make("li", {class: "live-rank"}, make("span", {class: "live-word"}, make("b", {}, rule), " ", make("small", {}, asked)),
          bar(make, now, whole), make("span", {class: "live-much"}, shown(now, 1, true))))),
      make("p", {class: "live-told"}, "Dashed: with every part on."));
    },
    actions: {on: (values) => Object.fromEntries(Object.keys(values).map((name) => [name, true]))},
  });
})();
