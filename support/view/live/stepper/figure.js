// Steppers: matrices that fill step by step. All numbers, sums and sentences come from Python as texts (story.py
// beside this file); here they are only shown. One canvas is kept for a figure, and painted anew at every step.
(() => {
  "use strict";
  const find = (key, {matrices}) => {
    const [, name, r, c] = key.match(/^(.+)\[(\d+), (\d+)\]$/);
    return matrices.find((matrix) => matrix.name === name).cells[r][c];
  };
  const told = (key, step, data) => {
    if (key === "none") return "";
    const [text, made, , sum] = find(key, data);
    return made > step ? ` ${key} is made in step ${made + 1}, ${data.steps[made][0]}.` : ` ${key} = ${sum} = ${text}.`;
  };
  // To another step; a sum that was told goes. On from the last is the first, if so asked.
  const to = (step, values, data, round = false) => {
    const last = data.steps.length - 1, next = round && step > last ? 0 : Math.min(Math.max(step, 0), last);
    return next === values.step ? {} : {step: next, cell: "none"};
  };

  // W_Q with its letter lowered; a name such as d_model stays.
  const lowered = (words, make) => words.split(/(?<=\b[A-Za-z])_(\w)\b/).map((part, k) => k % 2 ? make("sub", {}, part) : part);

  // The matrices as tables; a number with a sum is a button. Arrow keys lead from number to number.
  function build(held, data, tools) {
    const {make, set, values} = tools;
    held.tools = tools;
    held.cells = new Map();
    held.cards = data.matrices.map((matrix) => {
      const wide = Math.max(3, ...matrix.columns.map((word) => word.length), ...matrix.cells.flat().map((cell) => cell ? cell[0].length : 0));
      const body = matrix.cells.map((row, r) => make("tr", {},
        ...(matrix.rows.length ? [make("th", {scope: "row"}, matrix.rows[r])] : []),
        ...row.map((cell, c) => {
          if (!cell) return make("td", {class: "stepper-never"});
          const key = `${matrix.name}[${r}, ${c}]`, inner = cell[3] ? make("button", {type: "button", "data-key": key, tabindex: "-1"}) : make("span");
          const td = make("td", {}, inner);
          held.cells.set(key, {td, inner, cell, matrix, names: [matrix.rows[r], matrix.columns[c]].filter(Boolean).join(", ")});
          return td;
        })));
      const head = matrix.columns.length ? [make("thead", {}, make("tr", {}, ...(matrix.rows.length ? [make("td")] : []),
        ...matrix.columns.map((word) => make("th", {scope: "col"}, word))))] : [];
      const table = make("table", {class: "stepper-matrix", style: `--wide: ${wide}ch`}, make("caption", {}, ...lowered(matrix.title, make)), ...head, make("tbody", {}, ...body));
      const first = Math.min(...matrix.cells.flat().filter(Boolean).map((cell) => cell[1]));
      // In a step that adds or multiplies, say, a sign stands before it, and behind it that it is transposed.
      const node = make("div", {}, table), [sign, behind] = ["sign", "behind"].map((part) => make("span", {class: `stepper-${part}`, "aria-hidden": "true"}));
      return {node, sign, behind, group: make("div", {}, sign, node, behind), name: matrix.name, words: matrix.words, role: matrix.role, first, steps: new Set(matrix.cells.flat().filter(Boolean).map((cell) => cell[1]))};
    });
    // A line with all names, if there are too many matrices for a window: one that is pressed stays in view.
    held.chain = data.chain ? make("div", {class: "stepper-chain", role: "group", "aria-label": "All matrices, in the order in which they are made; one that is pressed stays in view"}, make("span", {}, "Matrices:")) : null;
    if (held.chain) for (const card of held.cards) {
      card.chip = make("button", {type: "button", "aria-pressed": "false", title: card.words}, ...lowered(card.name, make));
      card.chip.addEventListener("click", () => {
        if (card.chip.getAttribute("aria-disabled") === "true") return;
        card.kept = !card.kept;
        set({});
      });
      held.chain.append(card.chip);
    }
    // For each step the matrices that its numbers are made of.
    held.reads = data.steps.map((_, step) => new Set(data.matrices.flatMap((matrix) => matrix.cells.flat())
      .flatMap((cell) => cell?.[1] === step && cell[4] ? cell[4].map((key) => key.slice(0, key.lastIndexOf("["))) : [])));
    held.told = make("p", {class: "stepper-told", "aria-hidden": "true"});
    const button = (word, label, by) => {
      const node = make("button", {type: "button", class: "live-act", "aria-label": label}, word);
      node.addEventListener("click", () => set(to(values().step + by, values(), data)));
      return node;
    };
    held.back = button("‹", "One step back", -1);
    held.on = button("›", "One step on", 1);
    const canvas = make("div", {class: "stepper-canvas", role: "group", "aria-label": "The matrices; a number that is pressed shows the sum that made it"},
      ...held.cards.map((card) => card.group));
    held.canvas = canvas;
    canvas.addEventListener("click", (event) => {
      const button = event.target.closest("button[data-key]");
      if (!button || button.getAttribute("aria-disabled") === "true") return;
      set({cell: values().cell === button.dataset.key ? "none" : button.dataset.key});
    });
    canvas.addEventListener("keydown", (event) => {
      const [dx, dy] = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[event.key] || [];
      const here = event.target.closest("button[data-key]");
      if (dx === undefined || !here) return;
      event.preventDefault();
      const all = [...canvas.querySelectorAll(".stepper-card:not(.stepper-folded) button[data-key]:not([aria-disabled=true])")], at = here.getBoundingClientRect();
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
      if (values().cell !== "none") set({cell: next.dataset.key}); // the sum that is told goes along
    });
    held.press = make("span", {}, "Press a number that was computed to see its sum.");
    const legend = make("p", {class: "live-told"}, "Solid frame: what this step makes. Dashed: what it reads. ", held.press);
    held.measure = () => measure(held, data, make);
    held.stage = make("div", {class: held.chain ? "stepper stepper-chained" : "stepper"}, ...(held.chain ? [held.chain] : []), canvas, legend, make("div", {class: "stepper-bar"}, held.back, held.told, held.on));
  }

  // The matrices of a step in the order of its line, with its signs; the others follow. (Steps without a chain show all.)
  const lineUp = ({cards, chain}, {lines}, place) => {
    const line = chain && lines[place] || [], named = line.map(([sign, name]) => [sign, cards.find((card) => card.name === name)]);
    const all = [...named, ...cards.filter((card) => !named.some(([, other]) => other === card)).map((card) => ["", card])];
    // A ᵀ at the beginning of a sign belongs to the matrix before it.
    return all.map(([sign, card], k) => ({sign: sign.replace("ᵀ", "").trim(), card, turned: Boolean(all[k + 1]?.[0].startsWith("ᵀ"))}));
  };
  function inLine(held, data, place, make) {
    const all = lineUp(held, data, place), nodes = all.map(({card}) => card.group);
    for (const {sign, card, turned} of all) {
      card.sign.textContent = sign;
      card.sign.style.width = `${signWidth(sign)}px`;
      card.behind.replaceChildren(...(turned ? [make("sup", {}, "T")] : []));
    }
    held.canvas.classList.toggle("stepper-line", Boolean(held.chain && data.lines[place]));
    if (nodes.some((node, k) => held.canvas.childNodes[k] !== node)) held.canvas.append(...nodes);
  }
  const signWidth = (sign) => sign ? 9 * sign.length + 14 : 0;

  // The canvas is as high as its highest step, and so is the text of the steps: what stands below them keeps its place
  // from step to step. All matrices are measured at once; how they break into lines is reckoned.
  function measure(held, data, make) {
    const {canvas, cards, told, stage, chain} = held, room = canvas.clientWidth;
    if (!room || room === held.room) return;
    held.room = room;
    const probe = make("div", {class: "stepper-probe", style: `width: ${told.clientWidth}px`}, ...data.steps.map(([headline, does], k) =>
      make("p", {class: "stepper-told"}, make("b", {}, `${k + 1} of ${data.steps.length} · ${headline}. `), ...lowered(does, make), k === data.steps.length - 1 ? " This is the last step." : "")));
    stage.append(probe);
    stage.classList.add("stepper-measured");
    const {columnGap, rowGap} = getComputedStyle(canvas), across = parseFloat(columnGap), down = parseFloat(rowGap);
    const sizes = new Map(cards.map((card) => [card, [card.node.offsetWidth, card.node.offsetHeight]]));
    const words = Math.max(...[...probe.children].map((p) => p.offsetHeight));
    probe.remove();
    stage.classList.remove("stepper-measured");
    const few = chain || matchMedia("(max-width: 600px)").matches;
    const heights = data.steps.map((_, place) => {
      let x = 0, line = 0, high = 0;
      const put = (wide, tall) => {
        if (x && x + wide > room) [x, high, line] = [0, high + line + down, 0];
        [x, line] = [x + wide + across, Math.max(line, tall)];
      };
      for (const {sign, card, turned} of lineUp(held, data, place)) if (!few || card.steps.has(place) || held.reads[place].has(card.name)) {
        const [wide, tall] = sizes.get(card);
        put(wide + signWidth(sign) + (turned ? 14 : 0), tall);
      }
      return high + line;
    });
    stage.style.setProperty("--high", `${Math.ceil(Math.max(...heights))}px`);
    stage.style.setProperty("--words", `${words}px`);
  }

  function paint({place, cell: chosen, headline, does, sum, number, of}, held, data, make) {
    const sources = new Set(chosen === "none" ? [] : find(chosen, data)[4]);
    const told = new Set([chosen, ...sources].map((key) => key.slice(0, key.lastIndexOf("["))));
    if (held.place !== place) inLine(held, data, place, make);
    for (const {node, group, name, words, role, first: begins, steps, chip, kept} of held.cards) {
      const now = steps.has(place), reads = held.reads[place].has(name) && !now, later = begins > place;
      const marks = [now && "stepper-now", reads && "stepper-reads"], folded = chip && (later || !(now || reads || kept || told.has(name)));
      const as = [...marks, later && "stepper-later", folded && "stepper-folded"].filter(Boolean);
      node.className = [`stepper-card stepper-${role}`, ...as].join(" ");
      group.className = ["stepper-group", ...as].join(" ");
      if (!chip) continue;
      chip.className = [`stepper-chip stepper-${role}`, ...marks].filter(Boolean).join(" ");
      chip.setAttribute("aria-disabled", String(later));
      chip.setAttribute("aria-pressed", String(Boolean(kept)));
      chip.setAttribute("aria-label", `${name}${words === name ? "" : `, ${words}`}${later ? ", not made yet" : now ? ", made in this step" : reads ? ", read in this step" : ""}`);
    }
    let first = null, kept = null;
    for (const [key, {td, inner, cell: [text, step, shade, , , gone], names}] of held.cells) {
      const made = step <= place, lost = gone !== undefined && gone <= place;
      inner.textContent = made ? text : "";
      td.className = [made && "stepper-made", step === place && "stepper-new", lost && "stepper-lost", shade < 0 && "machine-minus",
        key === chosen && "stepper-chosen", sources.has(key) && "stepper-source"].filter(Boolean).join(" ");
      td.style.setProperty("--v", made && !lost ? `${Math.abs(shade)}%` : "0%");
      if (inner.tagName !== "BUTTON") continue;
      inner.setAttribute("aria-disabled", String(!made));
      inner.setAttribute("aria-pressed", String(key === chosen));
      inner.setAttribute("aria-label", made ? `${key}${names && ` (${names})`}: ${text}` : `${key}, not made yet`);
      const there = made && !inner.closest(".stepper-folded");
      if (there && !first) first = inner;
      if (there && (key === chosen || (inner === document.activeElement && !kept))) kept = inner;
      inner.tabIndex = -1;
    }
    if (kept || first) (kept || first).tabIndex = 0;
    held.press.style.visibility = first ? "" : "hidden"; // nothing here was computed
    held.told.replaceChildren(make("b", {}, `${number} of ${of} · ${headline}. `), ...lowered(does, make), ...(number === of ? [" This is the last step."] : []), ...(sum ? [make("span", {class: "stepper-sum"}, sum)] : []));
    held.back.disabled = place === 0;
    held.on.disabled = place === data.steps.length - 1;
    // A matrix that has just been made comes into view; the page stays where it is otherwise.
    const now = held.cards.find((card) => card.steps.has(place));
    if (!held.chain && held.place !== undefined && held.place !== place && now && held.stage.isConnected) {
      const box = held.stage.getBoundingClientRect();
      if (box.bottom > 0 && box.top < innerHeight) now.node.scrollIntoView({block: "nearest"});
    }
    held.place = place;
    // The sum that is told makes a bar below the matrices taller; it does not hide the number that was pressed.
    const pressed = sum && held.cells.get(chosen)?.td.getBoundingClientRect(), bar = held.told.parentElement.getBoundingClientRect();
    if (pressed && bar.top > held.canvas.getBoundingClientRect().top && pressed.bottom > bar.top - 6 && pressed.top < innerHeight) scrollBy({top: pressed.bottom - bar.top + 12});
  }

  const figure = {
    prepare: () => ({}),
    compute({step, cell}, data) {
      const place = Math.trunc(step), [headline, does] = data.steps[place];
      return {place, number: String(place + 1), of: String(data.steps.length), headline, does, sum: told(cell, place, data), made: data.made};
    },
    draw(state, data, tools) {
      const {held, make} = tools;
      if (!held.stage) build(held, data, tools);
      const stale = held.place !== undefined && held.place !== state.place && state.cell !== "none" && state.cell === held.chosen;
      paint(state, held, data, make);
      held.chosen = state.cell;
      if (stale) tools.set({cell: "none"}); // its sum was told at another step, which the slider left
      return held.stage;
    },
    placed(held) {
      const panel = held.stage.closest(".live-panel");
      panel.classList.add("live-broad", "stepper-panel");
      for (const button of panel.querySelectorAll("[data-act]")) button.remove(); // (the bar has its own)
      held.measure();
      new ResizeObserver(held.measure).observe(held.stage);
    },
    actions: {
      back: (values, _, held, data) => to(values.step - 1, values, data),
      step: (values, _, held, data) => to(values.step + 1, values, data, true),
      last: (values, _, held, data) => to(data.steps.length - 1, values, data),
    },
  };
  for (const name of ["attention_steps", "bpe_steps", "backprop_steps", "adam_steps", "cache_steps"]) Live.define(name, figure);
})();
