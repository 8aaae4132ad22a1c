// What it computes stands first in __init__.py beside this file, under the same names; a test holds the two equal.
(() => {
  "use strict";
  const hex = (bytes) => [...bytes].map((b) => b.toString(16).toUpperCase().padStart(2, "0")).join(" ");
  const strict = new TextDecoder("utf-8", {fatal: true, ignoreBOM: true});
  const many = (n, what) => n === 1 ? `${n} ${what}` : `${n} ${what}s`;
  // GPT-2's pattern; JavaScript's own \s is another set of characters than Unicode's.
  const PIECES = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu;

  const told = (bytes) => {
    let text;
    try { text = strict.decode(Uint8Array.from(bytes)); } catch { return hex(bytes); }
    return [...text].map((c) => c === " " ? "␣" : /[\p{Cc}\p{Cf}\p{Z}]/u.test(c)
      ? `U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}` : c).join("");
  };

  Live.define("bpe", {
    prepare(model, data) {
      // GPT-2's character for each byte: its own where it is visible, else one from 256 on.
      const id = new Array(256), byteOf = new Map(), seen = data.bytes.indexOf(0);
      data.bytes.forEach((byte, i) => {
        id[byte] = i;
        byteOf.set(i < seen ? String.fromCharCode(byte) : String.fromCharCode(256 + i - seen), byte);
      });
      const bytes = data.bytes.map((byte) => [byte]), names = new Map([...byteOf].map(([c, byte]) => [c, id[byte]]));
      const rank = new Map(), pairs = data.merges.map(([a, b], k) => {
        const pair = [names.get(a), names.get(b)];
        rank.set(`${pair[0]} ${pair[1]}`, k);
        names.set(a + b, 256 + k);
        bytes.push([...bytes[pair[0]], ...bytes[pair[1]]]);
        return pair;
      });
      return {id, bytes, pairs, rank, told: bytes.map(told)};
    },
    compute({text, merges}, data, held, {fill}) {
      const pieces = text.match(PIECES) || [], tokens = [], encoder = new TextEncoder();
      pieces.forEach((piece, number) => {
        const ids = [...encoder.encode(piece)].map((byte) => held.id[byte]);
        for (;;) { // the oldest pair first, leftmost first
          let best = merges, at = -1;
          for (let i = 0; i + 1 < ids.length; i++) {
            const k = held.rank.get(`${ids[i]} ${ids[i + 1]}`);
            if (k < best) [best, at] = [k, i];
          }
          if (at < 0) break;
          ids.splice(at, 2, 256 + best);
        }
        for (const id of ids) {
          const origin = id < 256 ? "a byte" : `merge ${id - 255}: ${held.pairs[id - 256].map((i) => held.told[i]).join(" + ")}`;
          tokens.push({place: tokens.length + 1, token: held.told[id], id, piece: number, bytes: hex(held.bytes[id]), origin});
        }
      });
      const size = encoder.encode(text).length;
      const newest = merges ? `the newest is ${held.pairs[merges - 1].map((i) => held.told[i]).join(" + ")}` : "every token is a byte";
      let finding = `${merges || "No"} merge${merges === 1 ? "" : "s"}, ${newest}: ${many([...text].length, "character")} and `
        + `${many(size, "byte")} become ${many(tokens.length, "token")}`;
      if (tokens.length) finding += fill(", {each:.2f} bytes to a token", {each: size / tokens.length});
      return {tokens, pieces, finding: `${finding}.`};
    },
    draw(state, data, {make}) {
      if (!state.tokens.length) return make("p", {class: "live-text"}, "(no text yet)");
      const item = ({token, id, piece, origin}) => make("li", {class: `live-token${piece % 2 ? " live-other" : ""}${id < 256 ? " live-byte" : ""}`, title: origin},
        make("b", {}, token), " ", make("small", {}, String(id)));
      const sample = (...kinds) => kinds.map((kind) => make("i", {class: `live-sample ${kind}`}));
      return make("div", {}, make("ol", {class: "live-tokens", "aria-label": "The tokens, each with its id"}, ...state.tokens.map(item)),
        make("ul", {class: "live-legend", "aria-label": "What the boxes show"},
          make("li", {}, "A box is a token; the number below it is its id."),
          make("li", {}, ...sample("", "live-other"), "Colours alternate from piece to piece; no merge crosses their border."),
          make("li", {}, ...sample("live-byte"), "Dashed: a single byte."), make("li", {}, "␣ is a space.")));
    },
  });
})();
