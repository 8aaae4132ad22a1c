// Live figures without a kernel. The page holds <live-figure> elements; each has a description in JSON (made by
// support.view.live: controls, a sentence, a table) and a still picture, which stays if anything here fails.
// A figure is defined once with Live.define(name, {compute, draw}); everything shown goes in as text, never as HTML.
// A figure waits until it is near the window; one that runs a model then asks model.js for it. What was moved stands in
// the address, after #, and can be sent.
(() => {
  "use strict";
  const begun = performance.now();
  const figures = {};
  const waiting = new Set();
  const known = {}; // how many figures of a name the page has
  let count = 0;

  // --- words and numbers: as fill() in support.view.live writes them ---
  const shown = (value, digits, percent) => {
    const number = percent ? value * 100 : value;
    if (!Number.isFinite(number)) return (Number.isNaN(number) ? "–" : number > 0 ? "∞" : "−∞") + (percent ? "%" : "");
    let text = Math.abs(number).toFixed(digits).replace(/^\d{5,}/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));
    if (number < 0 && /[1-9]/.test(text)) text = "−" + text;
    return percent ? text + "%" : text;
  };
  const fill = (template, values) => template.replace(/\{(\w+)(?::\.(\d)([f%]))?\}/g,
    (_, name, digits, kind) => kind ? shown(values[name], Number(digits), kind === "%") : String(values[name]));

  const joined = (words) => words.join(" ").replace(/ (?=[.,!?])/g, ""); // as a text is written

  // --- building blocks ---
  const put = (node, attributes, children) => {
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  };
  const make = (tag, attributes = {}, ...children) => put(document.createElement(tag), attributes, children);
  const svg = (tag, attributes = {}, ...children) =>
    put(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
  const text = (x, y, words, attributes = {}) => svg("text", {x, y, ...attributes}, words);
  const arrow = ([u, v], [x, y], kind = "") => {
    const far = Math.hypot(x - u, y - v) || 1, tip = Math.min(9, far), [a, b] = [(x - u) / far, (y - v) / far];
    const [p, q] = [x - tip * a, y - tip * b], head = `M${x} ${y}L${p - 4.5 * b} ${q + 4.5 * a}L${p + 4.5 * b} ${q - 4.5 * a}z`;
    return svg("g", {class: `live-write${kind}`}, svg("line", {x1: u, y1: v, x2: p, y2: q}), svg("path", {d: head}));
  };

  const CONTROLS = {}; // each kind of control; controls.js has those of most figures

  // --- the address ---
  const address = () => new URLSearchParams(location.hash.slice(1));

  // One figure is made at a time, so that a page with many answers in between; all at once if the address names one.
  const waking = new Set(), unbuilt = new Set();
  let next = 0;
  const wakeNext = () => {
    next = 0;
    const [element] = waking;
    if (!element) return;
    waking.delete(element);
    if (waking.size) next = setTimeout(wakeNext);
    element.wake();
  };
  const wakeAll = () => {
    const named = address().has("live");
    for (const element of [...waiting]) {
      if (named) element.wake();
      else waking.add(element);
    }
    if (waking.size) next ||= setTimeout(wakeNext);
  };

  class LiveFigure extends HTMLElement {
    connectedCallback() {
      if (this.woken) return;
      waiting.add(this);
      if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", wakeAll, {once: true});
      else wakeAll();
    }
    wake() {
      const holder = this.querySelector("script.live-spec");
      if (this.woken || !holder) return;
      const spec = JSON.parse(holder.textContent);
      const figure = figures[spec.name];
      if (!figure) return; // defined by a script that comes later
      this.woken = true;
      waiting.delete(this);
      waking.delete(this);
      known[spec.name] = (known[spec.name] || 0) + 1;
      this.key = known[spec.name] > 1 ? `${spec.name}-${known[spec.name]}` : spec.name;
      this.dataset.key = this.key; // (by it, reading.js finds the one that a link names, and opens what it stands in)
      if (!spec.model) return this.wait(spec, () => this.build(spec, figure));
      this.wait(spec, () => PageModel.load(spec.model).then((model) => this.build(spec, figure, model), (error) => {
        this.append(make("p", {class: "live-trouble"}, `${error.message}; this is the still picture.`));
      }));
    }
    // Built when it comes near, when it is asked for, or when the address names it. (Controls make the browser, which
    // looks for forms, lay out all around them.)
    wait(spec, build) {
      let brought = null;
      const named = () => { if (address().get("live") === this.key) bring(); };
      const watch = new IntersectionObserver((seen) => { if (seen.some((entry) => entry.isIntersecting)) bring(); }, {rootMargin: "500px"});
      const bring = () => {
        unbuilt.delete(bring);
        watch.disconnect();
        window.removeEventListener("hashchange", named);
        return brought ??= build() || Promise.resolve();
      };
      if (!spec.model) unbuilt.add(bring);
      window.addEventListener("hashchange", named);
      if (address().get("live") === this.key) {
        const tab = this.closest(".sd-tab-content")?.previousElementSibling.previousElementSibling;
        if (tab) tab.checked = true;
        bring();
      } else if (spec.ask && !this.closest(".sd-tab-content")) { // (who opens a tab has asked)
        const button = make("button", {type: "button", class: "live-act live-ask"}, spec.ask);
        button.addEventListener("click", () => {
          button.disabled = true;
          bring().then(() => {
            button.remove();
            this.beginFirst?.();
          });
        });
        this.prepend(button); // above the still picture, which cannot be used
      } else watch.observe(this);
    }
    build(spec, figure, model) {
      const id = `live-${++count}`;
      const controls = spec.controls.map((c) => ({spec: c, ...CONTROLS[c.kind](c, `${id}-${c.name}`, model)}));
      const held = figure.prepare ? figure.prepare(model, spec.data) : model;
      const says = make("p", {class: "live-says", id: `${id}-says`}), brief = make("p", {"aria-hidden": "true"});
      const status = make("p", {class: "live-status", role: "status"});
      const picture = make("div", {class: "live-picture"});
      const body = make("tbody");
      const reset = make("button", {type: "button", class: "live-reset"}, spec.reset || "Back to the start");
      const link = make("a", {class: "live-link"}, "Link to this"), copied = make("span", {class: "live-copied", role: "status"});
      link.addEventListener("click", () => {
        const say = (words) => {
          copied.textContent = words;
          setTimeout(() => { copied.textContent = ""; }, 6000);
        };
        const there = () => say("The address of this page now leads to what you see.");
        if (navigator.clipboard) navigator.clipboard.writeText(link.href).then(() => say("Copied: an address that leads to what you see."), there);
        else there();
      });
      let told = 0;

      const values = () => Object.fromEntries(controls.map((c) => [c.spec.name, c.get()]));
      const set = (changes, afresh) => {
        for (const c of controls) if (c.spec.name in changes) (afresh || !c.grow ? c.set : c.grow)(changes[c.spec.name]);
        update(true);
      };
      const typed = () => controls.find((c) => c.typed)?.typed();
      const tools = {svg, text, arrow, make, shown, fill, set, held, values, typed, pause: () => stop(), act: (name) => { stop(); act(name); }};
      const actions = (spec.actions || []).map(({name, label, does}) => {
        const button = make("button", {type: "button", class: "live-act", "data-act": name, ...(does ? {title: does} : {})}, label);
        button.addEventListener("click", () => {
          stop();
          act(name);
          figure.stepped?.(held);
        });
        return button;
      });
      // A text that is sent by the enter key, as in a chat.
      if (spec.enter) for (const c of controls) if (c.input.type === "text") c.input.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" || event.isComposing || event.defaultPrevented) return;
        event.preventDefault();
        act(spec.enter);
      });
      const act = (name) => {
        const changes = figure.actions[name](values(), Math.random(), held, spec.data);
        onTour ||= Boolean(tools.stop); // (a button goes on from the step that was reached)
        set(changes);
        return Object.keys(changes);
      };
      // Play repeats an action, as a hand would that presses its button; it stops at the end, or when a hand comes to
      // what it moves. What it leaves alone may be changed on the way, but for texts, which somebody writes at leisure.
      let turn = 0;
      const carried = new Set(), goesOn = ({kind, name}) => turn && ["slider", "choice", "switch"].includes(kind) && !carried.has(name);
      const players = spec.plays ? [0, 1].map(() => make("button", {type: "button", class: "live-act live-play", "aria-pressed": "false"}, "Play")) : [], [player] = players;
      const speeds = spec.plays ? Live.speeds(make) : [], [speed] = speeds;
      const stop = () => {
        clearTimeout(turn);
        turn = tools.speed = 0;
        for (const button of players) put(button, {"aria-pressed": "false"}, []).textContent = "Play";
        toured(this.state);
      };
      const play = () => {
        tools.speed = Number(speed.value);
        const changed = this.isConnected ? act(spec.plays) : [];
        for (const name of changed) carried.add(name);
        if (changed.length) turn = setTimeout(play, figure.pace(values(), spec.data, held) / tools.speed);
        else stop();
      };
      if (player) {
        for (const button of players) button.addEventListener("click", () => {
          if (turn) return stop();
          for (const each of players) put(each, {"aria-pressed": "true"}, []).textContent = "Pause";
          figure.started?.(held);
          const first = figure.begin?.(values(), spec.data, held); // from the end it goes back to where it began
          if (!first) return play();
          tools.speed = Number(speed.value);
          set(first);
          turn = setTimeout(play, figure.pace(values(), spec.data, held) / tools.speed);
        });
        actions.unshift(player);
        actions.push(speed);
      }
      const moved = () => {
        const now = controls.filter((c) => (c.kept ?? c.get)() !== c.spec.start);
        const words = {live: this.key};
        for (const c of now) words[c.spec.name] = c.spec.kind === "switch" ? (c.get() ? "on" : "off") : String((c.kept ?? c.get)());
        return now.length ? `#${new URLSearchParams(words)}` : "";
      };

      // Where the last words matter most, a wide picture begins at its end.
      const toEnd = () => { for (const box of picture.querySelectorAll(".live-to-end")) box.scrollLeft = box.scrollWidth; };
      const update = (byHand) => {
        const start = performance.now(), now = values();
        const state = this.state = {...now, ...figure.compute(now, spec.data, held, tools)};
        for (const control of controls) control.say(state);
        body.replaceChildren(...(spec.each ? state[spec.each] : [{}]).flatMap((item) => spec.rows.map((row) =>
          make("tr", {}, ...row.map((cell, k) => make(k ? "td" : "th", k ? {} : {scope: "row"}, fill(cell, {...state, ...item})))))));
        if (spec.each) [...body.children].forEach((row, k) => { if (state[spec.each][k]?.key) row.dataset.part = state[spec.each][k].key; });
        says.textContent = fill(spec.says, state);
        brief.textContent = state.brief ?? says.textContent;
        toured(state);
        const at = picture.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
        const drawn = figure.draw(state, spec.data, tools);
        const image = drawn instanceof SVGElement ? drawn : drawn.querySelector("svg:not([aria-hidden])");
        if (image) put(image, {role: "img", "aria-labelledby": says.id}, []);
        if (picture.firstChild !== drawn) picture.replaceChildren(drawn); // (a figure may keep what it draws on)
        if (at !== undefined && document.activeElement?.dataset.key !== at) Live.stand(picture, [...picture.querySelectorAll("[data-key]")].filter((e) => e.dataset.key === at));
        panel.classList.toggle("live-beside", !spec.front && drawn.matches("svg, .live-drawn")); // (where there is room)
        toEnd();
        const away = moved();
        reset.disabled = !away;
        if (!spec.model) for (const b of actions) if (b.dataset.act) b.ariaDisabled = !Object.keys(figure.actions[b.dataset.act](now, 0, held, spec.data)).length; // (it would do nothing)
        link.href = away || `#live=${this.key}`;
        performance.measure(`live:${this.key}`, {start});
        if (!byHand) return;
        if (turn && told) return; // (while it plays, now and then)
        clearTimeout(told); // a reader who listens hears the sentence once the hand rests
        told = setTimeout(() => {
          told = 0;
          status.textContent = says.textContent;
          history.replaceState(history.state, "", moved() || location.pathname + location.search);
        }, turn ? 6000 : 600);
      };

      const head = make("tr", {}, ...spec.columns.map((word) => make("th", {scope: "col"}, word)));
      const table = make("table", {class: "live-table"}, make("thead", {}, head), body);
      const rows = [];
      for (const c of controls) {
        const row = make("div", {class: `live-control live-${c.spec.kind} live-of-${c.spec.name}`}, ...c.parts);
        if (!c.spec.group) rows.push(row);
        else if (rows.at(-1)?.title === c.spec.group) rows.at(-1).append(row);
        else rows.push(Object.assign(make("fieldset", {class: "live-group"}, make("legend", {}, c.spec.group), row), {title: c.spec.group}));
      }
      for (const row of rows) row.removeAttribute("title");
      const among = (names) => (row) => names.some((name) => row.classList.contains(`live-of-${name}`)), isFront = among(spec.front || []);
      let onTour = false; // whether somebody has begun the experiment
      const jump = (label, changes, attributes = {}, begins = false) => {
        const button = make("button", {type: "button", ...attributes}, ...label);
        button.addEventListener("click", () => {
          stop();
          goBack();
          onTour ||= begins;
          set(changes, true);
        });
        return button;
      };
      const stops = (spec.tour || []).map(({label, changes}, k) => jump([make("b", {}, Live.step(k)), ` ${label}`], changes, {class: "live-stop"}, true));
      for (const stop of stops) stop.addEventListener("click", () => figure.toured?.(held));
      const letters = stops.map((stop, k) => make("button", {type: "button", class: "live-stop", "aria-label": stop.textContent}, Live.step(k)));
      letters.forEach((small, k) => small.addEventListener("click", () => stops[k].click()));
      const guide = make("p", {class: "live-guide"});
      const examples = [...(spec.tour ? [make("div", {class: "live-tour"}, ...stops, guide)] : []),
        ...(spec.examples ? [make("div", {class: "live-examples"}, spec.tour ? "Or try: " : "Try: ", ...spec.examples.flatMap((prompt) => [jump([prompt], {prompt}), " "]))] : [])];
      // Where a tour stands: the step that was reached is explained as long as everything is as it left it; the next one
      // invites. What all its steps leave as it was, such as the stage of the pass, is no part of the experiment: who only
      // changes that, or lets the text go on, is near the step, and is told what still holds and how the experiment goes on.
      // A step stays marked as long as the text is its text, with its switches, and the figure does not say what else it did.
      const about = Object.keys(spec.tour?.[0].changes || {}).filter((name) => new Set(spec.tour.map(({changes}) => changes[name])).size > 1);
      function toured(state) {
        if (!spec.tour) return;
        const now = values(), is = (name, value) => now[name] === value, goesOn = (name, from) => is(name, from) || (typeof from === "string" && now[name].startsWith(`${from} `));
        const holding = (fits, names = about) => spec.tour.findLastIndex(({changes}) => names.every((name) => fits(name, changes[name])));
        const did = figure.did?.(held), at = did ? -1 : holding(is, Object.keys(spec.tour[0].changes));
        const near = did ? spec.tour.length - 1 : at < 0 && onTour ? holding(goesOn) : at;
        const left = onTour && near < 0, marked = did || tools.speed ? -1 : onTour ? holding(is) : at; // (who has gone another way is not called back)
        tools.stop = spec.tour[at]; // a figure may point out what the reached step speaks of
        guide.textContent = (tools.speed && figure.playing?.(held)) || Live.guide(spec, at, near, left, figure.lacks?.(state), figure.does?.(state, held));
        for (const all of [stops, letters]) all.forEach((button, k) => {
          button.classList.toggle("live-go", k === near + 1 && !left);
          if (k === marked) button.setAttribute("aria-current", "step");
          else button.removeAttribute("aria-current");
        });
      }
      // On a phone, a bar at the lower edge while the figure is in the window: the answer, and what one goes on by. Where
      // the tour's own buttons are out of sight, it has them, too.
      const bar = make("div", {class: "live-player"});
      if (player) {
        const again = actions.filter(({dataset: {act}}) => act === "back" || act === spec.plays).map((button) => Live.twin(make, button));
        bar.append(make("div", {class: "live-answer"}, brief), make("div", {class: "live-player-row"}, ...letters, ...again, players[1], speeds[1]));
        const watch = new IntersectionObserver((seen) => { bar.classList.toggle("live-player-tour", !seen.at(-1).isIntersecting); }, {rootMargin: "-56px 0px 0px"}); // (below the page's upper bar)
        if (stops.length) watch.observe(stops[0]);
      }
      const buttons = make("div", {class: "live-buttons"}, ...actions, reset, link, copied);
      const scroll = make("div", {class: "live-scroll", tabindex: "0", role: "region", "aria-label": "The numbers"}, table);
      const numbers = spec.each ? make("details", {class: "live-numbers"}, make("summary", {}, "The numbers"), scroll) : scroll;
      if (!spec.each) for (const name of ["tabindex", "role", "aria-label"]) scroll.removeAttribute(name);
      const narrow = matchMedia("(max-width: 600px)"), main = make("div", {class: "live-controls"}), rest = make("div", {class: "live-controls"}, ...(spec.front ? rows.filter((row) => !isFront(row)) : []));
      const more = make("details", {class: "live-more"}, make("summary", {}, "More"), rest);
      const panel = make("div", {class: player ? "live-panel live-plays" : "live-panel", role: "group", "aria-labelledby": `${id}-title`},
        make("p", {class: "live-title", id: `${id}-title`}, spec.title),
        ...(spec.front ? [...(spec.enter ? [picture] : []), make("div", {class: "live-controls"}, ...rows.filter(isFront), ...examples), buttons, says,
          ...(spec.enter ? [] : [picture]), // (what is typed at the foot of a conversation stands under it)
          ...(player ? [bar] : []), more]
          : spec.tour ? [...examples, says, main, picture]
          : [main, picture, says, ...(player ? [bar] : [])]),
        numbers, status);
      // On a phone the picture comes first; of many controls below it all but two, or those named, are folded away.
      const isNear = spec.near ? among(spec.near) : (_, k) => k < 2;
      function arrange() {
        const near = narrow.matches && rows.length > 3 ? rows.filter(isNear) : rows, away = rows.filter((row) => !near.includes(row));
        const parts = [...near, ...(spec.tour ? [] : examples)];
        if (narrow.matches && actions.length && !player) main.replaceChildren(buttons, ...parts); // (what they do is seen above them)
        else main.replaceChildren(...parts, buttons);
        rest.replaceChildren(...away);
        if (narrow.matches) main.before(picture);
        else main.after(picture);
        if (away.length) says.after(more);
        else more.remove();
      }
      if (main.parentElement) {
        arrange();
        narrow.addEventListener("change", arrange);
        // Beside a drawing what it says stands under its controls, unless the panel is lower with it under the drawing.
        let wide = 0;
        new ResizeObserver(([{contentRect: {width, height}}]) => {
          const before = wide;
          wide = Math.round(width);
          picture.style.minHeight = narrow.matches && (!before || wide === before) ? `${height}px` : ""; // (on a phone what stands below it keeps its place)
          if (wide === before || !panel.classList.contains("live-beside") || spec.tour) return;
          panel.classList.remove("live-tall");
          const high = (part) => part.offsetHeight, under = high(says) * says.offsetWidth / width;
          const short = Math.max(high(main) + high(says), high(picture)) + high(numbers), tall = Math.max(high(main), high(picture) + under + high(numbers));
          panel.classList.toggle("live-tall", !narrow.matches && tall < short);
        }).observe(picture);
      }
      // A part of a drawing that says data-drag can be drawn to another place, as its sliders can be moved.
      let grip = null;
      const spot = ({clientX, clientY}) => {
        const {x, y} = new DOMPoint(clientX, clientY).matrixTransform(picture.querySelector("svg:not([aria-hidden])").getScreenCTM().inverse());
        return [x, y];
      };
      if (figure.drag) {
        picture.addEventListener("pointerdown", (event) => {
          const part = event.target.closest("[data-drag]");
          if (!part || event.button) return;
          event.preventDefault(); // (no text is chosen)
          stop();
          picture.setPointerCapture(event.pointerId);
          grip = {what: part.dataset.drag, from: spot(event), now: values()};
        });
        picture.addEventListener("pointermove", (event) => { if (grip) set(figure.drag(grip, spot(event), spec.data)); });
        for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) picture.addEventListener(end, () => { grip = null; });
      }
      for (const control of controls) control.input.addEventListener("input", () => {
        if (!goesOn(control.spec)) stop();
        if (control.typed && figure.written) set(figure.written(spec.data)); // a text that somebody writes is read to its end
        else update(true);
      });
      const goBack = () => { for (const control of controls) control.set(control.spec.start); };
      reset.addEventListener("click", () => {
        stop();
        goBack();
        onTour = false;
        update(true);
        Live.stand(picture, controls.map((c) => c.input), true);
      });
      this.beginFirst = (first = controls[0].input) => // (on a phone the focus would raise the keyboard)
        matchMedia("(pointer: coarse)").matches ? first.scrollIntoView({block: "nearest"}) : first.focus();
      const fromAddress = () => {
        const given = address();
        if (given.get("live") !== this.key) return false;
        goBack();
        for (const c of controls) if (given.has(c.spec.name)) c.take(given.get(c.spec.name));
        return true;
      };
      const sent = fromAddress();
      window.addEventListener("hashchange", () => { if (fromAddress()) update(false); });
      update(false);
      Live.align(table);
      for (const still of this.querySelectorAll(":scope > .live-still")) still.hidden = true;
      this.append(panel);
      const placed = () => {
        figure.placed?.(held);
        toEnd();
        panel.style.visibility = "";
        if (sent) leadTo(this);
        if (model) performance.measure("live:first", {start: begun});
      };
      if (!model) return placed();
      // What is painted once the figure stands is another task; nobody sees it before.
      panel.style.visibility = "hidden";
      return new Promise((done) => setTimeout(() => { placed(); done(); }));
    }
  }

  window.Live = {
    joined,
    define(name, figure) {
      figures[name] = figure;
      if (document.readyState !== "loading") wakeAll();
    },
    control(kind, made) { CONTROLS[kind] = made(make, fill); },
    waits: () => waking.size > 0,
    buildAll() { for (const bring of [...unbuilt]) bring(); }, // also the far ones, but none that needs a model
  };
  customElements.define("live-figure", LiveFigure);
})();
