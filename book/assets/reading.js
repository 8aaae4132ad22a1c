// How one reads: one way in at a time, remembered; pictures enlarged; what was read; a term explained where it stands.
(() => {
  "use strict";
  const data = document.documentElement.dataset, all = (selector) => [...document.querySelectorAll(selector)];
  const WAYS = {picture: "the-picture", hand: "by-hand", code: "in-code"};
  const keep = (name, value) => { try { localStorage.setItem(name, value); } catch { /* a browser that keeps nothing */ } };
  const kept = (name) => { try { return localStorage.getItem(name); } catch { return null; } };

  // --- Everything, Picture, By hand, Code ---
  function show(way) {
    leaveFar();
    data.reading = way in WAYS ? way : "all";
    delete data.code;
    for (const button of all("button[data-way]")) button.setAttribute("aria-pressed", String(button.dataset.way === data.reading));
    for (const list of all(".way-here")) list.value = data.reading;
    const empty = data.reading === "picture" ? all("section.not-in-picture, section.draws-nothing").map((part) => `#${part.id}`) : [];
    for (const link of all("#pst-page-toc-nav a")) link.parentElement.hidden = empty.includes(link.hash);
  }
  function choose(way) {
    show(way);
    for (const told of all(".modes-says [data-words]")) told.textContent = told.dataset.words;
    for (const note of all(".way-note")) note.remove();
    keep("reading", data.reading);
  }
  // The cell whose button opens a cell's code, too: of cells that follow one another the first.
  const leading = (cell) => cell.matches(".code-joins") ? leading(cell.previousElementSibling) : cell;
  // A link into what is hidden shows all of this page; on the others, the way that was chosen goes on. (If none was, nothing
  // has to be said of it, but to who has been reading that way and came by a link of the book.)
  function unhide(moved) {
    let place = null;
    const live = new URLSearchParams(location.hash.slice(1)).get("live");
    try { place = live ? document.querySelector(`live-figure[data-key="${CSS.escape(live)}"]`) : document.getElementById(decodeURIComponent(location.hash.slice(1))); } catch { return; }
    const folds = [place?.querySelector(":scope > :is(details.deeper, details.shows-code)"), place?.matches("dt.sig") && place.nextElementSibling?.querySelector(":scope > details.api-more")];
    for (let fold = place?.closest("details"); fold; fold = fold.parentElement.closest("details")) folds.push(fold);
    const opened = folds.filter((fold) => fold && !fold.open);
    for (const fold of opened) fold.open = true;
    const long = place?.closest(".cell.long-code:not(.code-shown)"), code = long && leading(long).querySelector(":scope > .code-opens");
    if (code?.getClientRects().length) {
      code.click();
      opened.push(code);
    }
    if (opened.length) leadTo(place);
    const head = place?.matches(".holds-drawing") ? place.firstElementChild : place; // (of this part two ways leave only the drawing)
    if (data.reading === "all" || !place || head.getClientRects().length) return;
    const name = document.querySelector(`button[data-way="${data.reading}"]`)?.textContent;
    const way = data.reading;
    show("all");
    const chosen = kept("reading");
    if (!chosen && !moved && !document.referrer.startsWith(location.origin)) return leadTo(place);
    if (chosen && way !== "code") data.code = "folded"; // who chose to read none gets none
    const shows = `everything${data.code ? " but the code" : ""}`;
    const told = document.querySelector(".modes-says [data-way=all]");
    if (told && name) told.dataset.words ||= told.textContent;
    if (told && name) told.textContent = `A link led to a part that “${name}” leaves out, so this page shows ${shows}. Other pages keep your choice.`;
    const note = document.createElement("p"), back = document.createElement("button");
    Object.assign(back, {type: "button", textContent: `Back to “${name}”`});
    back.addEventListener("click", () => { note.remove(); choose(way); document.querySelector(".modes").scrollIntoView(); });
    note.className = "way-note";
    note.append(`You came by a link to a part that “${name}” leaves out, so this page shows ${shows}. `, back);
    for (const old of all(".way-note")) old.remove();
    if (live) place.before(note);
    else (place.matches("section") ? place.firstElementChild : place).after(note);
    leadTo(place);
  }

  const LARGER = "Enlarge this figure", LARGE = ".cell_output img, svg.diagram[tabindex]"; // plots and drawings
  // --- a figure in the whole window: all of it at first; a press on a place, two fingers or the buttons make it larger and small again ---
  function enlarge(picture) {
    const box = document.createElement("dialog"), close = document.createElement("button"), big = picture.cloneNode(true);
    box.className = "enlarged";
    box.setAttribute("aria-label", "The figure, enlarged");
    big.removeAttribute("loading");
    big.removeAttribute("tabindex");
    big.removeAttribute("role");
    big.removeAttribute("title");
    big.removeAttribute("width");
    big.removeAttribute("height");
    // (On a phone a plot may have its panels one below the other. An address that says its host would lose its
    // "#dark": Chromium then draws the plot as by day.)
    const other = [...picture.closest("picture")?.querySelectorAll("source") ?? []].find(({media}) => matchMedia(media).matches);
    if (other) big.src = other.getAttribute("srcset");
    big.querySelector("title")?.remove();
    if (!picture.matches("img")) big.setAttribute("role", "img");
    Object.assign(close, {type: "button", textContent: "Close"});
    close.addEventListener("click", () => box.close());
    box.addEventListener("click", (event) => { if (event.target === box) box.close(); });
    // The page behind stays where it is, and as wide as it is.
    const page = document.documentElement, bar = innerWidth - page.clientWidth;
    box.addEventListener("close", () => {
      box.remove();
      Object.assign(page.style, {overflow: "", paddingRight: ""});
      picture.focus({preventScroll: true});
    });
    const scroll = document.createElement("div"), head = document.createElement("div"), larger = document.createElement("button");
    Object.assign(larger, {type: "button", textContent: "Full size"});
    const [smaller, bigger] = [["−", "Smaller", 1 / 1.5], ["+", "Larger", 1.5]].map(([sign, says, times]) => {
      const button = Object.assign(document.createElement("button"), {type: "button", className: "enlarged-step", textContent: sign});
      button.setAttribute("aria-label", says);
      button.addEventListener("click", () => size(Math.min(6 * fitted, Math.max(fitted, big.clientWidth * times))));
      return button;
    });
    let fitted = 0;
    const fit = () => { // as wide as the window lets it be, and its height with it
      const shape = (picture.naturalWidth || picture.clientWidth) / (picture.naturalHeight || picture.clientHeight);
      fitted = Math.floor(Math.min(scroll.clientWidth, scroll.clientHeight * shape));
      size(fitted);
    };
    // At a width, with the same place of the figure under the finger.
    const size = (width, at) => {
      const before = big.getBoundingClientRect(), frame = scroll.getBoundingClientRect();
      const [x, y] = at || [frame.left + frame.width / 2, frame.top + frame.height / 2];
      const part = before.width ? [(x - before.left) / before.width, (y - before.top) / before.height] : [0.5, 0.5];
      big.style.width = `${width}px`;
      const after = big.getBoundingClientRect();
      scroll.scrollLeft += after.left + part[0] * after.width - x;
      scroll.scrollTop += after.top + part[1] * after.height - y;
      const full = width > fitted + 1;
      box.classList.toggle("enlarged-full", full);
      larger.textContent = full ? "Fit to the window" : "Full size";
      smaller.disabled = !full;
      bigger.disabled = width > 6 * fitted - 1;
    };
    const isFull = () => box.classList.contains("enlarged-full");
    const turn = (at) => size(isFull() ? fitted : Math.max(2 * fitted, picture.naturalWidth || 0), at);
    larger.addEventListener("click", () => turn());
    big.addEventListener("click", (event) => turn([event.clientX, event.clientY]));
    const apart = ([a, b]) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
    const middle = ([a, b]) => [(a.clientX + b.clientX) / 2, (a.clientY + b.clientY) / 2];
    let pinch = null;
    scroll.addEventListener("touchstart", ({touches}) => { pinch = touches.length === 2 ? {far: apart(touches), width: big.clientWidth} : null; }, {passive: true});
    scroll.addEventListener("touchmove", (event) => {
      if (!pinch || event.touches.length !== 2) return;
      event.preventDefault();
      size(Math.min(6 * fitted, Math.max(fitted, pinch.width * apart(event.touches) / pinch.far)), middle(event.touches));
    }, {passive: false});
    addEventListener("resize", function again() {
      if (!box.isConnected) removeEventListener("resize", again);
      else if (!isFull()) fit();
    });
    head.append(larger, smaller, bigger, close);
    scroll.append(big);
    scroll.tabIndex = 0;
    box.append(head, scroll);
    const says = picture.closest(".cell_output")?.querySelector("p.finding");
    if (says) box.append(says.cloneNode(true));
    document.body.append(box);
    Object.assign(page.style, {overflow: "hidden", paddingRight: bar ? `${bar}px` : ""});
    box.showModal();
    close.focus();
    fit();
  }

  // --- what was read: a chapter counts when most of its parts that are shown were in view for a while, and its end ---
  const LONG_ENOUGH = 1500; // milliseconds
  function progress() {
    const read = new Set((kept("read") || "").split(" ").filter(Boolean)), number = document.body.dataset.chapter;
    const chapters = all(".bd-docs-nav a[data-chapter]");
    const tell = () => {
      for (const link of chapters) {
        link.classList.toggle("was-read", read.has(link.dataset.chapter));
        link.title = read.has(link.dataset.chapter) ? "Read: most of this chapter and its take-aways were in view" : "";
      }
      const told = document.querySelector(".reading-progress");
      if (told && read.size) told.textContent = `${chapters.filter((a) => read.has(a.dataset.chapter)).length} of ${chapters.length} chapters read`;
    };
    tell();
    const end = document.querySelector("#take-aways");
    if (!number || !end || read.has(number)) return;
    const name = `seen-${number}`, seen = new Set((kept(name) || "").split(" ").filter(Boolean)), looking = new Map();
    const parts = ["#the-picture", "#by-hand", "#in-code", "section[id^='experiment']"].flatMap((part) => all(`${part}, ${part} section:not([id^='deeper-'])`));
    const watch = new IntersectionObserver((changes) => {
      for (const {target, isIntersecting} of changes) {
        clearTimeout(looking.get(target));
        if (isIntersecting) looking.set(target, setTimeout(() => note(target.id), LONG_ENOUGH));
      }
    });
    const note = (id) => {
      seen.add(id);
      const shown = parts.filter((part) => part.getClientRects().length);
      if (!seen.has(end.id) || shown.filter((part) => seen.has(part.id)).length < 0.6 * shown.length) return keep(name, [...seen].join(" "));
      watch.disconnect();
      read.add(number);
      keep("read", [...read].sort().join(" "));
      try { localStorage.removeItem(name); } catch { /* nothing was kept */ }
      tell();
    };
    for (const part of [...parts, end]) watch.observe(part);
  }

  // --- a term of the glossary, where it stands; the explanations come with the first that is pointed at ---
  let tip, waiting, coming;
  const explanations = () => coming ??= fetchScript("terms.js").then(() => window.TERMS);
  async function explain(link) {
    const says = (await explanations())[link.hash.slice(1)];
    if (!says || !link.matches(":hover, :focus")) return;
    tip ??= Object.assign(document.createElement("div"), {className: "term-tip", id: "term-tip"});
    tip.setAttribute("role", "tooltip");
    tip.textContent = says;
    document.body.append(tip);
    const box = link.getBoundingClientRect(), width = Math.min(360, document.documentElement.clientWidth - 24);
    const left = Math.max(12, Math.min(box.left, document.documentElement.clientWidth - width - 12));
    tip.style.cssText = `width:${width}px;left:${left + scrollX}px`;
    const above = box.top > tip.offsetHeight + 12;
    tip.style.top = `${scrollY + (above ? box.top - tip.offsetHeight - 6 : box.bottom + 6)}px`;
    link.setAttribute("aria-describedby", "term-tip");
  }
  function hush() {
    clearTimeout(waiting);
    if (tip?.isConnected) tip.remove();
  }
  // Under a finger a term or a number is explained at the foot of the window; a link leads from a term to the glossary.
  let sheet;
  function tellBelow(name, says, link) {
    hush();
    sheet?.remove();
    const close = Object.assign(document.createElement("button"), {type: "button", textContent: "Close"}), more = document.createElement("p");
    if (link) more.append(Object.assign(document.createElement("a"), {href: link.href, textContent: "In the glossary"}));
    more.append(close);
    const mine = sheet = Object.assign(document.createElement("div"), {className: "term-sheet"});
    mine.setAttribute("role", "dialog");
    mine.setAttribute("aria-label", name);
    const text = document.createElement("p");
    text.append(Object.assign(document.createElement("b"), {textContent: `${name}: `}), says);
    mine.append(text, more);
    document.body.append(mine);
    const away = (event) => { // (another sheet may have taken the place of this one)
      if (event.type === "keydown" ? event.key !== "Escape" : mine.contains(event.target) && event.target !== close) return;
      mine.remove();
      for (const hand of ["click", "keydown"]) document.removeEventListener(hand, away);
    };
    for (const hand of ["click", "keydown"]) document.addEventListener(hand, away);
    close.focus({preventScroll: true});
  }
  async function explainBelow(link) {
    const says = (await explanations())[link.hash.slice(1)];
    if (says) tellBelow(link.textContent, says, link);
    else location.href = link.href;
  }

  // (Not in the task that ends the reading of the page: that is long enough.)
  document.addEventListener("DOMContentLoaded", () => setTimeout(() => {
    show(data.reading); // (kept only when it is chosen: a page that opens may not undo the choice of the one before)
    for (const button of all("button[data-way]")) button.addEventListener("click", () => {
      if (button.closest(".modes")) return keepPlace(() => choose(button.dataset.way));
      choose(button.dataset.way);
      document.querySelector(".modes").scrollIntoView();
    });
    for (const list of all(".way-here")) list.addEventListener("change", () => keepPlace(() => choose(list.value)));
    document.addEventListener("click", ({target}) => {
      if (!target.matches?.(".code-opens")) return;
      const open = !target.parentElement.classList.contains("code-shown"), first = leading(target.parentElement);
      for (let cell = first; cell === first || cell?.matches(".code-joins"); cell = cell.nextElementSibling) {
        const button = cell.querySelector(":scope > .code-opens");
        cell.classList.toggle("code-shown", open);
        button.setAttribute("aria-expanded", String(open));
        button.textContent = open ? "Hide the code" : "Show the code";
      }
    });
    window.addEventListener("hashchange", unhide);
    if (location.hash) unhide(false);
    for (const picture of all(".cell_output img, article svg.diagram[role='img']")) {
      if (picture.closest("live-figure, a")) continue;
      picture.setAttribute("tabindex", "0");
      picture.setAttribute("role", "button");
      if (picture.matches("img")) picture.title = LARGER;
      else picture.prepend(Object.assign(document.createElementNS("http://www.w3.org/2000/svg", "title"), {textContent: LARGER}));
    }
    document.addEventListener("click", (event) => {
      const picture = event.target.closest(LARGE);
      if (picture && !picture.closest("dialog")) enlarge(picture);
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") hush();
      if (event.key !== "Enter" || !event.target.matches?.(LARGE)) return;
      event.preventDefault(); // else the same key presses the button that is now in focus
      enlarge(event.target);
    });
    for (const start of ["mouseover", "focusin"]) {
      document.addEventListener(start, (event) => {
        const link = event.target.closest?.("a.term");
        if (!link) return;
        clearTimeout(waiting);
        waiting = setTimeout(() => explain(link).catch(() => {}), start === "focusin" ? 0 : 200);
      });
    }
    for (const end of ["mouseout", "focusout"]) document.addEventListener(end, hush);
    document.addEventListener("click", (event) => {
      if (event.pointerType !== "touch" || event.ctrlKey || event.metaKey) return;
      const link = event.target.closest?.("a.term"), number = event.target.closest?.(".bound[title]");
      if (number && !number.closest("a")) setTimeout(() => tellBelow(number.textContent, number.title)); // (not under the same press, which closes)
      if (!link) return;
      event.preventDefault();
      clearTimeout(waiting);
      explainBelow(link).catch(() => { location.href = link.href; });
    });
    progress();
  }));
})();
