// What it computes stands first in __init__.py beside this file, under the same names; a test holds the two equal.
(() => {
  "use strict";
  const {BOS, split, prepare, read, best, percent, placed, square, scroll} = window.ModelText;
  Live.define("attention", {
    prepare,
    compute({prompt, layer, head}, data, held, {fill}) {
      const words = [BOS, ...split(prompt)], reader = read(held, prompt);
      const weights = words.map((_, i) => [...reader.pattern(layer, head, i)]);
      const queries = weights.map((row, i) => {
        const most = best(row);
        return {word: words[i], most: words[most], weight: row[most], itself: row[i], first: row[0], place: i + 1, most_place: most + 1};
      });
      const last = queries.at(-1), whom = last.most_place === last.place ? "itself" : placed(words, last.most_place - 1);
      const said = "In block {layer:.0f}, head {head:.0f}, the last word “{word}” attends most to {whom}, with an attention weight of {weight:.1%}.";
      return {words, weights, queries, finding: fill(said, {...last, layer, head, whom})};
    },
    draw(state, data, {make, shown}) {
      const n = state.words.length, told = make("p", {class: "live-told"}, matchMedia("(hover: none)").matches ? "Press a square to read what it says." : "Go over the squares, or step through them with the arrow keys.");
      // What a weight means: of all that the head hands to a word, so much comes from the other.
      const means = make("p", {class: "live-told"}, "A row is a word that attends; the weights of a row add up to 100%.");
      const meaning = (i, k) => {
        const most = best(state.weights[i]), name = (j) => j === i ? "the word itself" : `“${state.words[j]}” (${j + 1})`, much = (j) => shown(state.weights[i][j], 1, true);
        return `So the value of ${name(k)} counts ${much(k)} in the average that this head gives “${state.words[i]}”${most === k ? i ? ", more than any other" : "" : `; that of ${name(most)} counts most, ${much(most)}`}.`;
      };
      // Its row and its column are marked, up to the two words that it joins.
      const mark = (i, k) => {
        for (const each of table.querySelectorAll(".attention-near, .attention-here")) each.classList.remove("attention-near", "attention-here");
        for (const each of [...cells[i].slice(0, i + 1), ...cells.slice(k).map((row) => row[k])]) each.classList.add("attention-near");
        for (const each of [cells[i][k], cells[i][0].previousSibling, head.children[k + 1]]) each.classList.add("attention-here");
      };
      const cells = state.words.map((word, i) => state.words.map((other, k) => {
        if (k > i) return make("td", {class: "live-square live-masked"}, "");
        const p = state.weights[i][k], says = `“${word}” (${i + 1}) attends to “${other}” (${k + 1}) with weight ${shown(p, 1, true)}`;
        const cell = square(make, p, {tabindex: i === n - 1 && k === n - 1 ? "0" : "-1", "data-key": `${i}-${k}`, "aria-label": says}, shown(100 * p, 0));
        for (const event of ["mouseenter", "focus"]) cell.addEventListener(event, () => {
          told.textContent = says;
          means.textContent = meaning(i, k);
          mark(i, k);
        });
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
      const head = make("tr", {}, make("td", {class: "live-corner"}, "query\u00a0↓ key\u00a0→"), ...state.words.map((word) => make("th", {scope: "col"}, make("span", {}, word))));
      const table = make("table", {class: `live-squares live-attention${state.words.length < 7 && state.words.every((word) => word.length < (state.words.length < 6 ? 8 : 5)) ? " live-level" : ""}`, role: "grid", "aria-label": "Attention weights in percent"}, make("thead", {}, head),
        make("tbody", {}, ...state.words.map((word, i) => make("tr", {}, make("th", {scope: "row"}, word), ...cells[i]))));
      return make("div", {class: "live-drawn"}, make("div", {class: "live-scroll live-wide"}, table), told, means);
    },
  });
})();
