// What it computes stands first in __init__.py beside this file, under the same names; a test holds the two equal.
(() => {
  "use strict";
  const {softmax, BOS, prepare, read, bar} = window.ModelText;
  const offOf = (values) => {
    const names = Object.keys(values).filter((name) => !values[name]), layer = (name) => Number(name[1]);
    return {
      names,
      heads: names.filter((n) => n[0] === "h").map((n) => [layer(n), Number(n[2])]),
      attention: names.filter((n) => n[0] === "a").map(layer),
      feed_forward: names.filter((n) => n[0] === "m").map(layer),
    };
  };
  const answers = (held, data, {names, ...off}) => {
    const groups = data.rules.map(() => []), players = data.players.map((word) => held.ids.get(word));
    for (const [words, answer, rule] of data.questions) {
      const probabilities = softmax(held.reader.read([BOS, ...words].map((word) => held.ids.get(word)), off).logitsAt(words.length));
      const p = probabilities[held.ids.get(answer)];
      groups[rule].push(rule < 4 ? p : p / players.reduce((sum, i) => sum + probabilities[i], 0));
    }
    return groups.map((group) => group.reduce((a, b) => a + b, 0) / group.length);
  };
  // A share below 1 is not rounded to 1, but down.
  const least = (shown, p) => p >= 0.9995 && p < 1 ? `≥ ${shown(Math.floor(1000 * p) / 1000, 1, true)}` : shown(p, 1, true);
  Live.define("ablation", {
    prepare(model, data) {
      const held = prepare(model);
      return {...held, whole: answers(held, data, offOf({})), sizes: data.rules.map((_, i) => data.questions.filter((q) => q[2] === i).length)};
    },
    compute(values, data, held, {fill, shown}) {
      const off = offOf(values), now = off.names.length ? answers(held, data, off) : held.whole;
      const rules = data.rules.map(([rule, asked], i) => ({rule: i < 4 ? `says ${rule}` : "the called one speaks", asked,
        whole: held.whole[i], now: now[i], change: now[i] - held.whole[i], at_first: least(shown, held.whole[i]), as_switched: least(shown, now[i])}));
      const mean = (which) => which.reduce((sum, i) => sum + now[i] * held.sizes[i], 0) / which.reduce((sum, i) => sum + held.sizes[i], 0);
      const greeting = mean([0, 1, 2, 3]), speaker = mean([4, 5]), names = off.names.map((name) => data.names[name]);
      const list = names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0];
      const how = names.length ? `Without ${list}` : "With every part switched on";
      const said = "{how}, the right title has {title} on average over all games, and the called one has {speaker:.1%} of the probability of speaking next.";
      const fallen = rules.filter(({change}) => change < -data.fell).map(({rule, asked}) => `“${rule}” (${asked})`), [some, all, none] = data.needed;
      const needed = !names.length ? "" : !fallen.length ? none : fallen.length === rules.length ? all : `${some}${fallen.length === 1 ? fallen[0] : `${fallen.length} of the rules`}.`;
      return {rules, greeting, speaker, finding: fill(said, {title: least(shown, greeting).replace("≥", "at least"), speaker, how}) + needed};
    },
    draw(state, {fell}, {make}) {
      return make("div", {class: "live-drawn"}, make("ul", {class: "live-ranks live-rules"}, ...state.rules.map(({rule, asked, whole, now, change, as_switched}) =>
        make("li", {class: `live-rank${change < -fell ? " live-fell" : ""}`}, make("span", {class: "live-word"}, make("b", {}, rule), " ", make("small", {}, asked)),
          bar(make, now, whole), make("span", {class: "live-much"}, as_switched)))),
      make("p", {class: "live-told"}, `Dashed: with every part on. Red: more than ${Math.round(100 * fell)} percentage points are lost.`));
    },
    actions: {on: (values) => Object.fromEntries(Object.keys(values).map((name) => [name, true]))},
  });
})();
