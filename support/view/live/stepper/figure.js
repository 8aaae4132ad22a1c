// Steppers: matrices that fill step by step. All numbers, sums and sentences come from Python as texts (story.py
// beside this file); here they are only shown. One stage is kept for a figure, and painted anew at every step; how a
// number comes about is shown by motion.js.
(() => {
  "use strict";
  const {spoken, write, tell, move, stop, bring} = window.StepperMotion, {typeset, lay, measure} = window.StepperRoom;
  const ofMatrix = (key) => key.slice(0, key.lastIndexOf("["));
  const find = (key, {matrices}) => {
    const [, name, r, c] = key.match(/^(.+)\[(\d+), (\d+)\]$/), matrix = matrices.find((each) => each.name === name);
    return {matrix, r: Number(r), c: Number(c), cell: matrix.cells[r][c]};
  };
  // What a reader calls a cell: the matrix, its row and its column.
  const called = ({said, rows, columns, axes, cells}, r, c) => {
    const places = [[rows, axes[0], r, cells.length], [columns, axes[1], c, cells[0].length]]
      .flatMap(([names, axis, at, size]) => names.length ? names[at] : size > 1 ? `${axis} ${at}` : []);
    return places.length ? `${said} (${places.join(", ")})` : said;
  };
  const told = (key, step, data) => {
    if (key === "none") return "";
    const {matrix, r, c, cell} = find(key, data), [, made, , sum] = cell, name = called(matrix, r, c);
    return made > step ? ` ${name} is made in step ${made + 1}, ${data.steps[made][0]}.` : spoken(cell) ? ` ${sum}.` : ` ${name} = ${sum}.`;
  };
  // To another step; a sum that was told goes. On from the last is the first, if so asked.
  const to = (step, values, data, round = false) => {
    const last = data.steps.length - 1, next = round && step > last ? 0 : Math.min(Math.max(step, 0), last);
    return next === values.step ? {} : {step: next, cell: "none"};
  };

  // The text of a cell, or its tokens as boxes: the newest is told, and so are the two that the step merges.
  function show({inner, tokens, cell: [text]}, [left, right] = [], make) {
    if (!tokens) {
      inner.textContent = text;
      return;
    }
    const all = text.split(" "), joins = (k) => all[k] === left && all[k + 1] === right;
    inner.replaceChildren(...all.map((token, k) => make("span", {class: ["stepper-box", token.length > 1 && "stepper-token-box",
      token === left + right && "stepper-newest", (joins(k) || joins(k - 1)) && "stepper-joins"].filter(Boolean).join(" ")}, token)));
  }

  // A matrix as a table; a number with a sum is a button. Rows and columns come with their first number.
  function card(matrix, held, make) {
    const {cells, rows, columns, name, role, kept, pair} = matrix, all = cells.flat().filter(Boolean), first = (some) => Math.min(...some.filter(Boolean).map((cell) => cell[1]));
    const wide = Math.max(3, ...columns.map((word) => word.length), ...all.map((cell) => cell[0].length));
    const grid = cells.map((row, r) => row.map((cell, c) => {
      if (!cell) return make("td", {class: "stepper-never"});
      const key = `${name}[${r}, ${c}]`, inner = cell[3] ? make("button", {type: "button", "data-key": key, tabindex: "-1"}) : make("span"), td = make("td", {class: "", style: ""}, inner);
      held.cells.set(key, {td, inner, cell, role, matrix: name, tokens: Boolean(pair), name: called(matrix, r, c)});
      return td;
    }));
    const lines = grid.map((row, r) => make("tr", {}, ...(rows.length ? [make("th", {scope: "row"}, rows[r])] : []), ...row));
    const heads = columns.map((word) => make("th", {scope: "col"}, word)), turned = make("sup", {hidden: ""}), letter = matrix.title.startsWith(name) ? name : "";
    const table = make("table", {class: `stepper-matrix${all.some((cell) => cell[3]) ? " stepper-pressable" : ""}${cells[0].length > 6 ? " stepper-many" : ""}`, style: `--wide: ${wide}ch`}, make("caption", {}, ...typeset(letter, make), turned, ...typeset(matrix.title.slice(letter.length), make)),
      ...(heads.length ? [make("thead", {}, make("tr", {}, ...(rows.length ? [make("td")] : []), ...heads))] : []), make("tbody", {}, ...lines));
    // In a step that adds or multiplies, say, a sign stands before it, and behind it that it is transposed.
    const node = make("div", {}, table), [sign, behind] = ["sign", "behind"].map((part) => make("span", {class: `stepper-${part}`, "aria-hidden": "true"}));
    return {
      name, role, kept, pair, turned, single: cells.length === 1, long: cells.length > 6, node, sign, behind, group: make("div", {}, sign, node, behind), first: first(all),
      steps: new Set(all.map((cell) => cell[1])), computed: new Set(all.filter((cell) => cell[3]).map((cell) => cell[1])),
      parts: [...lines.map((line, r) => [[line], first(cells[r])]),
        ...grid[0].map((_, c) => [[...heads.slice(c, c + 1), ...grid.map((row) => row[c])], first(cells.map((row) => row[c]))])],
    };
  }

  // On a phone the names are one row, which fades where it goes on.
  const goesOn = (box) => {
    const fades = (far) => far > 4 ? "3rem" : "0.1rem";
    box.style.setProperty("--before", fades(box.scrollLeft));
    box.style.setProperty("--behind", fades(box.scrollWidth - box.clientWidth - box.scrollLeft));
  };
  // The names of all matrices, in the order in which they are made: each leads to the step that makes it.
  function strip(held, data, {make, set: go, values}) {
    const node = make("div", {class: "stepper-strip", role: "toolbar", "aria-label": "All matrices, in the order in which they are made; each leads to its step"});
    held.cards.forEach((each, k) => {
      const {name, words, title, chip = name} = data.matrices[k], steps = [...each.steps].sort((a, b) => a - b), [first] = steps;
      const about = `${title}${each.kept ? "" : `; step ${first + 1}, ${data.steps[first][0]}`}`;
      each.chip = make("button", {type: "button", title: about, "aria-label": about, tabindex: k ? "-1" : "0"}, make("b", {}, ...typeset(chip, make)), ...(words ? [` ${words}`] : []));
      each.chip.addEventListener("click", () => go(to(steps.findLast((step) => step <= values().step) ?? first, values(), data)));
    });
    const chips = held.cards.map(({chip}) => chip);
    node.append(...chips);
    node.addEventListener("scroll", () => goesOn(node), {passive: true});
    node.addEventListener("keydown", (event) => {
      const at = chips.indexOf(event.target), next = chips[{ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: chips.length - 1}[event.key]];
      if (!next) return;
      event.preventDefault();
      event.target.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    });
    return node;
  }

  // A number that is pressed shows its sum; arrow keys lead from number to number.
  function listen(canvas, {set: go, values}) {
    canvas.addEventListener("click", (event) => {
      const button = event.target.closest("button[data-key]");
      if (button) go({cell: values().cell === button.dataset.key ? "none" : button.dataset.key});
    });
    canvas.addEventListener("keydown", (event) => {
      const [dx, dy] = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[event.key] || [];
      const here = event.target.closest("button[data-key]");
      if (dx === undefined || !here) return;
      event.preventDefault();
      const all = [...canvas.querySelectorAll("button[data-key]")].filter((button) => button.offsetParent), at = here.getBoundingClientRect();
      const next = dx ? all[all.indexOf(here) + dx] : all.filter((other) => {
        const box = other.getBoundingClientRect();
        return dy > 0 ? box.top > at.top + 4 : box.top < at.top - 4;
      }).sort((a, b) => {
        const far = (other) => { const box = other.getBoundingClientRect(); return Math.abs(box.top - at.top) * 3 + Math.abs(box.left - at.left); };
        return far(a) - far(b);
      })[0];
      if (!next) return;
      here.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
      if (values().cell !== "none") go({cell: next.dataset.key}); // the sum that is told goes along
    });
  }

  // A drawing above the matrices: each of its lines and words comes with its step.
  function scene({size, label, lines, words}, held, {svg, text}) {
    held.drawn = [...lines.map(([step, kind, d]) => [step, svg("path", {d, class: `scene-${kind}`})]),
      ...words.map(([step, kind, x, y, says]) => [step, text(x, y, says, {class: `scene-word scene-${kind.replace(" ", " scene-")}`})])];
    held.scene = svg("svg", {viewBox: `0 0 ${size.join(" ")}`, class: "stepper-scene", role: "img", "aria-label": label});
  }

  function build(held, data, tools) {
    const {make, set: go, values} = tools;
    held.cells = new Map();
    held.cards = data.matrices.map((matrix) => card(matrix, held, make));
    // For each step the matrices that its numbers are made of, and whether it computes any.
    held.reads = data.steps.map((_, step) => new Set([...held.cells.values()].flatMap(({cell}) => cell[1] === step ? cell[4].map(ofMatrix) : [])));
    held.computes = data.steps.map((_, step) => held.cards.some(({computed}) => computed.has(step)));
    const button = (word, label, by) => {
      const node = make("button", {type: "button", class: "live-act", "aria-label": label}, word);
      node.addEventListener("click", () => go(to(values().step + by, values(), data)));
      return node;
    };
    [held.back, held.on] = [button("‹", "One step back", -1), button("›", "One step on", 1)];
    held.told = make("p", {class: "stepper-told", "aria-hidden": "true"});
    held.bar = make("div", {class: "stepper-bar"}, held.back, held.on, held.told);
    held.bar.addEventListener("keydown", (event) => {
      const by = {ArrowLeft: -1, ArrowRight: 1}[event.key];
      if (by && event.target.closest("button")) go(to(values().step + by, values(), data));
    });
    held.canvas = make("div", {class: "stepper-canvas", role: "group", "aria-label": "The matrices; a number that is pressed shows the sum that made it"});
    listen(held.canvas, tools);
    held.sum = make("p", {class: "stepper-sum", "aria-hidden": "true"});
    held.foot = make("div", {class: "stepper-foot", style: ""}, held.sum, make("p", {class: "stepper-legend"},
      `Solid frame: what this step makes. Dashed: what it reads. ${data.rounded ? "Press a computed number to see its sum." : "Press what was made to see from what."}`,
      ...(data.rounded ? [" Numbers are shown rounded; ≈ stands where the rounded ones add up to another last digit."] : [])));
    // The tokens that stand at a step, which make its matrices as wide as they are.
    held.fill = (place) => {
      const pair = held.cards.find(({now, pair: of}) => now && of)?.pair;
      for (const each of held.cells.values()) {
        if (!each.tokens) continue;
        each.td.classList.toggle("stepper-boxes", each.cell[1] <= place);
        if (each.cell[1] <= place) show(each, pair, make);
        else each.inner.textContent = "";
      }
    };
    held.measure = () => measure(held, data, make);
    if (data.scene) scene(data.scene, held, tools);
    held.stage = make("div", {class: data.rounded ? "stepper" : "stepper stepper-words"}, held.bar, ...(held.scene ? [held.scene] : []), strip(held, data, tools), held.canvas, held.foot);
  }

  function paint({place, cell: chosen, sum}, held, data, {make}) {
    stop(held);
    const sources = new Set(chosen === "none" ? [] : find(chosen, data).cell[4]);
    held.also = new Set(chosen === "none" ? [] : [chosen, ...sources].map(ofMatrix));
    lay(held, data, place, held.also, make);
    const making = new Map(held.cards.map(({name, now}) => [name, now]));
    const pair = held.cards.find(({now, pair: of}) => now && of)?.pair;
    let first = null, kept = null;
    for (const [key, each] of held.cells) {
      const {td, inner, tokens, cell: [text, step, shade, how, , gone], matrix, name} = each, made = step <= place, lost = gone !== undefined && gone <= place;
      if (made) show(each, pair, make);
      else inner.textContent = "";
      td.className = [made && "stepper-made", made && tokens && "stepper-boxes", step === place && making.get(matrix) && (how || !tokens) && "stepper-new", lost && "stepper-lost", shade < 0 && "machine-minus",
        key === chosen && "stepper-chosen", sources.has(key) && "stepper-source"].filter(Boolean).join(" ");
      td.style.setProperty("--v", made && !lost ? `${Math.abs(shade)}%` : "0%");
      if (inner.tagName !== "BUTTON") continue;
      inner.setAttribute("aria-pressed", String(key === chosen));
      inner.setAttribute("aria-label", made ? `${name}: ${text}` : `${name}, not made yet`);
      const there = made && !inner.closest(".stepper-folded");
      if (there && !first) first = inner;
      if (there && (key === chosen || (inner === document.activeElement && !kept))) kept = inner;
      inner.tabIndex = -1;
    }
    if (kept || first) (kept || first).tabIndex = 0;
    held.scene?.replaceChildren(...held.drawn.filter(([step]) => step <= place).map(([, node]) => node));
    if (sum && find(chosen, data).cell[1] <= place) write(chosen, held, {make, typeset});
    else held.sum.replaceChildren(...typeset(sum.trim(), make));
    tell(held, Boolean(sum));
    held.back.disabled = place === 0;
    held.on.disabled = place === data.steps.length - 1;
    held.place = place;
  }

  // After a step: the strip shows its names, what was made is in view, and a keyboard stands somewhere. A sum does not
  // hide the number that was pressed.
  function settle({place, cell: chosen}, held, last) {
    const {chip} = held.cards.find(({now}) => now), box = chip.parentElement;
    if (last !== place) box.scrollLeft = chip.offsetLeft - (box.clientWidth - chip.offsetWidth) / 2;
    goesOn(box);
    if (document.activeElement?.disabled) [held.back, held.on].find((button) => !button.disabled).focus({preventScroll: true});
    if (chosen === "none") {
      if (last !== undefined && last !== place) bring(held);
      return;
    }
    const pressed = held.cells.get(chosen).td.getBoundingClientRect(), {top} = held.foot.getBoundingClientRect();
    if (pressed.height && pressed.bottom > top - 6 && pressed.top < innerHeight) scrollBy({top: pressed.bottom - top + 12});
  }

  const figure = {
    prepare: () => ({}),
    compute({step, cell}, data) {
      const place = Math.trunc(step), [headline, does, operation] = data.steps[place];
      return {place, number: String(place + 1), of: String(data.steps.length), headline, does, signs: operation && ` In symbols: ${operation}.`, sum: told(cell, place, data), made: data.made};
    },
    draw(state, data, tools) {
      const {held, make} = tools, last = held.place;
      if (!held.stage) build(held, data, tools);
      const stale = last !== undefined && last !== state.place && state.cell !== "none" && state.cell === held.chosen;
      paint(state, held, data, tools);
      if (!stale) move(state, held, last, {make, typeset});
      held.chosen = state.cell;
      if (held.stage.isConnected) settle(state, held, last);
      if (stale) tools.set({cell: "none"}); // its sum was told at another step, which the slider left
      return held.stage;
    },
    placed(held) {
      const panel = held.stage.closest(".live-panel"), row = panel.querySelector(".live-of-step");
      panel.classList.add("live-broad", "stepper-panel");
      Live.tellSections(panel, "holds-broad", panel.matches(".live-plays"));
      panel.classList.toggle("stepper-of-words", held.stage.matches(".stepper-words"));
      for (const button of panel.querySelectorAll("[data-act]")) button.remove(); // (the bar has its own)
      held.slider = row.querySelector("input");
      held.slider.before(held.back);
      held.slider.after(held.on);
      held.bar.prepend(row); // what one steps by stands in one place, with what the step does
      for (const option of panel.querySelectorAll(".live-of-cell option")) {
        option.value = option.value; // (its text is what a reader calls the number)
        option.textContent = held.cells.get(option.value)?.name ?? option.value;
      }
      requestAnimationFrame(() => setTimeout(() => { // (a task of its own: all steps are laid out for it)
        held.measure();
        new ResizeObserver(held.measure).observe(held.stage);
      }));
    },
    actions: {
      back: (values, _, held, data) => to(values.step - 1, values, data),
      step: (values, _, held, data) => to(values.step + 1, values, data, true),
      last: (values, _, held, data) => to(data.steps.length - 1, values, data),
    },
  };
  for (const name of ["attention_steps", "bpe_steps", "backprop_steps", "adam_steps", "cache_steps", "card_steps"]) Live.define(name, figure);
})();
