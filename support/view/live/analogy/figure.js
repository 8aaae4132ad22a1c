// What it computes stands first in __init__.py beside this file, under the same names; a test holds the two equal.
(() => {
  "use strict";
  const {picture} = window.WordMap;
  const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
  const plus = (a, b, times = 1) => a.map((x, i) => x + times * b[i]);
  const unit = (a) => a.map((x) => x / Math.sqrt(dot(a, a)));
  Live.define("analogy", {
    compute({a, b, c, table}, {words, rows: tables, flat, design, says}, held, {fill}) {
      const rows = tables[table], [i, j, k] = [a, b, c].map((word) => words.indexOf(word));
      const first = plus(rows[i], rows[j], -1), wanted = plus(first, rows[k]);
      const cosines = rows.map((row) => dot(row, wanted) / Math.sqrt(dot(row, row) * dot(wanted, wanted)));
      const order = [...words.keys()].sort((p, q) => cosines[q] - cosines[p] || p - q), others = order.filter((n) => ![i, j, k].includes(n));
      const near = order.slice(0, 5).map((p, n) => ({rank: n + 1, every: words[p], cosine: cosines[p], other: words[others[n]], other_cosine: cosines[others[n]]}));
      const meant = plus(plus(design[i], design[j], -1), design[k]), exact = words.find((_, n) => design[n].every((x, m) => x === meant[m]));
      let points = flat[table];
      if (new Set([a, b, c]).size === 3) { // the difference b → a lies across, and c above it
        const across = unit(first), second = plus(rows[k], rows[j], -1), up = unit(plus(second, across, -dot(second, across)));
        points = rows.map((row) => [across, up].map((axis) => dot(plus(row, rows[j], -1), axis)));
      }
      const found = {near, points, designed: exact || "", target: plus(plus(points[i], points[j], -1), points[k])};
      const about = {...near[0], question: `${a} − ${b} + ${c}`, nearest: near[0].every, designed: exact};
      return {...found, finding: fill(says[[a, b, c].includes(near[0].every) ? 0 : 1] + says[exact ? 2 : 3], about)};
    },
    draw(state, data, tools) {
      const at = (word) => data.words.indexOf(word), {a, b, c, points, target, near} = state;
      const plane = new Set([a, b, c]).size === 3 ? "The map is the plane through the three words" : "The map is the plane of the greatest variance";
      return picture(tools, {words: data.words, kinds: data.kinds, points, frame: [...points, target], chosen: at(near[0].every),
        first: [a, b, c, near[0].other].map(at), near: [], arrows: [[points[at(b)], points[at(a)]], [points[at(c)], target]], cross: target,
        notes: [`${plane}; the other words are projected on it. Both arrows are a − b, the cross is at a − b + c, and the ring marks the word that is nearest to it by cosine. A word that you press becomes c.`],
        choose: (word) => tools.set({c: word})});
    },
    actions: {
      another({a, b, c}, uniform, held, {asked}) {
        const now = asked.findIndex((question) => question.join() === [a, b, c].join()), then = asked[(now + 1) % asked.length];
        return {a: then[0], b: then[1], c: then[2]};
      },
    },
  });
})();
