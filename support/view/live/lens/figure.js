// What it computes stands first in __init__.py beside this file, under the same names; a test holds the two equal.
(() => {
  "use strict";
  const {softmax, BOS, split, prepare, read, after, best, ranked, percent, bar, square, scroll} = window.ModelText;
  Live.define("lens", {
    prepare,
    compute({prompt, stage: now}, data, held, {fill}) {
      const words = [BOS, ...split(prompt)], reader = read(held, prompt), {tokens} = held, last = words.length - 1;
      const shares = data.stages.map((_, k) => words.map((_, at) => softmax(reader.lens(k, at))));
      const final = best(shares.at(-1)[last]), answer = tokens[final];
      const grid = shares.map((row) => row.map((probabilities) => ({word: tokens[best(probabilities)], p: probabilities[best(probabilities)]})));
      const stages = data.stages.map((stage, k) => {
        const probabilities = shares[k][last], [first, second] = ranked(probabilities);
        return {stage, best: tokens[first], p: probabilities[first], second: tokens[second], p2: probabilities[second], right: probabilities[final]};
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
      return make("div", {class: "live-drawn"}, top, scroll(make, "The answer after each component, at each word",
        make("table", {class: "live-squares live-lens"}, make("thead", {}, head), make("tbody", {}, ...rows))));
    },
  });
})();
