// What it computes stands first in __init__.py beside this file, under the same names; a test holds the two equal.
(() => {
  "use strict";
  const {nextToken, EOS, split, prepare, read, after, ranked, percent, titled, cased, reachOf, bar} = window.ModelText;
  const sampling = ({temperature, top_k: k, top_p: p}, data) =>
    ({temperature, topK: k >= data.all_k ? null : k, topP: p === 1 ? null : p});
  const nextWord = {
    prepare,
    compute(values, data, held, {fill}) {
      const {prompt} = values, chosen = sampling(values, data);
      const found = {keep: chosen.topK === null ? "all" : String(chosen.topK), words: [], over: prompt.endsWith(EOS)};
      if (found.over) return {...found, finding: `The text is over: nothing follows ${EOS}. “Step back” takes the last word back.`};
      const logits = read(held, prompt).logitsAt(split(prompt).length), plain = nextToken(logits), drawn = nextToken(logits, chosen);
      found.words = ranked(plain).slice(0, 10).map((i, k) => ({rank: k + 1, word: held.tokens[i], plain: plain[i], p: drawn[i]}));
      const left = drawn.filter((p) => p > 0).length;
      const said = "{after} the most probable next word is “{word}”, to which the model gives {plain:.2%} (dashed). With these settings, its probability in the draw is {p:.2%}; {words} can be drawn.";
      return {...found, finding: cased(fill(said, {...found.words[0], after: after(prompt), words: left === 1 ? "one word" : `${left} words`}), data.names)};
    },
    draw(state, data, {make, shown, set, held}) {
      const text = make("p", {class: "live-text"}, `${split(state.prompt).map((word) => titled(word, data.names)).join(" ") || "(nothing yet)"} `, ...(state.over ? [] : [make("span", {class: "live-caret"}, "?")]));
      const reach = reachOf(state.words);
      const row = ({rank, word, plain, p}) => {
        const much = p === 0 ? "cut" : percent(shown, p);
        const button = make("button", {type: "button", class: `live-rank${p === 0 ? " live-cut" : ""}`, "data-key": rank,
          "aria-label": `Append ${word}: ${p === 0 ? "cut off" : `${much} in the draw`}, ${percent(shown, plain)} by the model`},
        make("span", {class: "live-word", ...(data.english[word] ? {"data-english": data.english[word].replace(/\W/g, "")} : {})}, titled(word, data.names)), bar(make, p, plain, reach), make("span", {class: "live-much"}, much));
        button.addEventListener("click", () => set({prompt: `${state.prompt} ${word}`.trim()}));
        return make("li", {}, button);
      };
      // On a phone six words stand with the sliders, and one line tells what the others have (live.css; the padding never follows).
      const first = state.words.slice(0, 6), others = held.tokens.length - 7, seventh = state.words[6];
      const share = Math.max(0, 1 - first.reduce((sum, {p}) => sum + p, 0));
      const rest = seventh ? [make("li", {class: "live-others"}, make("span", {}, `the ${others} other words together`),
        make("span", {class: "live-much"}, seventh.p ? percent(shown, share) : "cut"))] : [];
      return make("div", {class: "live-drawn"}, text, make("ol", {class: "live-ranks", "aria-label": "The likeliest next words; press one to append it"}, ...state.words.map(row), ...rest),
        make("p", {class: "live-reach"}, state.over ? "" : `A whole bar is ${shown(reach, 0, true)}.`));
    },
    actions: {
      draw(values, uniform, held, data) {
        const {prompt} = values, n = split(prompt).length;
        if (prompt.endsWith(EOS) || n >= held.model.config.context - 1) return {};
        const shares = nextToken(read(held, prompt).logitsAt(n), sampling(values, data));
        let total = 0, token = 0;
        for (const [i, share] of shares.entries()) {
          if (!share) continue;
          token = i;
          if ((total += share) > uniform) break;
        }
        return {prompt: `${prompt} ${held.tokens[token]}`.trim()};
      },
      back: ({prompt}) => ({prompt: split(prompt).slice(0, -1).join(" ")}),
    },
  };
  Live.define("next_word", nextWord);
  Live.define("next_story_word", nextWord);
})();
