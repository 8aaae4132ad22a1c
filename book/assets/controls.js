// The controls of live figures. Each kind says what is put on the page, and how its value is read and set.
(() => {
  "use strict";
  Live.control("slider", (make, fill) => (spec, id) => {
    const input = make("input", {type: "range", id, min: spec.low, max: spec.high, step: spec.step,
      value: spec.start, autocomplete: "off"});
    const beside = make("output", {for: id, "aria-live": "off"});
    // Few places are a row of buttons for a hand that points; to the keyboard and to a screen reader it stays the slider.
    const places = spec.few ? Array.from({length: Math.round((spec.high - spec.low) / spec.step) + 1}, (_, k) => spec.low + k * spec.step) : [];
    const buttons = places.map((value) => {
      const button = make("span", {class: "live-place"}, fill(spec.show, {[spec.name]: value}));
      button.addEventListener("click", () => {
        input.value = value;
        input.focus({preventScroll: true});
        input.dispatchEvent(new Event("input", {bubbles: true}));
      });
      return button;
    });
    const row = places.length ? make("div", {class: "live-places"}, input, ...buttons) : input;
    return {
      parts: [make("label", {for: id}, spec.label), row, beside], input,
      get: () => Number(input.value),
      set: (value) => { input.value = value; },
      take: (words) => { if (words.trim() && Number.isFinite(Number(words))) input.value = words; },
      say(state) {
        beside.textContent = fill(spec.show, state);
        buttons.forEach((button, k) => button.classList.toggle("live-placed", places[k] === Number(input.value)));
        input.setAttribute("aria-valuetext", beside.textContent);
      },
    };
  });
  Live.control("choice", (make) => (spec, id) => {
    const input = make("select", {id, autocomplete: "off"}, ...spec.options.map((word) => make("option", {}, word)));
    input.value = spec.start;
    return {
      parts: [make("label", {for: id}, spec.label), input], input,
      get: () => input.value,
      set: (value) => { input.value = value; },
      take: (word) => { if (spec.options.includes(word)) input.value = word; },
      say() {},
    };
  });
  Live.control("switch", (make) => (spec, id) => {
    const input = make("input", {type: "checkbox", id, autocomplete: "off"});
    input.checked = spec.start;
    const label = make("label", {for: id}, spec.label), rests = () => input.ariaDisabled === "true";
    input.addEventListener("click", (event) => { if (rests()) event.preventDefault(); });
    return {
      parts: [input, label], input,
      get: () => input.checked,
      set: (value) => { input.checked = value; },
      take: (word) => { if (word === "on" || word === "off") input.checked = word === "on"; },
      // (What it is a part of may be off: then it changes nothing, and says why.)
      say(state) {
        if (!spec.within) return;
        input.ariaDisabled = String(!state[spec.within]);
        input.title = label.title = input.ariaDescription = rests() ? `${spec.label} is part of what is switched off` : "";
      },
    };
  });

  // All sections around a part have a name for the style, which would look through the whole page for `section:has(part)`.
  Live.tellSections = (part, name, whether) => {
    for (let section = part.closest("section"); section; section = section.parentElement.closest("section")) section.classList.toggle(name, whether);
  };

  // Gigabytes with as many digits as are of use, as in_gigabytes in controls.py writes them.
  Live.inGigabytes = (gb, fill) => gb < 1000 ? fill(`{gb:.${gb < 1 ? 3 : gb < 100 ? 2 : 1}f}`, {gb}) : Math.round(gb).toLocaleString("en");

  // A keyboard must stand somewhere when the part that it stood on is gone, or off: on the first of these parts that can be
  // seen, or else on the picture. A finger stays where it is, and no keyboard is raised for it.
  Live.stand = (picture, parts, pressed = false) => {
    const part = pressed && matchMedia("(pointer: coarse)").matches ? null : parts.find((each) => each.checkVisibility() && !each.disabled);
    if (part) return part.focus();
    if (!pressed && document.activeElement !== document.body) return; // (the figure has seen to it)
    picture.tabIndex = -1;
    picture.focus({preventScroll: true});
    picture.addEventListener("blur", () => picture.removeAttribute("tabindex"), {once: true});
  };

  // A second button for the same act, in the bar of a phone: it is off when the first one is.
  Live.twin = (make, button) => {
    const twin = make("button", {type: "button", class: "live-act"}, button.textContent);
    twin.addEventListener("click", () => button.click());
    new MutationObserver(() => { twin.ariaDisabled = button.ariaDisabled; }).observe(button, {attributeFilter: ["aria-disabled"]});
    return twin;
  };

  // Columns of text are aligned at their beginning, numbers at their end (live.css). What is no number yet is masked.
  Live.align = (table) => [...table.tHead.rows[0].cells].forEach((_, k) => {
    if (k && [...table.tBodies[0].rows].some(({cells}) => /^(?!masked)[\p{L}“<␣]/u.test(cells[k].textContent))) table.classList.add(`live-text-${k}`);
  });

  // The name of a step of a tour. (A number would be taken for a player of the game.)
  Live.step = (k) => String.fromCharCode(65 + k);
  // The line beside a tour: where it stands (or what the figure does now), and how it goes on (see `toured` in live.js).
  Live.guide = ({tour, invites}, at, near, left, off, now = "") => {
    if (at >= 0) return tour[at].says;
    const still = off ? `; ${off} still off` : "";
    if (left) return `${now || "You have left the experiment"}${still}${off || now ? ". Step" : "; step"}\u00a0A leads back to ${now ? "the experiment" : "it"}.`;
    if (near < 0) return now ? `${now}.` : invites;
    return `${now || `You have gone on from step ${Live.step(near)}`}${still}. The experiment ${near + 1 < tour.length ? `goes on with step ${Live.step(near + 1)}` : "begins again with step A"}.`;
  };

  // The speed of Play, twice: with the buttons, and, in signs, in the bar of a phone; what is chosen in one stands in both.
  Live.speeds = (make) => {
    const both = [0, 1].map((small) => make("select", {class: "live-speed", "aria-label": "Speed", autocomplete: "off"},
      ...[[0.5, "slow"], [1, "normal"], [2.5, "fast"], [8, "very fast"]].map(([times, word]) => make("option", {value: times}, small ? `${times}×` : word))));
    for (const each of both) {
      each.value = "1";
      each.addEventListener("change", () => { for (const other of both) other.value = each.value; });
    }
    setTimeout(() => fair(both[1].closest(".live-player")));
    return both;
  };
  // The bar of a phone is there while a third of its figure, or of the window, is in sight; a sliver has no bar over the text.
  function fair(bar) {
    const panel = bar?.closest(".live-panel");
    let gone = 0;
    // Play brings what moves into view; the machine view does so itself.
    bar?.querySelector(".live-play").addEventListener("click", ({currentTarget}) => {
      const top = panel.querySelector(":scope > .live-picture").getBoundingClientRect().top - 64, calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      if (currentTarget.textContent === "Pause" && top > 0 && !panel.querySelector(".machine-stage")) scrollBy({top, behavior: calm ? "auto" : "smooth"});
    });
    if (panel) new IntersectionObserver((seen) => {
      const {intersectionRect, boundingClientRect, isIntersecting} = seen.at(-1); // (a busy page tells of several frames at once)
      // Whoever has gone on reading does not see what plays.
      clearTimeout(gone);
      if (!isIntersecting) gone = setTimeout(() => {
        const play = bar.querySelector(".live-play");
        if (play.textContent === "Pause") play.click();
      }, 1000);
      bar.classList.toggle("live-player-away", intersectionRect.height < Math.min(innerHeight, boundingClientRect.height) / 3);
    }, {threshold: [...Array(51).keys()].map((k) => k / 50)}).observe(panel);
  }

  // What a hand takes hold of in a drawing (see data-drag in live.js). A finger that begins on it draws it and does not
  // scroll the page, which `touch-action` alone does not prevent for a part of a drawing; beside it a finger scrolls.
  Live.grip = (svg, cx, cy, what) => {
    const part = svg("circle", {cx, cy, r: 24, class: "live-grip", "data-drag": what});
    part.addEventListener("touchstart", (event) => { if (event.cancelable) event.preventDefault(); }, {passive: false});
    return part;
  };

  // Any text on one line: nothing typed is refused, but half a character becomes a sign of doubt, as in UTF-8.
  const whole = (text) => new TextDecoder("utf-8", {ignoreBOM: true}).decode(new TextEncoder().encode(text));
  Live.control("typed", (make) => (spec, id) => {
    const input = make("input", {type: "text", id, value: spec.start, autocomplete: "off", autocapitalize: "none",
      autocorrect: "off", spellcheck: "false", ...(spec.words.length ? {list: `${id}-words`} : {})});
    const offered = make("datalist", {id: `${id}-words`}, ...spec.words.map((word) => make("option", {value: word})));
    return {
      parts: [make("label", {for: id}, spec.label), make("div", {class: "live-box"}, input, offered)], input,
      get: () => [...whole(input.value)].slice(0, spec.most).join(""),
      set: (value) => { input.value = value; },
      take: (text) => { input.value = text; },
      say() {},
    };
  });
})();
