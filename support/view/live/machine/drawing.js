// The machine view: over the canvas of painting.js stand buttons and words, which a keyboard reaches; and what the hand does.
(() => {
  "use strict";
  const {surely: part, bar} = window.ModelText;
  const ENTRANCE = 1800; // milliseconds
  const SIGNS = {".": "full stop", ",": "comma", "?": "question mark", "!": "exclamation mark", '"': "quotation mark", "<BOS>": "start", "<EOS>": "end"};
  const clamp = (x) => Math.max(0, Math.min(1, x));
  const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

  window.MachineView = class extends window.MachineCamera {
    constructor(held, data, {make}) {
      super();
      this.held = held;
      this.data = {...data, d: held.model.config.d_model, d_ff: held.model.config.d_ff};
      this.canvas = make("canvas", {"aria-hidden": "true"});
      this.over = make("div", {class: "machine-over"});
      this.strip = make("div", {class: "machine-words"}); // of the words; beside what a frame moves, so that they stay
      this.stage = make("div", {class: "machine-stage"}, this.canvas, this.strip, this.over);
      this.told = make("p", {class: "live-told machine-told"});
      this.room = make("div", {class: "machine machine-room"}); // it is placed below the drawing
      this.text = make("p", {class: "machine-text"});
      this.missing = [make("p", {class: "machine-missing"}), make("p", {class: "machine-missing"})]; // beside the buttons, and in the bar of a phone
      this.short = make("p", {class: "machine-short", "aria-hidden": "true"}); // of a step whose sentence has left the window
      this.choices = make("div", {class: "machine-choices", role: "group", "aria-label": "The most probable next words; tap one to append it"});
      this.key = window.MachineSaid.key(make, data);
      this.key.addEventListener("toggle", () => {
        if (this.key.open && this.bottom.raised && this.box.flow === "across") this.open("nothing");
        this.bottom.signs();
      });
      // Its list lies over the page: Escape and a press beside it close it, too.
      this.key.addEventListener("keydown", (event) => {
        if (event.key !== "Escape" || !this.key.open) return;
        event.preventDefault();
        this.key.open = false;
        this.key.firstChild.focus();
      });
      document.addEventListener("pointerdown", (event) => { if (!this.key.contains(event.target)) this.key.open = false; });
      this.root = make("div", {class: "machine"}, make("div", {class: "machine-above"}, this.key, this.text), this.stage, this.told);
      // The switches of the parts wait until they are asked for; one that is off is always there.
      this.switching = false;
      this.bottom = new window.MachineSheet(this);
      this.reach = null;
      this.unfolded = null;
      this.focus = {};
      this.canvas.addEventListener("pointermove", (event) => this.over_(event));
      this.canvas.addEventListener("pointerleave", () => this.point({}));
      this.canvas.addEventListener("click", (event) => this.press(event));
      new ResizeObserver(() => {
        if (this.stage.clientWidth !== this.width) this.place(true);
      }).observe(this.stage);
      new MutationObserver(() => { this.ink = this.base = null; this.paint(); }).observe(document.documentElement, {attributeFilter: ["data-theme"]});
      held.view = this;
    }

    // It stands on its page: what belongs around it takes its place.
    placed() {
      const panel = this.root.closest(".live-panel");
      panel.classList.add("live-broad");
      Live.tellSections(panel, "holds-broad", panel.matches(".live-plays"));
      panel.parentElement.view = this;
      panel.querySelector(":scope > .live-picture").after(this.room);
      const says = panel.querySelector(":scope > .live-says"), saying = document.createElement("div");
      saying.className = "machine-saying";
      says.replaceWith(saying);
      saying.append(says, this.missing[0]);
      // On the front page one sees the drawing first, and what it is moved by below it.
      if (panel.closest(".hero")) this.room.before(this.moves = panel.querySelector(":scope > .live-buttons"), saying);
      panel.querySelector(".live-answer").prepend(this.missing[1], this.short);
      panel.querySelector(".live-player-row").before(this.choices);
      // What is seldom pressed stands below the drawing.
      const foot = document.createElement("div");
      foot.className = "live-buttons machine-foot";
      foot.append(...[".live-reset", ".live-link", ".live-copied", ...(this.moves ? [".live-examples"] : [])].map((which) => panel.querySelector(which)));
      panel.querySelector(":scope > .live-more").before(foot);
      const bar = panel.querySelector(":scope > .live-player");
      if (bar) new ResizeObserver(() => this.frame()).observe(bar); // (it grows where the tour is out of sight)
      this.place(true);
      if (panel.closest(".hero") && !calm()) { // the front page is seen at work: one pass, at whose end the bars come
        this.stage.classList.add("machine-enters");
        this.move(-0.6, ENTRANCE);
      }
    }

    // --- a new state ---
    show(state, tools) {
      const before = this.state;
      if (before && this.bottom.raised && state.open === before.open && this.bottom.about(before) !== this.bottom.about(state)) {
        tools.set({open: "nothing"}); // (which comes back here)
        return this.root;
      }
      this.state = state;
      this.tools = tools;
      // A figure that opens with a part opened shows all of it, unless formulas are not wanted.
      this.unfolded ??= !this.data.folded && state.open !== "nothing" && document.documentElement.dataset.reading !== "picture";
      const same = before && before.words.join(" ") === state.words.join(" ") && before.here === state.here;
      this.until = Math.min(state.step, this.data.stands); // (the choice computes nothing more)
      const from = same && state.step ? this.reach : this.until || -0.6;
      const moves = tools.speed && !calm() && from < this.until && this.until - from < 2;
      this.reach = moves ? from : this.until;
      this.turn = null; // what still moved has ended
      this.ended();
      this.follow(before);
      this.place();
      if (moves) this.move(from, this.data.pace.move / tools.speed);
      return this.root;
    }
    move(from, long) {
      const start = performance.now(), to = this.until, turn = this.turn = {};
      this.reach = from;
      const frame = (now) => {
        if (this.turn !== turn) return;
        const t = clamp((now - start) / long);
        this.reach = from + (to - from) * t;
        this.paint();
        if (t < 1) requestAnimationFrame(frame);
        else this.ended();
      };
      requestAnimationFrame(frame);
    }
    ended() { this.stage.classList.remove("machine-enters"); }
    // The head that a stage of Play or the reached step of a tour speaks of, if it is on.
    get spoken() {
      const part = this.state.told || this.tools.stop?.about?.[0] || "", [i, h] = part.replace("head ", "").split(".");
      return part && !this.state.off.includes(`h${i}${h}`) ? part : "";
    }
    place(measure) {
      const {state, data} = this;
      if (measure) this.width = this.stage.clientWidth;
      const drawn = this.width || 700, box = this.box = window.MachineLayout(drawn, state, data, this.switching), dense = Math.min(3, devicePixelRatio || 1);
      this.stage.dataset.flow = box.flow;
      this.frame();
      const size = {width: Math.round(drawn * dense), height: Math.round(box.H * dense)};
      if (this.canvas.width !== size.width || this.canvas.height !== size.height) Object.assign(this.canvas, size); // (it is emptied by that)
      this.dense = dense;
      this.scales = state.streams.map((stage) => {
        let sum = 0;
        for (const values of stage) for (const x of values) sum += x * x;
        return 2 * Math.sqrt(sum / (stage.length * stage[0].length));
      });
      this.base = null;
      this.words();
      if (measure) this.paint();
      else this.later ||= requestAnimationFrame(() => { this.later = 0; this.paint(); });
    }

    // --- words and buttons ---
    words() {
      const {state, data, box, tools: {make, shown, set}} = this, n = state.words.length, parts = [];
      const at = ({x, y, w, h}) => `left:${x.toFixed(1)}px;top:${y.toFixed(1)}px;${w ? `width:${w.toFixed(1)}px;` : ""}${h ? `height:${h}px` : ""}`;
      const button = (place, kind, key, label, text, press, more = {}) => {
        const made = make("button", {type: "button", class: `machine-${kind}`, style: at(place), "data-key": key, "aria-label": label, ...more}, text);
        made.addEventListener("click", press);
        parts.push(made);
        return made;
      };
      const opens = (place, kind, part, text, does = "", label = `Open ${part}`) => {
        const made = button(place, kind, part, label, text, () => this.open(state.open === part ? "nothing" : part), {"aria-pressed": String(state.open === part), "data-part": part});
        if (does) made.append(" ", make("small", {}, ...[does].flat()));
        for (const event of ["mouseenter", "focus"]) made.addEventListener(event, () => this.point({part}));
        for (const event of ["mouseleave", "blur"]) made.addEventListener(event, () => this.point({}));
      };
      const toggle = (place, name, part) => {
        const on = !state.off.includes(name);
        if (on && !this.switching) return;
        button({...place}, "toggle", `switch ${name}`, `${part}: ${on ? "on, switch off" : "off, switch on"}`, name[0] === "h" ? part.replace("head ", "") : `FFN ${name[1]}`,
          () => set({[name]: !on}), {"aria-pressed": String(!on), title: `${part} is ${on ? "on: press to switch it off (ablate it)" : "off: press to switch it on again"}`});
      };
      // On a phone the row of words stays in view while the pass is scrolled: it names the columns.
      const {strip} = this, {stands, names} = data, named = (word) => names.includes(word) ? " machine-named" : "", guesses = state.step < stands;
      for (const place of box.words) {
        const chosen = place.p === state.here, {word, p} = state.says_next[place.p - state.first];
        const says = `${state.words[place.p]}, word ${place.p + 1}; after it the model says ${word} with ${part(shown, p)}`;
        button(place, `word${named(state.words[place.p])}`, `word ${place.p}`, says, state.words[place.p], () => set({at: n - 1 - place.p, step: stands}), {"aria-pressed": String(chosen), ...(place.p < this.held.begins ? {"data-begins": ""} : {}), ...(state.words.indexOf(state.words[place.p]) < state.words.lastIndexOf(state.words[place.p]) ? {"data-place": place.p + 1} : {}), ...this.translated(state.words[place.p])});
      }
      if (box.gap) parts.push(make("span", {class: "machine-earlier", style: at(box.earlier)}, `… ${box.gap} more`));
      const {chosen} = state;
      if (chosen && this.grows) button(box.next, `next machine-chosen${named(chosen.word)}${chosen.word.length > 8 ? " machine-long" : ""}`, "next", `The chosen word, ${chosen.word}: press to append it`, chosen.word, () => this.append(chosen.word));
      else if (!state.over && this.grows) button(box.next, "next", "next", "The next word: press to pick one at random", "?", () => this.tools.act("draw"));
      strip.style.height = box.strip ? `${box.strip}px` : "";
      strip.replaceChildren(...parts.splice(0));
      const earlier = box.shown[0] > 0 && !box.gap;
      if (earlier) parts.push(make("span", {class: "machine-earlier", style: at(box.earlier)}, `… ${box.shown[0]} earlier`));
      if (state.over) parts.push(make("p", {class: "machine-ended", style: at({...box.bars, y: box.bars.y + 34, h: 0})}, "The text has ended. “Play” begins again."));
      opens(box.embedding, "label", "embedding", box.flow === "across" ? "embedding" : "embedding + position", earlier && box.flow === "down" ? "" : window.MachineSaid.colours(make, box.flow)); // (there it would touch what was said just now)
      const close = box.blocks[0].ffn.w < 110; // headings of many blocks stand close together
      box.blocks.forEach((block, i) => {
        opens(block.label, "label machine-of-attention", `attention ${i}`, `attention ${i}`, window.MachineSaid.subtitle(this, i));
        for (const map of block.maps) {
          const off = state.off.includes(`h${i}${map.h}`);
          const spoken = this.spoken === `head ${i}.${map.h}` ? " machine-spoken" : "";
          opens({x: map.x - 1, y: map.y - 1, w: map.s + 2, h: map.s + 2}, `map${off ? " machine-off" : spoken}`, `head ${i}.${map.h}`, "", "", `Open the attention map of head ${i}.${map.h}${spoken && !off ? ", framed" : ""}`);
          toggle({x: map.x + map.s / 2 - map.wide / 2, y: map.y + map.s + 1, w: map.wide, h: box.high}, `h${i}${map.h}`, `head ${i}.${map.h}`);
        }
        opens(block.ffn, "label machine-of-ffn", `feed-forward ${i}`, close ? `FFN ${i}` : `feed-forward ${i}`, close ? "per word" : "each word alone");
        toggle(block.toggle, `m${i}`, `feed-forward ${i}`);
      });
      const ask = this.switching ? "Hide the switches" : "Switch parts off";
      button(box.switcher, "switcher", "switcher", ask, ask, () => this.ask());
      const bars = make("div", {class: "machine-bars", style: `${at(box.bars)};--step:${box.step}px`}), much = (p) => p === 0 ? "cut" : part(shown, p);
      const made = make("button", {type: "button", class: "machine-label machine-of-output", "data-key": "logits", "data-part": "logits", "aria-pressed": String(state.open === "logits"), "aria-label": "Open logits"},
        guesses ? "guess if it stopped here" : "next word");
      if (guesses) made.title = "What the model would say if the pass stopped here";
      made.addEventListener("click", () => this.open(state.open === "logits" ? "nothing" : "logits"));
      bars.append(made, make("ol", {class: "live-ranks", "aria-label": "The most probable next words; press one to append it"}, ...state.top.map(({rank, word, plain, p}) => {
        const row = make("button", {type: "button", class: `live-rank${p === 0 ? " live-cut" : ""}${chosen?.rank === rank ? " machine-chosen" : ""}`, "data-key": `bar ${rank}`, ...window.MachineSaid.barred(this),
          "aria-label": `${guesses ? "A guess if the pass stopped here" : "Append"} ${word}: ${p === plain ? much(p) : `${p ? `${much(p)} in the draw` : "cut off"}, ${part(shown, plain)} by the model`}`},
        make("span", {class: `live-word${named(word)}`, ...(SIGNS[word] ? {} : this.translated(word))}, word, ...(SIGNS[word] ? [make("small", {}, ` ${SIGNS[word]}`)] : [])), bar(make, p, Math.abs(p - plain) > 5e-4 ? plain : undefined), make("span", {class: "live-much"}, much(p)));
        row.addEventListener("click", () => this.append(word));
        return make("li", {}, row);
      }), ...(state.over || !state.others.count ? [] : [make("li", {class: "machine-others"}, make("span", {}, `others (${state.others.count} words)`), make("span", {class: "live-much"}, much(Math.max(0, state.others.p))))])));
      bars.classList.toggle("machine-half", guesses);
      this.over.replaceChildren(...parts, bars);
      window.MachineSaid.write(this);
      this.short.textContent = this.tools.stop?.short ?? "";
      for (const line of this.missing) line.replaceChildren(...window.MachineSaid.missing(this));
      window.MachineSaid.offer(this, much);
      this.hint();
      const held = this.room.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
      this.room.replaceChildren(...(state.open === "nothing" ? [] : [window.MachineDetail(this)]));
      if (state.open === "nothing") this.bottom.lower();
      else this.bottom.show();
      // Who stood in what is now closed stands again where it was opened.
      const stand = held !== undefined && (this.room.querySelector(`[data-key="${CSS.escape(held)}"]`) || this.over.querySelector(`[data-key="${this.opened}"]`));
      if (stand) stand.focus({preventScroll: true});
      this.opened = state.open;
    }
    ask() {
      this.switching = !this.switching;
      const stood = this.over.contains(document.activeElement);
      this.place();
      if (stood) this.over.querySelector(".machine-switcher")?.focus({preventScroll: true});
      // On a phone the first of them must not stand under the bar.
      const first = this.over.querySelector(".machine-toggle");
      if (this.switching && this.box.flow === "down" && first && this.bar?.clientHeight) this.glide(Math.max(0, first.getBoundingClientRect().bottom + 8 - this.bar.getBoundingClientRect().top));
    }
    // A word can be added behind the last one, as long as the model can read one more.
    get grows() { return this.state.here === this.state.words.length - 1 && this.state.words.length < this.held.model.config.context; }
    append(word) {
      const why = this.told.textContent = window.MachineSaid.why(this);
      if (!why) this.tools.set({prompt: [...this.state.words.slice(this.held.begins), word].join(" "), step: this.data.stands, at: 0});
    }
    translated(word) { return this.data.english[word] ? {title: `${word}: ${this.data.english[word]}`, "data-english": this.data.english[word].replace(/^\W|\W$/g, "")} : {}; }
    // What a hand opens is a sheet; what stands open already stays where it is. Play pauses: its next word would close it.
    open(part, more = {}) {
      if (part !== "nothing") this.tools.pause();
      if (part !== "nothing" && this.state.open === "nothing") this.bottom.raise();
      this.tools.set({open: part, ...more});
    }
    hint() {
      this.told.textContent = window.MachineSaid.hint(this.state.open === "nothing", this.switching);
    }

    // --- the hand ---
    point(focus) {
      this.focus = focus;
      if (!focus.part) this.hint();
      for (const e of (this.root.closest("live-figure") || this.root).querySelectorAll("[data-part]")) e.classList.toggle("live-same", e.dataset.part === focus.part);
      this.paint();
    }
    find({offsetX: x, offsetY: y}) { return window.MachineLayout.at(this.box, x, y); }
    over_(event) {
      const found = this.find(event), {state, tools: {shown}} = this, word = this.titled(state.words[found.p]), k = found.p - state.first;
      this.point(found);
      this.canvas.style.cursor = found.part ? "pointer" : "";
      if (found.index !== undefined) {
        this.told.textContent = `The stream of “${word}” after ${this.data.steps[found.stage]}, dimension ${found.index}: ${shown(state.streams[found.stage][k][found.index], 3)}`;
      } else if (found.unit !== undefined && state.units[Number(found.part.split(" ")[1])][k][found.unit] !== undefined) {
        this.told.textContent = `Unit ${found.unit} of ${found.part} for “${word}”: ${shown(state.units[Number(found.part.split(" ")[1])][k][found.unit], 3)}`;
      } else if (found.part) this.told.textContent = `${found.part}: press to open it`;
    }
    press(event) {
      const {part, p} = this.find(event), {state} = this;
      if (!part) return;
      const other = p !== undefined && p !== state.here; // of another word the whole pass is shown
      this.open(part === state.open && !other ? "nothing" : part, other ? {at: state.words.length - 1 - p, step: this.data.stands} : {});
    }
  };
})();
