// What it computes stands first in __init__.py beside this file, under the same names; a test holds the two equal.
(() => {
  "use strict";
  const belt = ({problem, step, lies}, data, fill) => {
    const told = data.belts[problem], found = told[lies ? "lying" : "honest"], n = found.tokens.length, at = Math.max(n + step, 1);
    const tokens = found.tokens.slice(0, at).map((token, i) => ({place: i + 1, token, writer: found.writers[i],
      p: found.writers[i] === "model" ? fill("{p:.1%}", {p: found.p[i]}) : "masked"}));
    const last = tokens.at(-1), asked = last.token === "<result>";
    const request = asked ? found.tokens.slice(found.tokens.lastIndexOf("<call>", at - 1) + 1, at - 1).join(" ") : "";
    const ended = found.answer === told.right ? "right" : "wrong";
    const kind = at === n ? ended : asked ? "call" : last.writer;
    const ahead = found.tokens.slice(at).map((token, i) => ({token, writer: found.writers[at + i]}));
    return {at, n, tokens, ahead, works: asked ? "harness" : last.writer,
      finding: fill(data.says[kind], {...last, n, request, answer: found.answer, right: told.right})};
  };
  Live.define("belt", {
    compute: (values, data, held, {fill}) => belt(values, data, fill),
    draw(state, data, {make}) {
      const token = (words, who, mark = "") => make("li", {class: `live-token live-by-${who} ${mark}`}, make("b", {}, words));
      const turns = [], whole = [...state.tokens, ...state.ahead.map((word) => ({...word, mark: "live-ahead"}))];
      for (const word of whole) {
        if (turns.at(-1)?.writer !== word.writer) turns.push({writer: word.writer, words: []});
        turns.at(-1).words.push(word);
      }
      return make("div", {class: "live-drawn"},
        make("ul", {class: "live-tokens live-turn live-writers", "aria-label": "Who writes"},
          ...data.writers.map((who) => token(who, who, who === state.works ? "live-works" : "")), make("li", {}, "dashed: masked in training"), make("li", {}, "grey: to come")),
        ...turns.map(({writer, words}) => make("ol", {class: "live-tokens live-turn", "aria-label": `Written by the ${writer}`},
          ...words.map((word) => token(word.token, writer, word.mark)))));
    },
    pace: () => 420,
    actions: {
      back: (values, uniform, held, data) => {
        const {at, n} = belt(values, data, () => "");
        return at === 1 ? {} : {step: at - 1 - n};
      },
      on: (values, uniform, held, data) => {
        const {at, n} = belt(values, data, () => "");
        return at === n ? {} : {step: at + 1 - n};
      },
    },
    begin(values, data) { // from the end Play goes back to the first token
      const {at, n} = belt(values, data, () => "");
      return at === n ? {step: 1 - n} : null;
    },
  });
})();
