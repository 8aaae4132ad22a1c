// What it computes stands first in __init__.py beside this file, under the same names; a test holds the two equal.
(() => {
  "use strict";
  const UNKNOWN = "<UNK>";
  Live.define("coverage", {
    compute({kept}, {words, story, stories, tokens, known_tokens, known_stories}) {
      const k = Math.round(kept), list = new Set(words.slice(0, k)), read = story.map((word) => list.has(word) ? word : UNKNOWN);
      return {known: known_tokens[k] / tokens, whole: known_stories[k] / stories, types: k / words.length,
        missing: read.filter((word) => word === UNKNOWN).length, length: read.length, read, last: words[k - 1]};
    },
    draw(state, {words, story, stories, tokens, known_tokens, known_stories}, {svg, text, make, shown}) {
      const n = words.length, x = (k) => 40 + 350 * k / n, y = (share) => 176 - 160 * share;
      const line = (counts, all) => counts.map((count, k) => k ? `${k > 1 ? "L" : "M"}${x(k).toFixed(1)} ${y(count / all).toFixed(1)}` : "").join("");
      const dot = (share) => svg("circle", {cx: x(state.kept).toFixed(1), cy: y(share).toFixed(1), r: 5});
      const plot = svg("svg", {viewBox: "0 0 404 222"},
        ...[0, 0.5, 1].map((share) => svg("g", {}, svg("line", {x1: 40, x2: 390, y1: y(share), y2: y(share), class: "live-grid"}),
          text(36, y(share) + 5, `${shown(100 * share, 0)}%`, {class: "live-left"}))),
        ...[1, 200, 400, 600].map((k) => text(x(k), 196, String(k))),
        text(215, 216, "words on the list", {class: "live-name"}),
        svg("line", {x1: x(state.kept), x2: x(state.kept), y1: 12, y2: 176, class: "live-here"}),
        svg("g", {class: "live-line"}, svg("path", {d: line(known_tokens, tokens), class: "live-curve"}), dot(state.known), text(205, 78, "tokens known", {class: "live-name"})),
        svg("g", {class: "live-line live-absolute"}, svg("path", {d: line(known_stories, stories), class: "live-curve"}), dot(state.whole), text(175, 160, "stories of known words alone", {class: "live-name"})));
      const told = make("p", {class: "coverage-story"}, ...state.read.flatMap((word, i) => [word === UNKNOWN ? make("mark", {title: "not on the list"}, "▢".repeat(Math.min(5, story[i].length))) : word, " "]));
      return make("div", {class: "live-drawn"}, plot, told);
    },
  });
})();
