// The harness around the assistant, and its tools: the same as support/alignment/harness.py, conversation.py and tools.py.
// The model writes tokens and nothing else; what it asks for is read here, by small parsers, and answered.
(() => {
  "use strict";
  const LONGEST_SUM = 200, MOST_DIGITS = 10n ** 50n, DEEPEST = 20, LONGEST_RESULT = 64;
  class ToolError extends Error {}

  // --- the calculator: a sum of products of signed numbers or brackets, in whole numbers and fractions ---
  const SIGNS = {"×": "*", "÷": "/", "−": "-", "·": "*"};
  const size = (n) => n < 0n ? -n : n;
  const divisor = (a, b) => { while (b) [a, b] = [b, a % b]; return a; };
  const fraction = (top, bottom = 1n) => {
    if (bottom < 0n) [top, bottom] = [-top, -bottom];
    const shared = divisor(size(top), bottom) || 1n, value = {top: top / shared, bottom: bottom / shared};
    if (size(value.top) >= MOST_DIGITS || value.bottom >= MOST_DIGITS) throw new ToolError("A number in this sum has more than 50 digits.");
    return value;
  };
  function calculator(request) {
    const text = [...request].filter((c) => !/\s/.test(c)).map((c) => SIGNS[c] || c).join("");
    if (text.length > LONGEST_SUM) throw new ToolError(`A sum may have ${LONGEST_SUM} characters; this one has ${text.length}.`);
    const strange = text.replace(/\d+|[-+*/()]/g, "");
    if (strange) throw new ToolError(`A sum holds digits, + - * / and brackets only; leave out '${[...strange][0]}'.`);
    const tokens = text.match(/\d+|[-+*/()]/g) || [];
    let at = 0, depth = 0;
    const next = () => tokens[at++] || "";
    const sum = () => {
      let value = product();
      while (tokens[at] === "+" || tokens[at] === "-") {
        const sign = next() === "+" ? 1n : -1n, other = product();
        value = fraction(value.top * other.bottom + sign * other.top * value.bottom, value.bottom * other.bottom);
      }
      return value;
    };
    const product = () => {
      let value = signed();
      while (tokens[at] === "*" || tokens[at] === "/") {
        const sign = next(), other = signed();
        if (sign === "/" && !other.top) throw new ToolError("Nothing can be divided by zero.");
        value = sign === "*" ? fraction(value.top * other.top, value.bottom * other.bottom) : fraction(value.top * other.bottom, value.bottom * other.top);
      }
      return value;
    };
    const signed = () => {
      let sign = 1n;
      while (tokens[at] === "+" || tokens[at] === "-") if (next() === "-") sign = -sign;
      const value = atom();
      return {top: sign * value.top, bottom: value.bottom};
    };
    const atom = () => {
      const token = next();
      if (token === "(") {
        if (++depth > DEEPEST) throw new ToolError(`A sum may have ${DEEPEST} brackets within brackets.`);
        const value = sum();
        if (next() !== ")") throw new ToolError("A bracket is opened and not closed.");
        depth -= 1;
        return value;
      }
      if (!/^\d+$/.test(token)) throw new ToolError(token ? `A number is missing before '${token}'.` : "The sum ends too early.");
      return fraction(BigInt(token));
    };
    const value = sum();
    if (at < tokens.length) throw new ToolError(`The sum '${text}' does not end where it should; look at '${tokens[at]}'.`);
    return value.bottom === 1n ? String(value.top) : `${value.top}/${value.bottom}`;
  }
  const two = (n) => String(n).padStart(2, "0");
  const clock = (minutes) => () => {
    const now = new Date(), at = minutes < 0 ? 60 * now.getHours() + now.getMinutes() : minutes;
    return `${two(Math.floor(at / 60))}:${two(at % 60)}`;
  };
  const fromTable = (table) => (request) => {
    const name = request.trim();
    if (!Object.hasOwn(table, name)) throw new ToolError(`There is no entry '${name}'.`);
    return table[name];
  };

  // --- the conversation ---
  // A text of a user or a tool: runs of letters, single digits, other signs. No mark can come of it.
  const pieces = (text) => text.toLowerCase().match(/\p{L}+|\d|[^\p{L}\d\s]/gu) || [];
  // The same numbers as `lot` in __init__.py: a number from 0 to 1 for a place in a text.
  const lot = (seed, place) => {
    let x = (Math.imul(seed + 1, 0x9E3779B1) + Math.imul(place + 1, 0x85EBCA6B)) >>> 0;
    x = Math.imul(x ^ (x >>> 16), 0x21F0AAAD) >>> 0;
    x = Math.imul(x ^ (x >>> 15), 0x735A2D97) >>> 0;
    return ((x ^ (x >>> 15)) >>> 0) / 4294967296;
  };

  class Harness {
    constructor(model, marks) {
      this.model = model;
      this.marks = marks;
      this.ids = new Map(model.tokens.map((word, i) => [word, i]));
      this.reader = new window.PageModel.Reader(model);
      this.steps = 0; // tokens that went through the model: it reads each once
      const step = this.reader.step.bind(this.reader);
      this.reader.step = (...given) => { this.steps += 1; step(...given); };
    }
    read(text) { return pieces(text).map((word) => this.ids.has(word) ? word : this.marks.unknown); }

    // The next token: the likeliest at temperature 0, else drawn; what is forbidden has no probability.
    next(tokens, forbidden, temperature, seed, place) {
      const scores = Float64Array.from(this.reader.read(tokens.map((t) => this.ids.get(t))).logitsAt(tokens.length - 1));
      for (const word of forbidden) scores[this.ids.get(word)] = -Infinity;
      if (!temperature) return this.model.tokens[scores.reduce((best, z, i) => z > scores[best] ? i : best, 0)];
      const shares = window.PageModel.nextToken(scores, {temperature}), u = lot(seed, place);
      let total = 0, chosen = 0;
      for (const [i, share] of shares.entries()) {
        if (!share) continue;
        chosen = i;
        if ((total += share) > u) break;
      }
      return this.model.tokens[chosen];
    }

    // One reply: goes on in `tokens` until the model ends it. Gives the parts in order, each with its writer.
    reply(tokens, tools, {temperature, seed, most, calls}) {
      const {call, result, endResult, end, forbidden} = this.marks, said = [], parts = [];
      const banned = Object.keys(tools).length ? forbidden : [...forbidden, call, result];
      let written = 0, place = 0, asked = 0, since = 0;
      const done = () => said.some((token) => token !== end) ? "answered" : "no answer";
      const put = (who, words) => { parts.push({who, words: words.join(" ")}); };
      for (;;) {
        if (written === most || tokens.length + said.length >= this.model.config.context) {
          put("reply", said.slice(since));
          return {parts, said, stopped: done()};
        }
        const token = this.next([...tokens, ...said], banned, temperature, seed, place++);
        said.push(token);
        written += 1;
        if (token === end) {
          put("reply", said.slice(since, -1));
          return {parts, said, stopped: done()};
        }
        if (token !== result) continue;
        const from = said.lastIndexOf(call), [name = "", ...rest] = from < since ? said.slice(since + 1, -1) : said.slice(from + 1, -1);
        if (asked++ === calls) {
          put("reply", said.slice(since));
          return {parts, said, stopped: "too many calls"};
        }
        put("request", [name, ...rest]);
        let back;
        try {
          if (!Object.hasOwn(tools, name)) throw new ToolError(`There is no tool '${name}'.`);
          back = this.read(tools[name](rest.join(" ")));
          if (back.length > LONGEST_RESULT) throw new ToolError(`The result has more than ${LONGEST_RESULT} tokens.`);
        } catch (error) {
          if (!(error instanceof ToolError)) throw error;
          put("refusal", [error.message]);
          return {parts, said, stopped: error.message};
        }
        put("result", back);
        said.push(...back, endResult);
        since = said.length;
        written = 0;
      }
    }
  }

  window.Assistant = {Harness, calculator, clock, fromTable, lot, pieces};
})();
