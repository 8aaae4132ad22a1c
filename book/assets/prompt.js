// A text of words that a model knows, as a control of a live figure. What the reader writes stays as it is: unknown words are
// named and left out, a few common phrases are read as what the model knows, and words are offered, likeliest first.
(() => {
  "use strict";
  Live.control("prompt", (make) => (spec, id, model) => {
    const ids = new Map(model.tokens.map((word, i) => [word, i])), words = new Map(spec.words.map((word) => [word, word]));
    for (const word of spec.words) if (!words.has(word.toLowerCase())) words.set(word.toLowerCase(), word);
    const known = (word) => words.get(word) ?? words.get(word.toLowerCase());
    const begins = (half) => spec.words.filter((word) => word.toLowerCase().startsWith(half.toLowerCase()));
    // Words as they are typed, and where they stand: in any case, and with the signs that stand at their ends.
    const pieces = (text) => [...text.matchAll(/\S+/g)].flatMap(({0: word, index}) => known(word) ? [{word, from: index, to: index + word.length}]
      : [...word.matchAll(/[\p{L}\p{N}_'<>-]+|[^\s]/gu)].map(({0: part, index: at}) => ({word: part, from: index + at, to: index + at + part.length})));
    // What somebody may write, and what the model knows instead: "once upon a time" is read as "once".
    const phrases = spec.read_as.map(([said, read]) => ({said: pieces(said).map(({word}) => word.toLowerCase()), read: read.split(" ")}));
    const input = make("input", {type: "text", id, value: spec.start, role: "combobox", "aria-autocomplete": "list",
      "aria-expanded": "false", "aria-controls": `${id}-words`, "aria-describedby": `${id}-note`, autocomplete: "off",
      autocapitalize: "none", autocorrect: "off", spellcheck: "false"});
    const list = make("ul", {id: `${id}-words`, role: "listbox", class: "live-words", "aria-label": "Words that fit"});
    const told = make("span"), reads = make("span", {class: "live-reads"}), left = make("span", {class: "live-omitted", "aria-hidden": "true"}), offers = make("span", {class: "live-offers"});
    const note = make("p", {id: `${id}-note`, class: "live-trouble", role: "status"}, told, " ", reads, " ", offers);
    note.hidden = true;
    const reader = new PageModel.Reader(model);
    let active = -1;
    list.hidden = true;
    let fresh = 0; // how many of the last words were added, not typed
    // What was typed, piece by piece: `good` is what the model reads. What it does not know is left out, and stays.
    const parse = () => {
      const typed = pieces(input.value), low = typed.map(({word}) => word.toLowerCase()), open = /\S$/.test(input.value);
      const good = [], found = [], strange = [], instead = [];
      // Half a phrase, from any of the words before: it is no mistake yet.
      const begun = (i) => phrases.some(({said}) => [...said.keys()].some((back) => back <= i && low.length - i + back < said.length + (open ? 1 : 0)
        && low.slice(i - back).every((word, k, all) => open && k === all.length - 1 ? said[k].startsWith(word) : said[k] === word)));
      let trouble = "";
      for (let i = 0; i < typed.length; i++) {
        const {word, from, to} = typed[i], left = () => found.push({kind: "left", text: input.value.slice(from), words: [], from, to: input.value.length});
        if (good.at(-1) === spec.stop) trouble = `Nothing follows ${spec.stop}.`;
        else if (good.length === spec.most) trouble = `The model reads ${spec.most} words at most.`;
        if (trouble) { left(); break; }
        const phrase = phrases.find(({said}) => said.every((part, k) => low[i + k] === part));
        if (phrase) {
          const end = typed[i + phrase.said.length - 1].to, text = input.value.slice(from, end), read = phrase.read.slice(0, spec.most - good.length);
          good.push(...read);
          found.push({kind: "read", text, words: read, from, to: end});
          instead.push([text, phrase.read.join(" ")]);
          i += phrase.said.length - 1;
        } else if (known(word)) {
          good.push(known(word));
          found.push({kind: "good", text: word, words: [known(word)], from, to});
        } else if ((open && i === typed.length - 1 && begins(word).length) || begun(i)) { left(); break; }
        else {
          strange.push({word, from, to, before: good.length});
          found.push({kind: "unknown", text: word, words: [], from, to});
        }
      }
      if (spec.least && !typed.length) trouble = "The model reads one word at least.";
      return {good, trouble, strange, instead, pieces: found, half: open ? typed.at(-1)?.word ?? "" : ""};
    };
    const read = (words) => ["<BOS>", ...words].filter((word) => ids.has(word)).map((word) => ids.get(word)); // (some models know no <BOS>)
    const offer = () => {
      const {good, trouble, strange, half} = parse(), before = half && good.at(-1) === known(half) ? good.slice(0, -1) : good;
      const full = before.length >= spec.most || before.at(-1) === spec.stop;
      // (Where there is an unknown word, what stands below the text offers words for it.)
      let fit = trouble || full || (strange.length && !half) ? [] : begins(half).filter((word) => word !== half);
      if (fit.length) {
        const known = read(before), scores = known.length ? reader.read(known).logitsAt(known.length - 1) : [];
        fit = (known.length ? fit.sort((a, b) => scores[ids.get(b)] - scores[ids.get(a)]) : fit).slice(0, 8);
      }
      list.replaceChildren(...fit.map((word, i) => {
        const item = make("li", {role: "option", id: `${id}-word-${i}`, "aria-selected": "false", ...input.closest("live-figure")?.view?.translated(word)}, word);
        item.addEventListener("mousedown", (event) => event.preventDefault()); // the text keeps the focus
        item.addEventListener("click", () => choose(word));
        return item;
      }));
      point(-1);
      list.hidden = !fit.length;
      if (fit.length) requestAnimationFrame(row); // (by then the steps have taken their places)
      input.setAttribute("aria-expanded", String(!list.hidden));
    };
    // Where the sentence of an experiment stands beside its steps, below the field, the words stand over it, in one row.
    const row = () => {
      if (list.hidden) return;
      const {said, beside} = steps(), field = input.parentElement.getBoundingClientRect(), [from, down, to] = beside ? [said.left - field.left, said.top - field.top, field.right - said.right].map(Math.floor) : [];
      list.classList.toggle("live-aside", beside);
      list.style.cssText = beside ? `inset: ${down}px ${to}px auto ${from}px; height: ${Math.ceil(said.height)}px` : "";
      while (beside && list.scrollWidth > list.clientWidth) list.lastChild.remove();
    };
    // Where the sentence of an experiment stands.
    const steps = () => {
      const guide = input.closest(".live-panel")?.querySelector(".live-tour > .live-guide"), rect = (part) => part.getBoundingClientRect();
      const [said, step] = guide ? [guide, guide.previousElementSibling].map(rect) : [];
      return {said, beside: Boolean(guide) && said.left >= step.right && said.top < step.bottom && step.top >= rect(input).bottom};
    };
    const point = (to) => {
      active = to;
      [...list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === to)));
      if (to < 0) input.removeAttribute("aria-activedescendant");
      else input.setAttribute("aria-activedescendant", list.children[to].id);
    };
    const close = () => { list.hidden = true; point(-1); input.setAttribute("aria-expanded", "false"); };
    const choose = (word) => {
      input.value = `${input.value.replace(/\S+$/, "").trimEnd()} ${word} `.trimStart();
      input.dispatchEvent(new Event("input", {bubbles: true}));
    };
    // What is said of a text while somebody writes it lies over what stands below, which keeps its place (live.css).
    const writing = (on) => note.parentElement?.classList.toggle("live-writing", on);
    // It leaves the steps of an experiment free: where their sentence stands beside them, it lies over that. Where only the
    // figure's title stands above the field, and the note is as low as that, it lies over the title, and covers no control.
    const aside = () => {
      const row = note.parentElement, panel = row?.closest(".live-panel"), rect = (part) => part.getBoundingClientRect();
      if (!panel || note.hidden || !row.classList.contains("live-writing")) return;
      const title = panel.querySelector(":scope > .live-title"), field = rect(input), {said, beside} = steps();
      note.classList.toggle("live-aside", beside);
      note.classList.toggle("live-above", !beside);
      const {top, height} = rect(note), above = field.top - rect(title).bottom < 24 && height <= field.top - rect(panel).top && top > 60;
      note.classList.toggle("live-above", !beside && above);
      if (!beside) return;
      const inside = rect(note.offsetParent === row ? row : panel.querySelector(":scope > .live-controls"));
      note.style.setProperty("--beside", `${Math.floor(said.left - inside.left)}px`);
      note.style.setProperty("--far", `${Math.floor(inside.right - said.right)}px`);
    };
    input.addEventListener("input", () => {
      fresh = 0;
      writing(true);
      if (document.activeElement === input) offer();
    });
    input.addEventListener("click", offer);
    input.addEventListener("blur", close);
    input.addEventListener("keydown", (event) => {
      const step = {ArrowDown: 1, ArrowUp: -1}[event.key], n = list.children.length;
      if (step && list.hidden) offer();
      else if (step && n) point((active + step + (active < 0 && step < 0 ? n + 1 : n)) % n);
      else if (event.key === "Enter" && active >= 0) choose(list.children[active].textContent);
      else if (event.key === "Escape" && !list.hidden) close();
      else return;
      event.preventDefault();
    });
    const toEnd = () => { input.scrollLeft = input.scrollWidth; }; // of a long text its end is seen, where it grows
    return {
      parts: [make("label", {for: id}, spec.label), make("div", {class: "live-box"}, input, left, list), note], input,
      get: () => parse().good.join(" ") || (spec.least ? spec.words[0] : ""),
      kept: () => parse().strange.length ? input.value.trim() : parse().good.join(" "), // for the address: what is unknown, too
      set: (value) => { input.value = value; fresh = 0; close(); writing(false); toEnd(); },
      take: (text) => { input.value = text; fresh = 0; writing(false); },
      typed: () => ({pieces: parse().pieces, fresh}),
      // Words are added or taken back at the end; what the reader wrote stays.
      grow(value) {
        const want = value.split(" ").filter(Boolean), {good} = parse(), raw = input.value;
        if (want.join(" ") === good.join(" ")) return;
        if (good.every((word, i) => word === want[i])) {
          input.value = [raw.trim(), ...want.slice(good.length)].filter(Boolean).join(" ");
          fresh += want.length - good.length;
        } else if (want.every((word, i) => word === good[i])) {
          while (parse().good.length > want.length) input.value = input.value.slice(0, pieces(input.value).at(-1).from).trimEnd();
          fresh = Math.max(0, fresh - good.length + want.length);
        } else input.value = value;
        if (parse().good.join(" ") !== want.join(" ")) [input.value, fresh] = [value, 0];
        toEnd();
        close();
      },
      say() {
        const {good, trouble, strange, instead} = parse(), list = (words) => words.length === 1 ? words[0] : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
        const says = instead.map(([text, words]) => `“${text}” is read as “${words}”, which the model knows.`);
        left.textContent = "";
        if (strange.length) {
          const names = [...new Set(strange.map(({word}) => `“${word}”`))], more = names.length > 4 ? [...names.slice(0, 3), `${names.length - 3} others`] : names;
          const those = `${list(more)} ${names.length === 1 ? "is" : "are"}`;
          left.textContent = `${those} left out`; // (stands in the field once somebody has gone on)
          says.push(`${those} not among the model’s ${spec.words.length} words.`);
        }
        const now = strange.length ? `The model reads: ${good.length > 12 ? "… " : ""}${good.slice(-12).join(" ") || "nothing yet"}${trouble || !good.length ? "." : " …"}` : "";
        if (reads.textContent !== now) reads.textContent = now;
        if (trouble) says.push(trouble);
        const [first] = strange, key = first ? `${first.word} ${first.from} ${good.slice(0, first.before).join(" ")}` : "";
        if (told.textContent !== says.join(" ")) told.textContent = says.join(" ");
        if (offers.dataset.of !== key) {
          offers.dataset.of = key;
          offers.replaceChildren(...(first ? offered(first, good) : []));
        }
        note.hidden = !says.length;
        aside();
        input.setAttribute("aria-invalid", String(Boolean(trouble || strange.length)));
      },
    };
    // For an unknown word: what is spelled nearly so, and what the model itself expects there. Only that word is replaced.
    function offered({word, from, to, before}, good) {
      const close = near(word, spec.words), here = read(good.slice(0, before)), expected = [];
      if (here.length) {
        const p = PageModel.softmax(reader.read(here).logitsAt(here.length - 1));
        for (const i of [...p.keys()].sort((a, b) => p[b] - p[a]).slice(0, 6)) if (p[i] >= 0.02 && words.has(model.tokens[i]) && !close.includes(model.tokens[i])) expected.push(model.tokens[i]);
      }
      const buttons = (some) => some.flatMap((other) => {
        const button = make("button", {type: "button", class: "live-near"}, other);
        button.addEventListener("click", () => {
          input.value = `${input.value.slice(0, from)}${other}${input.value.slice(to) || " "}`;
          input.dispatchEvent(new Event("input", {bubbles: true}));
          input.focus();
        });
        return [" ", button];
      });
      return [`In place of “${word}”:`, ...buttons(close), ...(close.length && expected.length ? [" or, as the model expects there,"] : []), ...buttons(expected)];
    }
  });

  // Words that somebody may have meant: those that begin alike and differ in a letter or two.
  const near = (typed, words) => nearest(typed,
    words.filter((word) => /^\w/.test(word) && word[0].toLowerCase() === typed[0]?.toLowerCase()), typed.length < 4 ? 1 : 2).slice(0, 2);
})();
