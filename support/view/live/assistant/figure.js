// The assistant in the page; __init__.py and conversation.py beside this file compute the same, and a test compares.
(() => {
  "use strict";
  const {Harness, calculator, clock, fromTable, pieces} = window.Assistant;
  const NAMES = {request: "assistant, to its tools", result: "harness", refusal: "harness"};
  const turnsOf = (said, data) => said.split("/").map((turn) => turn.trim()).filter(Boolean).slice(0, data.most_turns);
  const KEYBOARD = 120, HEADER = 64; // pixels: what takes more of the window is one; of the page's upper bar, with some air
  const SIGNS = ".,!?", ENDS = ".!?"; // what stands in a text beside its words; what ends a sentence
  const isWord = (word) => /^\p{L}+$/u.test(word);

  // --- how people write, and how the model's world does ---
  const read = (text, data) => {
    let words = text.toLowerCase().replace(/(?<=\d)[,'](?=\d{3})/g, "").replace(/(?<=\d)\s*x\s*(?=\d)/g, " * ");
    for (const [short, long] of Object.entries(data.short)) words = words.replaceAll(short, long);
    return pieces(words).map((word) => Object.hasOwn(data.alike, word) ? data.alike[word] : word);
  };
  const preview = (text, data, held) => {
    const words = read(text.replaceAll("/", " "), data);
    if (words.length > data.most_words) {
      return {reading: [], strange: [], trouble: `That is ${words.length} words and digits; say it in ${data.most_words} at most.`};
    }
    const [longSum, tooLong] = data.long_sum;
    if (new RegExp(longSum).test(words.join(" "))) return {reading: [], strange: [], trouble: tooLong};
    const strange = [...new Set(words)].filter((word) => isWord(word) && !held.harness.ids.has(word));
    return {strange, reading: words.filter((word) => held.harness.ids.has(word)),
      trouble: strange.length ? `The model does not know ${strange.slice(0, 3).map((word) => `“${word}”`).join(" and ")}.` : ""};
  };
  const capital = (word) => word.charAt(0).toUpperCase() + word.slice(1);
  const written = (words, data) => {
    const large = new Set(data.large), digit = (word) => /^\d+$/.test(word);
    let last = "", quoted = false, big = true, out = "";
    for (const token of words) {
      const closes = token === '"' && quoted;
      const joined = (token !== "" && `${SIGNS}:`.includes(token)) || closes || !last || last === '" (' || last === "-"
        || ((digit(token) || token === ":") && (digit(last) || last === ":"));
      const word = large.has(token) || (big && isWord(token)) ? capital(token) : token;
      if (token === '"') {
        quoted = !quoted;
        big = quoted || last === ".";
        last = closes ? '" )' : '" (';
      } else {
        big = ENDS.includes(token);
        last = token;
      }
      out += joined ? word : ` ${word}`;
    }
    return out;
  };

  // --- what the model was trained to be asked: see support/worlds/conversation_forms.py ---
  const formOf = (words, {slots}) => words.filter((word) => !`${SIGNS}=`.includes(word))
    .map((word) => /^\d+$/.test(word) ? "#" : "+-*".includes(word) ? "±" : Object.hasOwn(slots, word) ? slots[word] : word)
    .filter((part, k, all) => part !== "#" || all[k - 1] !== "#").join(" ");
  const trained = (words, data) => data.forms.includes(formOf(words, data));
  const needsStory = (words, data) => {
    if (words.some((word) => /^\d+$/.test(word) || data.by_themselves.includes(word))) return false;
    const alone = (part) => data.small_talk.includes(formOf(part, data));
    return !(alone(words) || words.join(" ").split(",").every((part) => alone(part.split(" ").filter(Boolean))));
  };
  // Of the questions that it knows, those that share most words with another.
  const closest = (words, {questions}) => {
    const said = new Set(words), share = (text) => {
      const those = text.split(" ").filter((word) => !SIGNS.includes(word));
      return those.filter((word) => said.has(word)).length / new Set([...those, ...said]).size;
    };
    return questions.filter((text) => share(text) >= 0.2).sort((a, b) => share(b) - share(a)).slice(0, 3).map((text) => text.replace(/ (?=[,?])/g, ""));
  };

  // --- the conversation ---
  // The story, and as many of the `latest` other turns as leave room for a reply.
  const shortened = (past, now, room, keep, latest, context, start) => {
    let free = context - 1 - now.length - room;
    const others = [...past.keys()].reverse().filter((i) => i !== keep).slice(0, latest);
    const order = [...(keep === null ? [] : [keep]), ...others], kept = [];
    for (const i of order) {
      if (past[i].length > free) {
        if (i !== keep) break;
        continue;
      }
      kept.push(i);
      free -= past[i].length;
    }
    return [start, ...kept.sort((a, b) => a - b).flatMap((i) => past[i]), ...now];
  };
  const part = (who, words, data) => ({who, words, shown: who === "reply" ? written(words.split(" ").filter(Boolean), data)
    : who === "request" || who === "result" ? words.replace(/(?<=[\d:]) (?=[\d:])/g, "") : who === "refusal" ? words.replace(/'([^']*)'/g, "“$1”") : words});
  const converse = (turns, {tools, clock: minutes, temperature}, data, held) => {
    if (!turns.length) return {talk: [], past: [], story: null};
    const key = JSON.stringify([turns, tools, minutes, temperature]);
    if (held.known.has(key)) return held.known.get(key);
    const {talk, past, story} = converse(turns.slice(0, -1), {tools, clock: minutes, temperature}, data, held);
    const user = turns.at(-1), found = preview(user, data, held), {marks} = data;
    let answer;
    if (found.trouble || !found.reading.length) {
      const parts = [part("sorry", found.trouble || "There is no word in it.", data)];
      answer = {talk: [...talk, {user, parts, stopped: "not read", kept: past.length, strange: found.strange, key}], past, story};
    } else {
      const words = found.reading, now = [marks.user, ...words, marks.assistant], context = held.harness.model.config.context;
      const wants = words.some((word) => data.wants.includes(word));
      const start = shortened(past, now, wants ? data.longest_reply : data.short_room, needsStory(words, data) ? story : null, data.latest, context, marks.start);
      const box = tools ? {calc: calculator, price: fromTable(data.prices), clock: clock(minutes)} : {};
      const begun = performance.now(), before = held.harness.steps;
      const {parts, said, stopped} = held.harness.reply(start, box, {temperature, seed: talk.length, most: Math.min(data.longest_reply, context - start.length), calls: data.calls});
      const spent = performance.now() - begun;
      performance.measure("live:assistant:reply", {start: begun, detail: {read: start.length, written: said.length}});
      const turn = {user, stopped, untrained: !trained(words, data), words, parts: parts.map(({who, words: w}) => part(who, w, data)), kept: start.filter((t) => t === marks.user).length - 1,
        key, tokens: said.length, each: spent / (held.harness.steps - before || 1)};
      const whole = said.at(-1) === marks.end ? [...now, ...said] : [...now, ...said, marks.end], keeps = stopped === "answered";
      answer = {talk: [...talk, turn], past: keeps ? [...past, whole] : past, story: keeps && whole.length > data.short_room ? past.length : story};
    }
    held.known.set(key, answer);
    return answer;
  };
  const sentence = (talk) => {
    if (!talk.length) return "Nothing has been said yet: ask for a story, a sum, a price or the time.";
    const last = talk.at(-1), reply = last.parts.at(-1);
    if (reply.who !== "reply") return `To “${last.user}” there is no reply: ${reply.shown}`;
    const words = reply.shown.split(/\s+/).filter(Boolean), asked = last.parts.filter(({who}) => who === "request").length;
    const text = words.slice(0, 14).join(" ") + (words.length > 14 ? " …" : "");
    return `To “${last.user}” the assistant replies “${text}”${!asked ? "" : asked === 1 ? " after one request to a tool" : ` after ${asked} requests to tools`}.`;
  };
  const lines = (talk) => talk.flatMap((turn) => [{who: "you", what: turn.user}, ...turn.parts.map((p) => ({who: NAMES[p.who] || "assistant", what: p.shown}))]);

  // For an unknown word: those that are spelled nearly so, somebody whom a story may be about, or what one can ask for.
  const instead = (text, word, held, data) => {
    const same = word.length < 4 ? [] : nearest(word, held.words, word.length / 4).slice(0, 4); // (a short one is near to any)
    const typed = read(text, data);
    if (same.length) return ["Near: ", same];
    if (typed[typed.indexOf(word) - 1] === "about") return ["It tells of: ", data.heroes];
    return ["Ask for a story, for what happens in it, for a sum, a price or the time."];
  };

  // --- drawing: who says what, each in the colour of its writer ---
  // Words that were never shown before appear one after the other; all of them stand in the page at once.
  const spoken = (make, text, fresh) => {
    if (!fresh) return [text];
    const words = text.split(/(?<=\s)/);
    return words.map((word, k) => make("span", {class: "talk-new", style: `--at:${Math.min(k, 200)}`}, word));
  };
  const bubble = (make, {who, shown}, fresh) => {
    const name = {request: "asks a tool", result: "the tool answers", refusal: "the harness refuses", reply: "assistant", sorry: "not read"}[who];
    return make("p", {class: `talk-part talk-${who}`}, make("span", {class: "talk-who"}, name), " ", ...spoken(make, shown || "(nothing)", fresh && who === "reply"));
  };

  // What was said last is in view, with the beginning of its reply.
  const latest = (log, end) => {
    const asked = [...log.querySelectorAll(".talk-you")].at(-1);
    log.scrollTop = end || !asked ? log.scrollHeight : asked.offsetTop - 8;
  };
  // A keyboard of a phone may lie over the page: then what one types stands above it, and the conversation has the rest.
  const above = (held, field) => {
    const {panel} = held, view = window.visualViewport;
    let [wide, tall] = [0, 0];
    const fit = () => {
      if (view.width !== wide) [wide, tall] = [view.width, 0];
      tall = Math.max(tall, view.height);
      const before = panel.classList.contains("talk-typing"), began = !before && document.activeElement === field;
      const typing = (before || began) && view.scale < 1.05 && view.height < tall - KEYBOARD; // (it stays until the keyboard goes, so that a press on what sends meets it)
      panel.classList.toggle("talk-typing", typing);
      panel.style.setProperty("--seen", `${Math.round(view.height)}px`);
      panel.style.setProperty("--keys", typing ? `${Math.max(0, Math.round(innerHeight - view.height - view.offsetTop))}px` : "0px");
      if (began && typing) requestAnimationFrame(() => {
        scrollBy({top: held.log.getBoundingClientRect().top - HEADER});
        latest(held.log);
      });
    };
    for (const event of ["resize", "scroll"]) view?.addEventListener(event, fit);
  };

  Live.define("assistant", {
    prepare: (model, data) => ({harness: new Harness(model, data.marks), known: new Map(), shown: new Set(), first: true,
      words: model.tokens.filter(isWord)}),
    compute(values, data, held) {
      const {talk} = converse(turnsOf(values.said, data), values, data, held), {clock: at} = values, two = (n) => String(n).padStart(2, "0");
      return {...preview(values.prompt, data, held), talk, lines: lines(talk), finding: sentence(talk),
        shown: at < 0 ? "real time" : `${two(Math.floor(at / 60))}:${two(at % 60)}`};
    },
    draw(state, data, {make, shown, set, held}) {
      const log = make("div", {class: "talk-log", role: "log", "aria-label": "The conversation", tabindex: "0"});
      held.log = log;
      for (const turn of state.talk) {
        const fresh = !held.first && !held.shown.has(turn.key);
        held.shown.add(turn.key);
        log.append(make("p", {class: "talk-part talk-you"}, make("span", {class: "talk-who"}, "you"), " ", turn.user),
          ...turn.parts.map((p) => bubble(make, p, fresh)));
        if (turn.tokens && turn.stopped !== "answered") log.append(make("p", {class: "talk-note"}, `ended: ${turn.stopped}`));
      }
      if (!state.talk.length) log.append(make("p", {class: "talk-note"}, "Nothing has been said yet."));
      const begun = !held.first && held.turns !== state.talk.length, settings = [state.tools, state.clock, state.temperature].join();
      // The settings hold for the whole conversation; who changes one is told that what stood there was written anew.
      if (held.settings !== undefined && held.settings !== settings) {
        held.anew = !state.talk.length ? "" : held.tools === state.tools ? "All replies above were written again with the new setting."
          : state.tools ? "All replies above were written again, now with tools." : "All replies above were written again, now without tools.";
      } else if (begun) held.anew = "";
      const whole = `${settings} ${state.said}`;
      held.start ??= whole;
      if (held.start === whole) held.anew = ""; // back at the start, where nothing was changed
      Object.assign(held, {settings, tools: state.tools, turns: state.talk.length});
      if (held.anew) log.append(make("p", {class: "talk-note talk-anew"}, held.anew));
      held.first = false;
      if (begun) held.panel?.classList.add("talk-on");
      const goesOn = () => log.classList.toggle("talk-goes-on", log.scrollHeight - log.scrollTop - log.clientHeight > 12);
      log.addEventListener("scroll", goesOn, {passive: true});
      // The field stands under what was said last.
      requestAnimationFrame(() => {
        latest(log, held.anew);
        const field = log.closest("live-figure")?.querySelector(".live-of-prompt");
        if (begun && state.talk.length) for (const part of [log, field]) part?.scrollIntoView({block: "nearest"});
        else if (state.trouble && field?.contains(document.activeElement)) field.parentElement.querySelector(".talk-reads").scrollIntoView({block: "nearest"}); // (what is wrong with a text is seen over it)
        goesOn();
      });
      const button = (key, text, press) => {
        const made = make("button", {type: "button", "data-key": key, class: "live-near"}, text);
        made.addEventListener("click", press);
        return made;
      };
      const said = (trouble) => make("span", {class: "talk-trouble"}, trouble);
      const turns = turnsOf(state.said, data), full = turns.length === data.most_turns;
      const reads = state.strange.length
        ? [said(state.trouble), " ", ...instead(state.prompt, state.strange[0], held, data).flatMap((those) => typeof those === "string" ? [those]
          : those.flatMap((word) => [button(`near-${word}`, word, () => set({prompt: state.prompt.toLowerCase().replace(state.strange[0], word)})), " "]))]
        : full ? [said("The conversation is full: begin a new one.")] : state.trouble ? [said(state.trouble)] : state.reading.length ? ["The model reads: ", ...state.reading.map((word) => make("code", {}, word))] : ["Type something, or choose an example."];
      const offers = make("p", {class: "live-examples talk-offers"}, ...data.suggestions.flatMap((text, k) =>
        [button(`offer-${k}`, text, () => { if (!full) set({said: [...turns, text].join(" / "), prompt: ""}); }), " "]));
      const tools = state.tools ? "Tools: calculator, list of prices, clock." : "No tools: the model cannot write a request.";
      const last = state.talk.at(-1), took = last?.tokens ? ` It wrote ${last.tokens} tokens, one in ${shown(last.each, 1)} ms.` : "";
      const note = `${tools} Clock: ${state.shown}. Temperature: ${shown(state.temperature, 1)}.${took}`;
      // A form of question that it was not trained on gets a reply all the same; what it knows stands beside.
      const ask = (text) => button(`ask-${text}`, text, () => { if (!full) set({said: [...turns, text].join(" / "), prompt: ""}); });
      const guess = !last?.untrained ? [] : [make("p", {class: "talk-note talk-guess"}, make("b", {}, "The model was never trained on a question like this one, so its reply is a guess."),
        ...(closest(last.words, data).length ? [" It was trained on: ", ...closest(last.words, data).flatMap((text) => [ask(text), " "])] : []))];
      // What the model reads is more than what was said last (`shortened`): the latest story may get into any reply.
      const read = !last || last.stopped === "not read" || state.talk.length < 2 ? "" : last.kept
        ? `The model read “${last.user}” and the story as one text, and no other turn. ` : `The model read “${last.user}” and none of the turns before it. `;
      const reach = make("p", {class: "talk-note talk-reach"}, read, "What you say next continues this conversation. ", button("anew", "Begin a new one", () => set({said: "", prompt: ""})));
      log.append(...state.talk.length ? [reach] : [], make("p", {class: "talk-note"}, note)); // (so that nothing stands between the replies and the field)
      return make("div", {class: "talk"}, log, make("div", {class: "talk-beside"}, ...guess, offers), make("p", {class: `talk-reads${guess.length ? " talk-after-guess" : ""}`}, ...reads));
    },
    placed(held) {
      held.first = false;
      // What sends the text stands beside it, in one row, which a phone keeps in the window.
      const panel = held.log.closest(".live-panel"), row = panel.querySelector(".live-of-prompt");
      row.append(panel.querySelector("[data-act=say]"));
      panel.querySelector(".live-picture").after(row);
      held.panel = panel;
      above(held, row.querySelector("input"));
    },
    actions: {
      say(values, uniform, held, data) {
        const typed = values.prompt.replaceAll("/", " ").trim(), found = preview(values.prompt, data, held), turns = turnsOf(values.said, data);
        return found.trouble || !found.reading.length || turns.length === data.most_turns ? {} : {said: [...turns, typed].join(" / "), prompt: ""};
      },
      back(values, uniform, held, data) {
        const turns = turnsOf(values.said, data);
        return turns.length ? {said: turns.slice(0, -1).join(" / "), prompt: turns.at(-1)} : {};
      },
      new: () => ({said: "", prompt: ""}),
    },
  });
})();
