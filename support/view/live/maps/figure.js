// What it computes stands first in __init__.py beside this file, under the same names; a test holds the two equal.
(() => {
  "use strict";
  const {picture} = window.WordMap;
  const foundWord = (typed, words) => {
    const wanted = typed.replace(/^ +| +$/g, "").toLowerCase();
    if (!wanted) return null;
    const exact = words.indexOf(wanted), first = words.findIndex((word) => word.startsWith(wanted));
    return exact >= 0 ? exact : first >= 0 ? first : null;
  };
  const nearOnMap = (points, i) => {
    const apart = points.map(([x, y]) => (x - points[i][0]) * (x - points[i][0]) + (y - points[i][1]) * (y - points[i][1]));
    return [...points.keys()].filter((k) => k !== i).sort((a, b) => apart[a] - apart[b] || a - b).slice(0, 5);
  };
  const step = (by) => ({find}, uniform, held, data) => {
    const i = foundWord(find, data.words), n = data.words.length;
    return {find: i === null ? data.words[0] : data.words[(i + by + n) % n]};
  };
  Live.define("maps", {
    compute({which, seed, find}, data, held, {fill}) {
      const free = which.startsWith("t-SNE"), perplexity = which.split(" ").at(-1), drawn = data.maps[free ? `t-SNE ${perplexity} ${seed}` : which];
      const i = foundWord(find, data.words), typed = find.replace(/^ +| +$/g, "");
      const found = {seed_shown: free ? String(seed) : "not used", points: drawn.points, chosen: i, near: [], shared: 0};
      found.finding = fill(free ? "{what} has no axes and no share; it keeps {kept:.1%} of the five nearest neighbours. "
        : "{what} shows {share:.1%} of the variance and keeps {kept:.1%} of the five nearest neighbours. ",
      {...drawn, what: free ? `This t-SNE (perplexity ${perplexity}, seed ${seed})` : `This ${which}`});
      if (i === null) {
        found.finding += typed ? `No word here begins with “${typed}”.` : "Choose a word.";
        return found;
      }
      const there = nearOnMap(drawn.points, i), truly = data.near[i];
      found.near = there.map((a, k) => ({rank: k + 1, there: data.words[a], truly: data.words[truly[k]]}));
      found.shared = there.filter((k) => truly.includes(k)).length;
      found.finding += `Of the five nearest to “${data.words[i]}” on the map, ${found.shared} are among its five nearest in all dimensions.`;
      return found;
    },
    draw(state, data, tools) {
      const near = state.chosen === null ? [] : data.near[state.chosen];
      const notes = [...(state.which === "concept plane" ? [`Across: ${data.axes[0]}. Upwards: ${data.axes[1]}.`] : []),
        ...(near.length ? ["The lines lead to its five nearest in all dimensions."] : [])];
      return picture(tools, {words: data.words, kinds: data.kinds, points: state.points, chosen: state.chosen, near, lines: true, notes,
        choose: (word) => tools.set({find: word})});
    },
    actions: {back: step(-1), on: step(1)},
  });
})();
