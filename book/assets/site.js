// What these pages use of their theme: colours, search, the two sidebars, copying of code.
// (The theme's own scripts bring a hundred kilobytes and lay out the whole page several times as it opens.)
(() => {
  "use strict";
  const $ = (selector) => document.querySelector(selector), all = (selector) => [...document.querySelectorAll(selector)];
  const data = document.documentElement.dataset, dark = matchMedia("(prefers-color-scheme: dark)");
  const remember = (name, value) => { try { localStorage.setItem(name, value); } catch { /* a browser that keeps nothing */ } };

  // --- light or dark: as the system has it, until somebody chooses ---
  const colours = (mode) => {
    data.mode = mode;
    data.theme = mode === "auto" ? (dark.matches ? "dark" : "light") : mode;
    remember("mode", mode);
    remember("theme", data.theme);
    tell();
  };
  const tell = () => {
    const words = data.theme === "dark" ? "Light colours" : "Dark colours";
    for (const button of all(".theme-switch-button")) {
      button.setAttribute("aria-label", words);
      button.title = words;
    }
  };
  const turn = () => colours(data.theme === "dark" ? "light" : "dark");
  dark.addEventListener("change", () => {
    if (data.mode !== "auto") return;
    data.theme = dark.matches ? "dark" : "light";
    tell();
  });

  // --- a dialog closes when one clicks beside it ---
  const closable = (dialog) => dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  function closer(className, label, dialog) {
    const button = Object.assign(document.createElement("button"), {type: "button", className, textContent: "×"});
    button.setAttribute("aria-label", label);
    button.addEventListener("click", () => dialog.close());
    return button;
  }
  function search() {
    const dialog = $("#pst-search-dialog"), field = $("form.bd-search:not(dialog form) input") || dialog?.querySelector("input");
    if (!field) return;
    if (!dialog?.contains(field)) field.focus();
    else if (dialog.open) dialog.close();
    else dialog.showModal();
  }
  // The entry of what one reads is in view in a sidebar: of the chapters under the search, which stays there.
  const HERE = ".bd-docs-nav .current.active > a, #pst-page-toc-nav a[aria-current]";
  function reveal(bar) {
    const entry = bar?.querySelector(HERE), frame = bar?.getBoundingClientRect(), place = entry?.getBoundingClientRect();
    if (!place?.height || bar.scrollHeight <= bar.clientHeight) return;
    const field = bar.querySelector(".search-button-field")?.getBoundingClientRect();
    const top = field ? field.bottom - frame.top + field.height / 2 : 0, room = 2.5 * place.height;
    const above = place.top - (frame.top + top), below = frame.bottom - place.bottom;
    if (above >= 0 && below >= place.height) return;
    const near = bar.querySelector("#pst-page-toc-nav"); // one reads on there; the list of chapters is only opened
    bar.scrollTop += !near ? above - (frame.height - top) / 3 : below < room ? room - below : above - room;
  }
  // A sidebar becomes a dialog on a small screen: its children and its classes move.
  const move = (from, to) => {
    to.append(...from.childNodes);
    to.classList.add(...from.classList);
    from.removeAttribute("class");
  };
  function drawer(button, bar, modal) {
    if (button && !bar) button.remove(); // a page without contents
    if (!button || !bar || !modal) return;
    closable(modal);
    const close = closer("drawer-close", "Close the contents", modal);
    let leads = false; // into the page: the reading goes on there, and not at the button
    modal.addEventListener("close", () => {
      close.remove();
      move(modal, bar);
      if (!leads) button.focus({preventScroll: true}); // (what was read stays where it was)
      leads = false;
    });
    modal.addEventListener("click", (event) => {
      const link = event.target.closest("a[href]");
      if (!link?.hash || link.pathname !== location.pathname) return;
      leads = true;
      modal.close();
    });
    button.addEventListener("click", (event) => {
      event.preventDefault();
      button.blur();
      if (bar.id === "pst-primary-sidebar" && matchMedia("(min-width: 992px)").matches) {
        bar.classList.toggle("pst-sidebar-hidden");
      } else {
        move(bar, modal);
        modal.prepend(close);
        modal.showModal();
        reveal(modal);
      }
    });
  }
  // --- where one is, in the list of contents beside the text ---
  // One asks the sections themselves where they are, and only the one that is on the line for those within it: to ask for a
  // heading that is far away would lay out all that stands around it.
  function follow() {
    const links = all("#pst-page-toc-nav a"), entries = all("#pst-page-toc-nav .toc-entry"), of = new Map();
    for (const link of links) {
      const place = document.getElementById(decodeURIComponent(link.hash.slice(1)));
      if (place) of.set(place, link);
    }
    if (!of.size) return;
    // (The list folds some entries in one place: here they stand as they do on the page.)
    const places = [...of.keys()].sort((a, b) => a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1);
    const outer = [], within = new Map(places.map((place) => [place, []]));
    for (const place of places) { // (each once, and not with each other: a page of the package has hundreds)
      let around = place.parentElement;
      while (around && !of.has(around)) around = around.parentElement;
      if (!around) outer.push(place);
      within.get(place.parentElement.closest("section"))?.push(place);
    }
    const at = (places, line) => places.findLast((place) => {
      if (["section > dl.py", "dl.py"].some((part) => place.closest(part)?.getBoundingClientRect().top > line)) return false; // (what it describes is not laid out yet)
      const box = place.getBoundingClientRect();
      return box.height && box.top <= line && !place.closest("details:not([open])");
    });
    let last, unfolded = null, asked = 0;
    const mark = () => {
      asked = 0;
      const end = innerHeight + scrollY >= document.documentElement.scrollHeight - 2, line = end ? innerHeight : 60 + 0.25 * innerHeight;
      let place = at(outer, line), inner = place;
      while (inner) {
        inner = at(within.get(place), line);
        place = inner || place;
      }
      const here = of.get(place);
      if (here === last) return;
      last = here;
      for (const link of links) {
        link.classList.toggle("active", link === here);
        if (link === here) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
      for (const entry of entries) entry.classList.toggle("active", entry.contains(here || null));
      const fold = here?.closest("details") || null; // of what goes deeper: open while one reads there
      if (fold !== unfolded) {
        if (unfolded) unfolded.open = false;
        unfolded = fold && !fold.open ? fold : null;
        if (fold) fold.open = true;
      }
      show();
    };
    const show = () => {
      if (data.opening) setTimeout(show, 20); // it is not laid out yet
      else reveal($("#pst-secondary-sidebar-modal[open]") || $("#pst-secondary-sidebar"));
    };
    const ask = () => { asked ||= requestAnimationFrame(mark); };
    for (const when of ["scroll", "resize", "hashchange"]) addEventListener(when, ask, {passive: true});
    new ResizeObserver(mark).observe($(".bd-article")); // (what is laid out, or made, above moves the rest without a scroll)
    const beside = $("#pst-secondary-sidebar");
    if (beside) {
      new ResizeObserver(show).observe(beside); // (when the window changes, its new height is known later)
      giveRoom(beside);
    }
    ask();
  }
  // A figure that takes the room beside the text never lies over the contents: they end above it, or wait until it is past.
  function giveRoom(contents) {
    const LEAST = 220; // (of less one reads nothing)
    let asked = 0;
    const measure = () => {
      asked = 0;
      const {top, left, width} = contents.getBoundingClientRect();
      const over = all("live-figure:has(> .live-plays)").map((figure) => figure.getBoundingClientRect()).filter((box) => width && box.right > left && box.bottom > top);
      const room = Math.floor(Math.min(innerHeight, ...over.map((box) => box.top - 8)) - top);
      contents.style.maxHeight = over.length && room < innerHeight ? `${Math.max(room, LEAST)}px` : "";
      const waits = over.length && room < LEAST;
      Object.assign(contents.style, {visibility: waits ? "hidden" : "", opacity: waits ? 0 : "", transition: waits ? "opacity 0.12s, visibility 0.12s" : ""}); // (they go quickly, and come back little by little)
    };
    const ask = () => { asked ||= requestAnimationFrame(measure); };
    for (const when of ["scroll", "resize"]) addEventListener(when, ask, {passive: true});
    new ResizeObserver(ask).observe($(".bd-article")); // (a figure is made)
  }
  // The keys to both ends lead to estimated heights, too, and from there to the real end.
  function toTheEnds() {
    addEventListener("keydown", (event) => {
      const {key, target} = event;
      if (!["End", "Home"].includes(key) || event.shiftKey || event.altKey || event.defaultPrevented || target.closest("dialog, input, textarea, select, [tabindex]:not(a, button)")) return;
      event.preventDefault();
      let frames = 40, stays = 0, last = "";
      const stop = () => { frames = 0; };
      for (const hand of ["wheel", "keydown", "pointerdown"]) setTimeout(() => addEventListener(hand, stop, {once: true, passive: true}));
      const again = () => {
        const high = document.documentElement.scrollHeight, here = `${high} ${scrollY}`;
        stays = here === last ? stays + 1 : 0;
        last = here;
        scrollTo({top: key === "End" ? high : 0, behavior: "instant"});
        if (frames-- > 0 && stays < 8) requestAnimationFrame(again);
      };
      again();
    });
  }
  // --- code: a button that copies; and what scrolls in its box can be reached with the keyboard ---
  function withButton(pre) {
    const button = Object.assign(document.createElement("button"), {type: "button", className: "copybtn", textContent: "Copy"});
    button.addEventListener("click", async () => {
      try { await navigator.clipboard.writeText(pre.textContent.replace(/\n$/, "")); } catch {
        getSelection().selectAllChildren(pre);
        document.execCommand("copy");
        getSelection().removeAllRanges();
      }
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    pre.parentElement.append(button);
  }
  // A little at a time, when nothing else is to be done.
  const idle = window.requestIdleCallback || ((work) => setTimeout(() => work({timeRemaining: () => 8}), 50));
  function inTheMeantime(boxes, work, done) {
    const some = (time) => {
      do work(boxes.shift()); while (boxes.length && time.timeRemaining() > 4);
      if (boxes.length) idle(some);
      else done();
    };
    if (boxes.length) idle(some);
    else done();
  }
  const reachable = (box) => {
    if (box.scrollWidth > box.clientWidth + 1 && !box.hasAttribute("tabindex")) box.setAttribute("tabindex", "0");
  };

  document.addEventListener("DOMContentLoaded", () => {
    for (const button of all(".theme-switch-button")) button.addEventListener("click", turn);
    for (const button of all(".search-button__button")) button.addEventListener("click", search);
    const dialog = $("#pst-search-dialog"), typing = dialog?.querySelector("input");
    if (dialog) closable(dialog);
    typing?.addEventListener("keydown", (event) => { // (a field of a search would first empty itself)
      if (event.key !== "Escape" || event.isComposing) return;
      event.preventDefault();
      dialog.close();
    });
    if (typing) offers(dialog, typing, closer("offers-close", "Close the search", dialog));
    const apple = /^Mac|^iP/.test(navigator.platform);
    if (apple) for (const key of all("kbd.kbd-shortcut__modifier:first-child")) key.textContent = "⌘";
    addEventListener("keydown", (event) => {
      if ((apple ? event.metaKey : event.ctrlKey) && !event.shiftKey && !event.altKey && /^k$/i.test(event.key)) {
        event.preventDefault();
        search();
      }
    });
    drawer($(".primary-toggle"), $("#pst-primary-sidebar"), $("#pst-primary-sidebar-modal"));
    drawer($(".secondary-toggle"), $("#pst-secondary-sidebar"), $("#pst-secondary-sidebar-modal"));
    document.addEventListener("click", (event) => {
      const toggle = event.target.closest('[data-bs-toggle="dropdown"]');
      for (const menu of all(".dropdown-menu")) {
        const mine = toggle?.nextElementSibling === menu && !menu.classList.contains("show");
        menu.classList.toggle("show", mine);
        menu.previousElementSibling?.setAttribute("aria-expanded", String(mine));
      }
    });
    setTimeout(follow);
    tell();
    toTheEnds();
    const copied = new IntersectionObserver((seen) => {
      for (const {target, isIntersecting} of seen) {
        if (!isIntersecting) continue;
        copied.unobserve(target);
        withButton(target);
      }
    }, {rootMargin: "600px"});
    setTimeout(() => {
      for (const pre of all("div.cell_input div.highlight pre, :not(.cell_output) > div[class*=highlight-] > .highlight > pre")) copied.observe(pre);
    });
    // The sidebar stays where it was left, if the page one is on is in view there.
    const bar = $("#pst-primary-sidebar");
    const toPlace = () => requestAnimationFrame(() => {
      if (data.opening) return setTimeout(toPlace, 20); // it is not laid out yet
      const kept = Number(sessionStorage.getItem("sidebar"));
      if (bar && kept) bar.scrollTop = kept;
      reveal(bar);
    });
    toPlace();
    addEventListener("pagehide", () => { if (bar) sessionStorage.setItem("sidebar", bar.scrollTop); });
  });
  const arrive = () => {
    try { leadTo(document.getElementById(decodeURIComponent(location.hash.slice(1)))); } catch { /* no name of a place */ }
  };
  // Who comes back finds the place that was read, though what lies above it has another, estimated height now. (What is in the
  // window is asked for where it is, and nothing else: to ask all would lay out the whole page.)
  const mine = `at ${location.pathname}`;
  addEventListener("pagehide", () => {
    const text = $(".bd-article")?.getBoundingClientRect(), seen = text && document.elementFromPoint(text.left + text.width / 2, 130);
    const part = seen?.closest(".bd-article section[id]"), inner = part ? [...part.children].findIndex((child) => child.contains(seen)) : -1;
    if (inner >= 0) sessionStorage.setItem(mine, JSON.stringify([part.id, inner, Math.round(part.children[inner].getBoundingClientRect().top), part.children[inner].open]));
    else sessionStorage.removeItem(mine);
  });
  const comeBack = () => {
    const [id, inner, top, open] = JSON.parse(sessionStorage.getItem(mine) || "[]"), place = document.getElementById(id)?.children[inner];
    if (!place) return;
    if (open) place.open = true;
    holdAt(place, top);
  };
  let clicked = null;
  addEventListener("click", (event) => { clicked = event.target.closest?.('a[href*="#"]'); }, true);
  addEventListener("load", () => setTimeout(() => {
    if (performance.getEntriesByType("navigation")[0]?.type === "navigate") arrive();
    else comeBack();
  }));
  addEventListener("hashchange", () => { if (clicked) arrive(); clicked = null; });
  // A chapter has hundreds of boxes, and to ask for a width lays out a section that nobody sees yet (a quarter of a second
  // for one with formulas). So each is asked when it comes near, and the others when somebody begins to go by the keyboard.
  addEventListener("load", () => setTimeout(() => {
    const far = new Set(all(".cell_output, .cell_output > .output, div.highlight pre, .pst-scrollable-table-container, div.math"));
    const ask = (box) => {
      far.delete(box);
      near.unobserve(box);
      const formula = box.matches("div.math");
      if (formula) box.classList.add("laid-out"); // (it has no width before)
      // A little smaller on a phone, if all of it is seen then. (The first width asks for its letters, which may come later.)
      if (formula && innerWidth < 600 && box.scrollWidth) document.fonts.ready.then(() => {
        const much = box.clientWidth / box.scrollWidth;
        // (where letters have whole pixels, its width does not follow its size exactly)
        if (much > 0.68) for (let size = 98 * much, k = 0; box.scrollWidth > box.clientWidth && k < 6; size -= 2, k++) box.style.fontSize = `${Math.floor(size)}%`;
        reachable(box);
      });
      reachable(box);
    };
    const near = new IntersectionObserver((seen) => {
      for (const {target, isIntersecting} of seen) if (isIntersecting) ask(target);
    }, {rootMargin: "900px"});
    for (const box of far) near.observe(box);
    const byKeyboard = ({key}) => {
      if (key !== "Tab") return;
      removeEventListener("keydown", byKeyboard);
      inTheMeantime([...far], ask, () => { data.boxes = "known"; });
    };
    addEventListener("keydown", byKeyboard);
    // What lies in a fold has a width once that is opened.
    document.addEventListener("toggle", ({target}) => { if (target.open) target.querySelectorAll(".pst-scrollable-table-container").forEach(reachable); }, true);
  }));
})();
