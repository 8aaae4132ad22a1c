// What the machine view says in words beside its drawing: the text that the model reads, and what its colours mean.
(() => {
  "use strict";
  const {bar} = window.ModelText, CUT = "The sliders cut this word off.";
  // How the words of a text are set one after another: prose has capitals, and no space before a full stop.
  function setter(names) {
    let start = true, quoted = false, last = "";
    return (word) => {
      let said = word, glued = false;
      if (names.length) {
        glued = (word === '"' && quoted) || last === "“" || ".,!?".includes(word);
        if (word === '"') {
          quoted = !quoted;
          said = quoted ? "“" : "”";
          start = quoted || last === ".";
        } else {
          if (start || word === "i" || names.includes(word)) said = word[0].toUpperCase() + word.slice(1);
          start = ".!?".includes(word) && !quoted;
        }
        last = said;
        if (word === "<EOS>") return {said: "(the end)", glued: false};
      }
      return {said, glued};
    };
  }
  // The whole text, so that it can be read; what was added is marked, and what the model does not know is struck out.
  function write(view) {
    const {state, data, tools: {make, typed}} = view, {pieces, fresh} = typed(), set = setter(data.names), parts = [];
    const count = pieces.reduce((sum, piece) => sum + piece.words.length, 0);
    let read = 0;
    for (const {kind, text, words} of pieces) {
      if (kind === "unknown" || kind === "left") parts.push(parts.length ? " " : "", make(kind === "unknown" ? "s" : "span", {class: `machine-${kind}`}, text));
      for (const word of words) {
        const {said, glued} = set(word), gap = glued || !parts.length ? "" : " ", mark = parts.at(-1), isNew = read++ >= count - fresh;
        if (isNew && mark?.className === "machine-new") mark.append(gap, said); // one mark for all
        else parts.push(gap, isNew ? make("mark", {class: "machine-new"}, said) : said);
      }
    }
    if (!state.over) parts.push(" …");
    const {text} = view, glossed = Object.keys(data.english).length > 0, known = pieces.every(({kind}) => kind !== "unknown" && kind !== "left"); // (the text box says it)
    const english = glossed && state.words.length > view.held.begins ? [make("span", {class: "machine-english"})] : [];
    for (const [name, on] of Object.entries({glossed, known, typed: known && !fresh})) text.classList.toggle(`machine-${name}`, on);
    text.replaceChildren(make("span", {class: "machine-written"}, ...parts), " ", ...english);
    for (const span of english) lately(span, inEnglish(state.words.slice(view.held.begins), data.english), state.over ? "" : " …", text, view.box.flow === "down" ? 3 : Infinity);
    text.scrollTop = text.scrollHeight; // (of a long text one sees the end)
  }
  // Which parts are off, and the same with the verb: "head 0.0 is".
  function named({off}) {
    const names = off.map(([kind, block, h]) => kind === "h" ? `head ${block}.${h}` : `feed-forward ${block}`);
    if (off.length > 3) return `${off.length} parts`;
    return off.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names.join("");
  }
  const lacks = (state) => state.off.length ? `${named(state)} ${state.off.length > 1 ? "are" : "is"}` : "";
  // Play has switched on what a step of the experiment had off. It is told until the text no longer goes on from that one.
  function did(view) {
    const {brought, data, tools} = view, now = tools.values();
    const holds = brought && brought.off.every((name) => now[name]) && now.prompt.startsWith(brought.prompt) && (tools.speed || now.step !== data.stands || now.prompt !== brought.prompt);
    if (holds) return `Play has switched ${named(brought)} on again`;
    view.brought = null;
    return "";
  }
  // What Play does, in a sentence that stays as it is while it goes on.
  function playing(view) {
    const {opening, data, slow, tools} = view, told = did(view), [from, word] = data.opening;
    if (opening) return [from, `${from} ${word}`].includes(tools.values().prompt) ? `After one slow pass Play puts in ${word}, so that a title follows; each later word is the model’s most probable one.`
      : "Each word is now the most probable one after the text so far. Pause stops it.";
    return `${told ? `${told}. It` : "Play"} goes on word by word${slow ? ", after one slow pass" : ""}: each is the most probable one after the text so far.`;
  }
  // How far a pass has come that is gone through by hand: what it has not reached is empty.
  function stage({step, step_name: name}, view) {
    const {again, data: {stands}} = view, told = did(view), at = `tage ${Math.min(step, stands) + 1} of ${stands + 1}`;
    if (step === stands) return told;
    return `${told && `${told}. `}${step ? `S${at} of the pass: ${name}` : `The pass ${again ? "begins again for the same text" : "over the new word begins"}: s${at}`}`;
  }
  // The same, and the button that brings them back: as long as one is off, whatever else is said.
  function missing(view) {
    const {state: {off}, tools: {make, set}} = view, all = lacks(view.state), said = `${all.slice(0, 1).toUpperCase()}${all.slice(1)} off.`;
    if (!off.length) return [];
    const button = make("button", {type: "button", class: "machine-bring"}, off.length > 1 ? "Switch them on" : "Switch it on");
    button.addEventListener("click", () => {
      set(Object.fromEntries(off.map((name) => [name, true])));
      view.over.querySelector(".machine-switcher").focus({preventScroll: true}); // the button is gone
    });
    return [said, " ", button];
  }
  // Why no word can be appended now, if so: a press says it, and so does the tip.
  function why({state, data, grows, held}) {
    if (state.step < data.stands) return "A guess in the middle of the pass: once it has ended, a word can be appended.";
    if (grows) return "";
    return state.here < state.words.length - 1 ? `These would follow “${state.word}”, which has a next word: press the last word to append one.` : `The model reads ${held.model.config.context} words at most.`;
  }
  const barred = (view) => why(view) ? {"aria-disabled": "true", title: why(view)} : {};
  // The most probable next words, where a finger reaches them; one that is pressed is appended. In the middle of a pass they
  // are guesses, and are only told.
  const choices = (view, much) => view.state.step < view.data.stands ? guesses(view, much) : view.state.top.slice(0, 3).map(({word, p, plain}) => {
    const {make} = view.tools, button = make("button", {type: "button", class: "machine-choice", ...(p ? barred(view) : {"aria-disabled": "true", title: CUT}), "aria-label": `Append ${word}: ${much(p)}`}, make("b", {class: view.data.names.includes(word) ? "machine-named" : "", ...view.translated(word)}, word), bar(make, p, Math.abs(p - plain) > 5e-4 ? plain : undefined), make("span", {class: "live-much"}, much(p)));
    const says = p ? why(view) : CUT;
    button.addEventListener("click", () => says ? view.choices.replaceChildren(make("p", {class: "machine-guess", role: "status"}, says)) : view.append(word));
    return button;
  });
  // A keyboard that has pressed one stands on the one in its place.
  const offer = (view, much) => {
    const at = [...view.choices.children].indexOf(document.activeElement);
    view.choices.replaceChildren(...choices(view, much));
    if (at >= 0) Live.stand(view.root, [...view.choices.children].slice(at));
  };
  const guesses = (view, much) => [view.tools.make("p", {class: "machine-guess"}, ...(view.tools.speed && !view.state.step && view.state.top[0].word === view.state.word ? [`If the pass stopped here, it would only repeat “${view.titled(view.state.word)}”.`] : ["Guess if the pass stopped here: ",
    view.state.top.slice(0, 3).map(({word, p}) => `${view.titled(word)} ${much(p)}`).join(", ")]))];
  // What stands under a heading of attention: what its heads do, or why their threads are pale.
  function subtitle({state, spoken, data: {heads, layers}}, i) {
    const only = state.open === "nothing" ? spoken : state.open;
    const lit = only.startsWith(`head ${i}.`);
    if (only.startsWith("head ") && !(lit && heads === 1)) return lit ? `1 ${layers > 2 ? "" : "head "}lit, ${heads - 1} pale` : heads > 1 ? `${heads} heads pale` : "1 head pale";
    const does = layers > 2 ? "" : `${heads > 1 ? " look" : " looks"} ${i ? "again" : "back"}`; // (beside many headings there is no room)
    return `${heads > 1 ? `${heads} heads` : "one head"}${does}`;
  }
  // Of a text of many clauses, the last ones: as many as there is room for, at least one.
  function lately(span, said, ends, box, most) {
    const all = said.split(/(?<=[;!.]) /), over = () => box.scrollHeight > box.clientHeight + 1;
    box.classList.remove("machine-full");
    for (let n = Math.min(all.length, most); n; n--) {
      span.textContent = `In English: ${n < all.length ? "… " : ""}${all.slice(-n).join(" ")}${ends}`;
      if (!over()) return;
      box.classList.add("machine-full"); // (what the text box says can go)
      if (!over()) return;
    }
  }
  // The game's words one by one. A number is a player, and who speaks after a call begins a new clause.
  function inEnglish(words, english) {
    const said = [];
    let calls = 0; // 1 once somebody calls, 2 once it is said whom
    for (const word of words) {
      const who = /^\d+$/.test(word) ? `player ${word}` : word[0] !== "<" && word[0] !== word[0].toLowerCase() && !english[word] ? word : "";
      if (who && calls === 2) {
        if (/[\p{L}\d]$/u.test(said.at(-1))) said.push(`${said.pop()};`);
        calls = 0;
      } else if (who && calls === 1) calls = 2;
      else if (word === "chiama") calls = 1;
      said.push(who || (english[word] ?? word));
    }
    return said.join(" ");
  }

  // What a hand can do with the drawing, or with an opened part of it.
  const hint = (closed, switching) => {
    const coarse = matchMedia("(pointer: coarse)").matches;
    if (closed && switching) return `${coarse ? "Tap" : "Press"} a word to see what follows it, or the name of a part to switch that part off or on again.`;
    return closed ? `${coarse ? "Tap" : "Press"} a word to see what follows it, or one of the next words to append it. ${coarse ? "Tap" : "Press"} a square, a map or a heading to see its numbers.`
      : `${coarse ? "Tap" : "Point at"} a number of the opened part: its place in the drawing lights up.`;
  };
  // Where the first squares stand: what they are, and what their two colours mean.
  const colours = (make, flow) => {
    const sign = (kind, text) => make("span", {class: "machine-sign"}, make("i", {class: `machine-key-${kind}`, "aria-hidden": "true"}), text);
    const signs = [sign("low", "minus"), " ", sign("high", "plus")];
    return flow === "across" ? ["word to numbers", make("br"), ...signs] : ["numbers: ", ...signs];
  };

  // How to read the colours: the first two in sight, all of them unfolded.
  function key(make, {heads}) {
    const sign = (kind, ...more) => make("i", {class: `machine-key-${kind}`, "aria-hidden": "true"}, ...more);
    const entry = (signs, ...words) => make("li", {}, make("span", {}, ...signs), make("span", {}, ...words));
    const long = (text) => make("span", {class: "machine-key-long"}, text); // where there is room
    const all = Array.from({length: heads}, (_, h) => h);
    const close = make("button", {type: "button", class: "machine-key-shut", "aria-label": "Close the list of signs"}, "×"); // (seen on a phone, where the list is a sheet)
    close.addEventListener("click", () => {
      const list = close.closest("details");
      list.open = false;
      list.firstChild.focus({preventScroll: true});
    });
    return make("details", {class: "machine-key"},
      make("summary", {}, make("span", {}, sign("low"), sign("high"), long(" square:"), " a word’s numbers"), make("span", {}, sign("thread"), long(" thread:"), " what it collects", long(" from a word before it")), make("span", {class: "machine-key-more"}, make("span", {}, "all signs"), make("span", {}, "close"))),
      make("ul", {},
        make("li", {class: "machine-key-close"}, close),
        entry([sign("low"), sign("high")], "a number of a word, negative or positive; the nearer to zero, the fainter"),
        entry([sign("stream")], "a word’s numbers on their way through the model (the residual stream); ", make("b", {}, "⊕"), " adds to them what a part writes"),
        entry(all.map((h) => sign(`head machine-key-${h}`)), `the heads ${all[0]} to ${all.at(-1)} of a block, by colour: the thicker the thread, the more a word collects; in a head’s small map each row is a word that collects, each column a word it collects from; an empty square is a weight of 0, as for all later words (a small weight is drawn stronger than in proportion, so that it can be seen)`),
        entry([sign("unit")], "the hidden units of a feed-forward network (FFN), stronger where more active"),
        entry([make("b", {}, "BOS")], "the beginning of the text, a token that stands before every text"),
        entry([sign("wait")], "not computed yet"),
        entry([make("b", {}, "…")], "at the beginning of threads: the words that are not shown, in their order"),
        entry([], make("b", {}, "Step"), " goes through one part of the model and, after the last one, appends the most probable word; ", make("b", {}, "Play"), " repeats that. ", make("b", {}, "Pick a word at random"), " draws a word as often as its probability says, or as the sliders under “More” set it, and goes through all parts at once."),
        entry([], make("b", {}, "Switch parts off"), " shows a switch for each head and each feed-forward network: it takes the part out of the model (ablates it)."),
        entry([], "Blocks and heads are counted from 0: attention 1 and feed-forward 1 are those of block 1, and head 1.0 is head 0 of block 1. The positions of words are counted from 1; where a text has a word more than once, its position stands below it (at 4).")));
  }
  window.MachineSaid = {write, lacks, did, playing, missing, why, barred, offer, stage, subtitle, hint, colours, key, inEnglish};
})();
