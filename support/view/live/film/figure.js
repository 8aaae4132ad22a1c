// What it computes stands first in __init__.py beside this file, under the same names; a test holds the two equal.
(() => {
  "use strict";
  const {picture} = window.WordMap;
  Live.define("film", {
    compute({frame, word}, data, held, {fill}) {
      const now = data.frames[frame], i = data.words.indexOf(word), last = data.frames.at(-1).near[i];
      const near = now.near[i].map((a, k) => ({rank: k + 1, now: data.words[a], cosine: now.cosine[i][k], end: data.words[last[k]]}));
      const found = {step: now.step, loss: now.loss, share: now.share, floor: data.floor, shared: now.near[i].filter((k) => last.includes(k)).length};
      const sides = [0, 1].map((k) => now.points.map((p) => p[k]));
      found.width = Math.max(...sides.map((side) => Math.max(...side) - Math.min(...side)));
      const said = "After {step} steps the loss is {loss:.3f} nats; with the game’s own probabilities it would be {floor:.3f}. "
        + "Nearest to “{word}” is “{nearest}”; {shared} of its five nearest stay to the end.";
      return {...found, points: now.points, near, path: data.frames.slice(0, frame + 1).map((picture) => picture.points[i]),
        finding: fill(said, {...found, word, nearest: near[0].now})};
    },
    draw(state, data, tools) {
      const i = data.words.indexOf(state.word);
      return picture(tools, {words: data.words, kinds: data.kinds, points: state.points, frame: [...state.points, ...state.path], height: 360,
        chosen: i, near: data.frames[state.frame].near[i], first: [], lines: false, ruler: 0.1, path: state.path,
        notes: ["The thin line is the way of the chosen word so far. " + tools.fill("Each picture has its own scale: the bar is always 0.1 long, and here the words lie within {width:.2f}. The plane shows {share:.1%} of the variance.", state)],
        choose: (word) => tools.set({word})});
    },
    pace: () => 600,
    begin: ({frame}, data) => frame === data.frames.length - 1 ? {frame: 0} : null,
    actions: {
      back: ({frame}, uniform, held, data) => frame > 0 ? {frame: frame - 1} : {},
      on: ({frame}, uniform, held, data) => frame + 1 < data.frames.length ? {frame: frame + 1} : {},
    },
  });
})();
