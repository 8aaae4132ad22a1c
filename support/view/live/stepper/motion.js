// How a number of a stepper comes about: its sum, each number in the colour of the matrix it comes from, and the same as
// a short motion: the row and the column are marked, the products come in their order, and then the cell is filled.
(() => {
  "use strict";
  // Milliseconds: for a term; for all terms of a number that is pressed; for those of a step, for all its other cells and
  // for the frames of the last: 1.2 seconds together with the cell that is filled. Signs of a term that stays on one line.
  const PACE = 240, PRESSED = 960, TERMS = 480, OTHERS = 360, LAST = 160, FILLED = 200, SHORT = 30;
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const plain = (number) => number.replace("−", "");

  // A sum in its terms: each as pairs of what is written and the cell from which it comes (or none, for a constant).
  // The sources stand in the order of the sum; a number that is written again is named once.
  function terms(how, sources, textOf) {
    let next = 0;
    const origin = (number) => next < sources.length && plain(textOf(sources[next])) === number
      ? sources[next++] : sources.find((key) => plain(textOf(key)) === number);
    const found = how.split(/(?= [+−] )/).map((term) => term.split(/(\d[\d,]*(?:\.\d+)?|∞)/).map((piece, k) => [piece, k % 2 ? origin(piece) : undefined]));
    if (found.flat().some(([, key]) => key)) return found.map((pieces) => ({pieces, keys: pieces.flatMap(([, key]) => key ?? [])}));
    return found.map((pieces, k) => ({pieces, keys: found.length === sources.length ? [sources[k]] : sources})); // (words, no numbers)
  }

  // Words that end with a colon and what was made are a sentence; anything else is a sum.
  const spoken = ([text, , , told]) => told.endsWith(`: ${text}`);
  // The sum of a cell is written into the line below the matrices, behind others where several are told. Returned are its terms, and what comes after them.
  function write(key, held, {make, typeset}, behind = false) {
    const {cell, name} = held.cells.get(key), [text, , , told, sources] = cell, says = spoken(cell), at = told.length - text.length - (says ? 2 : 3);
    // (A line breaks before the sign of a term, and not within a short one.)
    const parts = terms(told.slice(0, at), sources, (source) => held.cells.get(source).cell[0]).map(({pieces, keys}, k) => {
      if (k) pieces[0][0] = pieces[0][0].trimStart();
      const short = pieces.reduce((sum, [piece]) => sum + piece.length, 0) <= SHORT;
      return {keys, node: make("span", {class: `stepper-term${short ? " stepper-whole" : ""}`}, ...pieces.map(([piece, from]) => from ? make("span", {class: `stepper-from stepper-${held.cells.get(from).role}`}, piece) : piece))};
    });
    const of = [...new Set(sources.map((source) => held.cells.get(source).matrix))];
    const from = of.flatMap((matrix, k) => [k ? k < of.length - 1 ? ", " : " and " : " From ", make("span", {class: `stepper-from stepper-${held.cards.find((each) => each.name === matrix).role}`}, ...typeset(matrix, make))]);
    const end = make("span", {class: "stepper-term"}, `${told.slice(at)}.`, ...(says ? [] : [make("span", {class: "stepper-whence"}, ...from, ".")]));
    if (!behind) held.sum.replaceChildren();
    held.sum.append(...(behind ? [" "] : []), ...(says ? [] : typeset(`${name} = `, make)), ...parts.flatMap(({node}, k) => k ? [" ", node] : [node]), end);
    return {parts, end};
  }

  function stop(held) {
    clearTimeout(held.motion);
    for (const {td} of held.cells.values()) td.classList.remove("stepper-waits", "stepper-meets");
  }

  // One act after the other; each has its time.
  const run = (held, acts) => {
    const [first, ...others] = acts;
    if (!first) return;
    first.act();
    held.motion = setTimeout(() => run(held, others), first.time);
  };
  const meet = (held, keys) => {
    for (const [key, {td}] of held.cells) td.classList.toggle("stepper-meets", keys.includes(key));
  };

  // The acts that make one cell: term after term, then the cell is filled.
  function making(key, held, tools, most = PRESSED, behind = false) {
    const {td} = held.cells.get(key), {parts, end} = write(key, held, tools, behind);
    td.classList.add("stepper-waits");
    for (const node of [...parts.map((part) => part.node), end]) node.classList.add("stepper-unsaid");
    return [
      ...parts.map(({node, keys}) => ({time: Math.min(PACE, most / parts.length), act() {
        node.classList.remove("stepper-unsaid");
        meet(held, keys);
      }})),
      {time: FILLED, act() {
        end.classList.remove("stepper-unsaid");
        td.classList.remove("stepper-waits");
        meet(held, []);
      }},
    ];
  }

  // All that a step has made: the first by its sum, and so the first of each other matrix of words; the others one after
  // the other. What is said is of what is framed: the sums go while the others come, and then come back and stay until the
  // next step.
  function fill(keys, held, tools) {
    const of = (key) => held.cells.get(key).matrix, words = held.stage.matches(".stepper-words");
    const told = keys.filter((key, k) => !k || (words && keys.findIndex((each) => of(each) === of(key)) === k)), others = keys.filter((key) => !told.includes(key));
    const mark = (on) => {
      for (const key of told.flatMap((each) => held.cells.get(each).cell[4])) held.cells.get(key).td.classList.toggle("stepper-source", on);
    };
    for (const key of others) held.cells.get(key).td.classList.add("stepper-waits");
    mark(true);
    // (Of another matrix, or with other signs in its sum, it is made in another way.)
    const signs = (key) => [...new Set(held.cells.get(key).cell[3].match(/[·÷√²]|e\^|ln|max/g))].sort().join();
    const same = words ? others : others.filter((key) => of(key) === of(told[0]) && signs(key) === signs(told[0])), differ = others.length - same.length;
    const what = words ? "" : `${same.length > 1 ? " numbers" : " number"}${differ ? ` of ${of(told[0])}` : ""}`, then = differ ? `, ${differ === 1 ? "one" : `${differ} others`} in another` : "";
    const rest = !same.length ? `The other ${differ > 1 ? `${differ} numbers are` : "number is"} made in another way` : same.length === 1 ? `The other${what} follows in the same way` : `The other ${same.length}${what} follow in the same way`;
    run(held, [...told.flatMap((key, k) => making(key, held, tools, TERMS / told.length, k > 0)), ...others.map((key, k) => ({time: Math.min(PACE / 2, OTHERS / others.length), act() {
      const {td, cell} = held.cells.get(key);
      if (!k) {
        mark(false);
        held.sum.replaceChildren(tools.make("span", {class: "stepper-rest"}, `${rest}${same.length ? then : ""}.`));
      }
      td.classList.remove("stepper-waits");
      meet(held, cell[4]);
    }})), {time: others.length ? LAST : 0, act() {}}, {time: 0, act() {
      meet(held, []);
      mark(true);
      told.forEach((key, k) => write(key, held, tools, k > 0));
    }}]);
    tell(held, true);
  }

  // How a number that was pressed came about, or those of a step that was made.
  function move({place, cell: chosen}, held, last, tools) {
    if (last === undefined || still.matches) return;
    const {cells, cards} = held, makes = (name) => cards.some((each) => each.now && each.name === name);
    if (chosen !== "none") {
      if (chosen !== held.chosen && cells.get(chosen).cell[1] <= place) run(held, making(chosen, held, tools));
    } else if (place === last + 1) {
      const keys = [...cells].filter(([, {cell, matrix}]) => cell[1] === place && cell[3] && makes(matrix)).map(([key]) => key);
      const tells = (key) => cells.get(key).cell[4].every((source) => Number(plain(cells.get(source).cell[0])) !== 0);
      const first = keys.find(tells) ?? keys[0]; // (a sum with zeros shows little)
      if (keys.length) fill([first, ...keys.filter((key) => key !== first)], held, tools);
    }
  }

  // The line of the sum takes the legend's place at the lower edge; what it leaves of its room may lie below the window.
  function tell({foot, sum}, on) {
    foot.classList.toggle("stepper-telling", on);
    foot.style.bottom = on ? `${Math.min(0, sum.offsetHeight - foot.offsetHeight + 14)}px` : "";
  }

  // What a step makes comes into the window, between the bar and the sum, and all before it where there is room. (The bar
  // keeps its place once it has reached it.)
  function bring({bar, canvas, foot, cards}) {
    const made = cards.filter(({now}) => now).map(({node}) => node.getBoundingClientRect()), box = bar.getBoundingClientRect();
    const {top, position} = getComputedStyle(bar), sticks = position === "sticky", stuck = sticks ? parseFloat(top) : box.top, above = sticks ? stuck + box.height : 0;
    const below = innerHeight - (foot.classList.contains("stepper-telling") ? foot.offsetHeight + parseFloat(foot.style.bottom) : 0);
    const down = Math.max(...made.map((each) => each.bottom)) - below + 8, up = canvas.getBoundingClientRect().top - above;
    const by = down > 0 ? Math.max(Math.min(down, Math.min(...made.map((each) => each.top)) - above - 8), box.top - stuck) : Math.min(0, Math.max(up, down));
    if (by) scrollBy({top: by, behavior: still.matches ? "instant" : "smooth"});
  }

  window.StepperMotion = {spoken, write, tell, move, stop, bring};
})();
