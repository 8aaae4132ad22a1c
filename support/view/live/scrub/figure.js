// What it computes stands first in __init__.py beside this file, under the same names; a test holds the two equal.
(() => {
  "use strict";
  const move = (values, by, run) => {
    const at = Math.round(values.at) + by;
    return at >= 0 && at < run.length ? {at} : {};
  };
  Live.define("scrub", {
    compute({at, text}, {run, lines}) {
      const row = run[Math.round(at)], keeping = row.legal === 0 ? "none keeps" : row.legal === 1 ? "1 keeps" : `${row.legal} keep`, words = row.next[text].map(([word, p, exact]) => ({word, p, exact}));
      const passed = Object.keys(lines).filter((name) => row.loss < lines[name]);
      return {step: row.step, loss: row.loss, legal: row.legal, game: row.game, broken: row.broken,
        keeping, words, best: words[0].word, p: words[0].p, exact: words[0].exact,
        brief: `Step ${row.step}: loss ${row.loss.toFixed(3)}, ${(row.loss - lines.floor).toFixed(3)} above the floor. Of 100 games that it makes up, ${keeping} every rule.`,
        verdict: passed.length ? `better than the ${passed.at(-1)} model` : "not yet better than counting single words", above: row.loss - lines.floor};
    },
    draw(state, {run, lines}, {svg, text, make, shown}) {
      const x = (step) => 40 + 350 * step / 400, y = (loss) => 224 - 210 * (loss - 0.8) / 2.6;
      const curve = run.map(({step, loss}, k) => `${k ? "L" : "M"}${x(step).toFixed(1)} ${y(loss).toFixed(1)}`).join("");
      // Where neither the curve is nor the axis: two lines lie close together, and the curve ends on them.
      const names = {unigram: "unigram: counts single words", bigram: "bigram: counts pairs", trigram: "trigram: counts triples", floor: "floor: the lowest possible"};
      const places = {trigram: [388, y(lines.trigram) - 13], floor: [388, y(lines.floor) + 15]};
      const plot = svg("svg", {viewBox: "0 -6 404 458"},
        ...Object.entries(lines).map(([name, loss]) => svg("g", {}, svg("line", {x1: 40, x2: 390, y1: y(loss), y2: y(loss), class: "live-ghost"}),
          text(...places[name] || [388, -4 + y(loss)], names[name], {class: "live-left live-name"}))),
        ...[1, 2, 3].map((loss) => text(34, y(loss) + 5, shown(loss, 0), {class: "live-left"})),
        ...[0, 100, 200, 300, 400].map((step) => text(x(step), 243, String(step))),
        svg("line", {x1: 40, x2: 390, y1: 224, y2: 224, class: "live-grid"}),
        text(215, 260, "step", {class: "live-name"}),
        text(10, 9, "loss on new games, nats", {class: "live-right live-name"}),
        svg("line", {x1: x(state.step), x2: x(state.step), y1: 14, y2: 224, class: "live-here"}),
        svg("g", {class: "live-line"}, svg("path", {d: curve, class: "live-curve"})),
        svg("g", {class: "live-line live-absolute"}, svg("circle", {cx: x(state.step).toFixed(1), cy: y(state.loss).toFixed(1), r: 7})),
        text(10, 287, `after “${state.text}” (dashed: by the rules)`, {class: "live-right live-name"}),
        ...state.words.map(({word, p, exact}, k) => svg("g", {},
          text(104, 316 + 25 * k, word, {class: "live-left"}), svg("rect", {x: 112, y: 301 + 25 * k, width: (220 * p).toFixed(1), height: 19, class: "live-bar"}),
          svg("rect", {x: 112, y: 299 + 25 * k, width: (220 * exact).toFixed(1), height: 23, class: "live-ghost"}),
          text(398, 316 + 25 * k, shown(p, 1, true), {class: "live-left"}))));
      // The first word that no rule allows is marked; what comes after it can no longer be judged.
      const {broken} = state, made = state.game.split(" "), whole = broken < 0;
      const told = whole ? made.at(-1) === "…" ? "legal as far as it is shown: " : "legal to its end: " : "the marked word breaks a rule: ";
      return make("div", {class: "live-drawn"}, plot, make("p", {class: "scrub-game"}, make("b", {}, "A game that it makes up (<EOS> ends it); ", told),
        ...whole ? [state.game] : [broken ? `${made.slice(0, broken).join(" ")} ` : "", make("mark", {}, made[broken]),
          make("span", {class: "scrub-after"}, ` ${made.slice(broken + 1).join(" ")}`)]));
    },
    actions: {
      back: (values, _, held, data) => move(values, -1, data.run),
      step: (values, _, held, data) => move(values, 1, data.run),
    },
    pace: () => 700,
    begin: (values, data) => Math.round(values.at) === data.run.length - 1 ? {at: 0} : null,
  });
})();
