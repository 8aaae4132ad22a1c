// What it computes stands first in __init__.py beside this file, under the same names; a test holds the two equal.
(() => {
  "use strict";
  const move = (values, by, {words}) => {
    const read = Math.round(values.read) + by;
    return read >= 1 && read <= words.length ? {read} : {};
  };
  Live.define("recurrence", {
    compute({read: count, kind, keep}, {words, kinds, subject, writes, says, ends}, held, {fill}) {
      const which = kinds.indexOf(kind), gates = words.map((_, i) => which === 1 && i === subject ? 1 - writes : keep);
      const shares = words.map((_, i) => i >= count ? 0 : which === 2 ? 1 : gates.slice(i + 1, count).reduce((all, z) => all * z, 1) * (1 - gates[i]));
      const about = {word: words[count - 1], read: count, writes, keep, subject: shares[subject], last: shares[count - 1]};
      const said = says[which === 2 ? 3 : count === subject + 1 ? 2 : Number(count <= subject)] + ends[which || (keep > 0 && keep < 1) ? which : keep ? 3 : 4];
      return {words: words.map((word, i) => ({place: i + 1, word, share: shares[i]})), vectors: which === 2 ? count : 1, finding: fill(said, about), ...about};
    },
    draw(state, {words, subject}, {svg, text, shown}) {
      const y = (i) => 30 + 26 * i;
      return svg("svg", {viewBox: `0 0 404 ${y(words.length) + 28}`, class: "recurrence"},
        text(96, 16, "word", {class: "live-left live-name"}), text(398, 16, "what is left of it", {class: "live-left live-name"}),
        ...state.words.map(({word, share}, i) => {
          const unread = i >= state.read, now = i === state.read - 1;
          return svg("g", {class: `recurrence-row${unread ? " recurrence-unread" : now ? " recurrence-now" : ""}${i === subject ? " live-line live-absolute" : ""}`},
            text(96, y(i) + 17, word, {class: "live-left"}), svg("rect", {x: 104, y: y(i) + 3, width: 232, height: 18, rx: 3, class: "recurrence-track"}),
            ...(unread ? [] : [svg("rect", {x: 104, y: y(i) + 3, width: (232 * share).toFixed(1), height: 18, rx: 3, ...(i === subject ? {} : {class: "live-bar"})}),
              text(398, y(i) + 17, shown(share, 1, true), {class: "live-left"})]));
        }),
        text(104, y(words.length) + 17, "was or were?", {class: "live-right recurrence-next"}));
    },
    actions: {
      back: (values, _, held, data) => move(values, -1, data),
      step: (values, _, held, data) => move(values, 1, data),
    },
    pace: () => 700,
    begin: (values, data) => Math.round(values.read) === data.words.length ? {read: 1} : null,
  });
})();
