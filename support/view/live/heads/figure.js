// What it computes stands first in __init__.py beside this file, under the same names; a test holds the two equal.
(() => {
  "use strict";
  const {BOS, split, prepare, read, best, square, scroll} = window.ModelText;
  Live.define("heads", {
    prepare,
    compute({prompt, back}, data, held, {fill}) {
      const tokens = [BOS, ...split(prompt)], reader = read(held, prompt), here = Math.max(0, tokens.length - 1 - back);
      const rows = Array.from({length: data.layers * data.heads}, (_, k) => {
        const i = Math.floor(k / data.heads), h = k % data.heads, weights = [...reader.pattern(i, h, here)].slice(0, here + 1), most = best(weights);
        return {head: `${i}.${h}`, weights, most: tokens[most], place: most + 1, weight: weights[most], itself: weights[here]};
      });
      const sharpest = rows.reduce((a, b) => b.weight > a.weight ? b : a), different = new Set(rows.map(({place}) => place)).size;
      const about = {word: tokens[here], here, different};
      return {...about, tokens, rows, finding: fill(data.says[here ? 0 : 1], {...about, places: different === 1 ? "place" : "different places", heads: rows.length,
        most: sharpest.place === here + 1 ? "that word itself" : `“${sharpest.most}”`, head: sharpest.head, weight: sharpest.weight})};
    },
    draw(state, data, {make, shown, set}) {
      const last = state.tokens.length - 1, {here} = state;
      const head = make("tr", {}, make("td", {class: "live-corner"}, "head\u00a0↓ word\u00a0→"), ...state.tokens.map((word, k) => {
        if (last - k > data.back) return make("th", {scope: "col"}, word);
        const button = make("button", {type: "button", class: "live-stage", "data-key": k, "aria-pressed": String(k === here)}, word);
        button.addEventListener("click", () => set({back: last - k}));
        return make("th", {scope: "col"}, button);
      }));
      const rows = state.rows.map(({head: name, weights, place}, i) => make("tr", i === data.heads ? {class: "heads-next"} : {}, make("th", {scope: "row"}, `head ${name}`),
        ...state.tokens.map((_, k) => {
          if (k > here) return make("td", {class: "live-square live-masked"}, "");
          const cell = square(make, weights[k], {}, shown(100 * weights[k], 0));
          cell.classList.toggle("heads-most", k === place - 1);
          return cell;
        })));
      return make("div", {class: "live-drawn"}, scroll(make, "The attention weights of each head, in percent",
        make("table", {class: "live-squares live-attention live-heads", "aria-label": `Attention of “${state.word}” in each head, in percent`}, make("thead", {}, head), make("tbody", {}, ...rows))),
        make("p", {class: "live-told"}, "In percent; a frame marks what a head attends to most. Press a word to see its attention."));
    },
  });
})();
