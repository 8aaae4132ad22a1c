// What a step of a stepper shows, and how it is laid out: the matrices of a line side by side where they fit.
(() => {
  "use strict";
  // W_Q with its letter lowered, e^z with its letter raised; a name such as d_model stays.
  const typeset = (words, make) => words.split(/(?<=\b[A-Za-z])([_^]\w)\b/).map((part, k) => k % 2 ? make(part[0] === "_" ? "sub" : "sup", {}, part[1]) : part);

  // Which matrices a step shows, in the order of its line, with its signs; without a line, what it reads comes first.
  function lay(held, {lines, steps}, place, also, make) {
    for (const each of held.cards) {
      each.now = (held.computes[place] ? each.computed : each.steps).has(place);
      each.reads = !each.now && (held.reads[place].has(each.name) || each.steps.has(place));
      const later = each.first > place, shown = !later && (each.now || each.reads || (each.kept && !lines[place]) || also.has(each.name));
      const marks = [`stepper-${each.role}`, each.now && "stepper-now", each.reads && "stepper-reads", later && "stepper-later"].filter(Boolean).join(" ");
      each.node.className = `stepper-card ${marks}`;
      each.chip.className = `stepper-chip ${marks}`;
      each.group.className = `stepper-group${each.long ? " stepper-long" : ""}${shown ? "" : " stepper-folded"}`;
      for (const [nodes, first] of each.parts) for (const node of nodes) node.hidden = first > place;
      each.sign.textContent = "";
      each.turned.hidden = true;
      each.turned.textContent = "";
      each.behind.replaceChildren();
    }
    const line = (lines[place] || []).map(([sign, name]) => [sign, held.cards.find((each) => each.name === name)]);
    line.forEach(([sign, each], k) => {
      each.sign.textContent = sign.replace("ᵀ", "").trim();
      if (!sign.startsWith("ᵀ")) return;
      const of = line[k - 1][1]; // (it belongs to the matrix before it: a single row stands as a column)
      of.turned.hidden = !of.single;
      of.turned.textContent = of.single ? "T" : "";
      if (of.single) of.node.classList.add("stepper-turned");
      else of.behind.append(make("sup", {}, "T"));
    });
    // A line that does not fit is broken before what it makes.
    const named = line.map(([, each]) => each), others = held.cards.filter((each) => !named.includes(each)), sides = [];
    for (const [sign, each] of line) {
      if (!sides.length || /[=→]/.test(sign)) sides.push([]);
      sides.at(-1).push(each.group);
    }
    for (const each of [...others.filter(({now}) => !now), ...others.filter(({now}) => now)]) sides.push([each.group]);
    const placed = [...held.canvas.children].map((side) => [...side.children]);
    if (sides.length !== placed.length || sides.some((side, k) => side.length !== placed[k].length || side.some((group, i) => group !== placed[k][i]))) {
      held.canvas.replaceChildren(...sides.map((side) => make("div", {}, ...side)));
    }
    for (const side of held.canvas.children) side.className = `stepper-side${[...side.children].every((group) => group.classList.contains("stepper-folded")) ? " stepper-folded" : ""}`;
    held.canvas.className = `stepper-canvas ${held.ways?.[place] ?? ""}`;
    let past = false;
    const seen = held.canvas.querySelectorAll(".stepper-group:not(.stepper-folded)");
    for (const group of seen) {
      group.classList.toggle("stepper-after", past);
      past ||= group.matches(".stepper-long");
    }
    // (On a phone what is left of the room is below all else, and not between the matrices and their names.)
    held.canvas.style.minHeight = held.rooms && !held.around ? `${held.rooms[place]}px` : "";
    if (held.stage) held.stage.style.minHeight = held.around ? `${held.rooms[place] + held.around[place]}px` : "";
    if (held.around && !also.size) held.stage.style.setProperty("--air", `${Math.min(AIR, (held.rooms[place] - held.highs[place]) / (seen.length + 2))}px`);
    const [, does, operation] = steps[place];
    held.told.replaceChildren(make("span", {}, ...typeset(does, make)), ...(operation ? [make("b", {class: "stepper-operation"}, ...typeset(operation, make))] : []));
  }

  // What is said of the steps has the room of the longest; their matrices have what three steps in four need, but none
  // leaves much of it blank: what stands below mostly keeps its place. A step that needs much more is laid out in the way
  // that needs least: what it makes may stand behind the last of what it reads, or where a column and a row cross, and the
  // numbers closer together. On a phone no step is more than NEAR lower or higher than the next; what it leaves becomes air between the
  // matrices and below them, and the rest stands below all. Steps that differ by no more than EVEN (at a desk: BLANK) all have
  // the height of the tallest. A way that brings fingers or digits closer must save more.
  const BLANK = 120, EVEN = 170, GENTLE = 40, SPARE = 60, NEAR = 95, PHONE = 430, CLOSE = 340, WORTH = 24, AIR = 28, LARGER = 1.25;
  const WIDE = ["stepper-close", "stepper-flows", "stepper-flows stepper-close", "stepper-tight", "stepper-flows stepper-tight"], NARROW = ["stepper-flows", "stepper-beside", "stepper-crossed", "stepper-close", "stepper-flows stepper-close", "stepper-beside stepper-close", "stepper-tight", "stepper-crossed stepper-tight", "stepper-flows stepper-tight", "stepper-close stepper-tight"];
  const fits = (canvas) => [...canvas.querySelectorAll(".stepper-card")].every((node) => node.getBoundingClientRect().right <= canvas.getBoundingClientRect().right + 0.5);
  function measure(held, data, make) {
    const {canvas, told: words, stage} = held, room = canvas.clientWidth, narrow = matchMedia("(max-width: 600px)").matches;
    if (!room || room === held.room) return;
    held.room = room;
    stage.classList.add("stepper-measured");
    held.ways = data.steps.map(() => "");
    const each = (of) => data.steps.map((_, place) => {
      lay(held, data, place, new Set(), make);
      held.fill(place);
      return of();
    });
    // At a desk all cells are as large as the widest line of the steps lets them be, if that breaks none.
    stage.style.removeProperty("--larger");
    if (!held.scene && matchMedia("(min-width: 1024px)").matches) {
      const right = (node) => node.getBoundingClientRect().right - canvas.getBoundingClientRect().left;
      const plain = each(() => [canvas.offsetHeight, Math.max(...[...canvas.querySelectorAll(".stepper-card")].map(right))]);
      const larger = Math.max(1, Math.min(LARGER, 0.99 * room / Math.max(...plain.map(([, wide]) => wide))));
      stage.style.setProperty("--larger", larger.toFixed(2));
      if (larger > 1 && each(() => canvas.offsetHeight).some((high, k) => high > larger * plain[k][0])) stage.style.removeProperty("--larger");
    }
    const sizes = each(() => [words.offsetHeight, canvas.offsetHeight, stage.offsetHeight - canvas.offsetHeight]);
    const plain = sizes.map(([, high]) => high), enough = narrow ? CLOSE : Math.min(...sizes.map(([, high]) => high)) + BLANK;
    sizes.forEach((size, place) => {
      if (size[1] <= enough) return;
      lay(held, data, place, new Set(), make);
      held.fill(place);
      for (const way of narrow ? NARROW : WIDE) {
        if ((narrow && size[1] <= (/tight|crossed/.test(way) ? PHONE : enough)) || (way.includes("crossed") && data.lines[place]?.length !== 3) || (way.includes("beside") && !canvas.querySelector(".stepper-after"))) continue;
        canvas.className = `stepper-canvas ${way}`;
        const high = canvas.offsetHeight, less = narrow && way.includes("close") ? 2 * WORTH : WORTH;
        if (high <= size[1] - less && fits(canvas)) [size[1], held.ways[place]] = [high, way];
      }
    });
    stage.classList.remove("stepper-measured");
    const most = Math.max(...sizes.map(([said]) => said));
    stage.style.setProperty("--words", `${most}px`);
    const over = sizes.map(([said]) => narrow ? said : most), sums = sizes.map(([, high], k) => high + over[k]).sort((a, b) => a - b);
    const usual = sums.at(-1) - sums[0] <= SPARE ? sums.at(-1) : sums[Math.floor(0.75 * sums.length)];
    held.highs = sizes.map(([, high]) => high);
    held.around = narrow ? sizes.map(([, , around]) => around) : null;
    const gentle = held.highs.every((high, k) => !k || Math.abs(high - held.highs[k - 1]) < GENTLE); // (what stands below hardly moves)
    held.rooms = sizes.map(([, high], k) => Math.max(high, Math.min(usual - over[k], high + (narrow ? SPARE : gentle ? GENTLE : BLANK))));
    const even = sums.at(-1) - sums[0] <= (narrow ? EVEN : BLANK);
    if (even) held.rooms = over.map((said) => sums.at(-1) - said);
    else if (narrow) held.rooms = over.map((said, k) => Math.max(...held.rooms.map((high, j) => high + over[j] - NEAR * Math.abs(j - k))) - said);
    for (const k of narrow && !even ? sizes.keys() : []) { // (where its neighbours leave it nearly as much, a step stays as it is)
      if (held.rooms[k] > held.highs[k] + 2 * WORTH && plain[k] < held.rooms[k] + 2 * WORTH) [held.ways[k], held.highs[k], held.rooms[k]] = ["", plain[k], Math.max(plain[k], held.rooms[k])];
    }
    lay(held, data, held.place, held.also, make);
    held.fill(held.place);
  }

  window.StepperRoom = {typeset, lay, measure};
})();
