// How one reads: one way in at a time, remembered; pictures enlarged; what was read; a term explained where it stands.
(() => {
  "use strict";
  const data = document.documentElement.dataset, all = (selector) => [...document.querySelectorAll(selector)];
  const WAYS = {picture: "the-picture", hand: "by-hand", code: "in-code"};
  // What a way hides (as book.css does), so that a link into it can show it.
  const HIDES = {
    picture: "#by-hand, #in-code, #what-the-sources-say, #check-yourself, #references, section[id^='deeper-'], .not-in-picture, .cell",
    hand: "#the-picture, #in-code", code: "#the-picture, #by-hand"};
  const keep = (name, value) => { try { localStorage.setItem(name, value); } catch { /* a browser that keeps nothing */ } };
  const kept = (name) => { try { return localStorage.getItem(name); } catch { return null; } };

  // --- Everything, Picture, By hand, Code ---
  function show(way) {
    data.reading = way in WAYS ? way : "all";
    for (const button of all("button[data-way]")) button.setAttribute("aria-pressed", String(button.dataset.way === data.reading));
    // By hand, the numbers lie open. What was opened for that is folded again.
    for (const fold of all("details.below-input, details.figure-numbers")) {
      if (data.reading === "hand" ? fold.open : !fold.dataset.opened) continue;
      fold.open = data.reading === "hand";
      fold.dataset.opened = fold.open ? "yes" : "";
    }
    const empty = data.reading === "picture" ? all("section[id^='experiment'] section:not(:has(.draws))").map((part) => `#${part.id}`) : [];
    for (const link of all("#pst-page-toc-nav a")) link.parentElement.hidden = empty.includes(link.hash);
  }
  function choose(way) {
    show(way);
    keep("reading", data.reading);
  }
  // A link into a section that is hidden shows it.
  function unhide() {
    let place = null;
    try { place = document.getElementById(decodeURIComponent(location.hash.slice(1))); } catch { return; }
    if (data.reading === "all" || !place?.closest(HIDES[data.reading])) return;
    choose(Object.keys(WAYS).find((way) => place.closest(`#${WAYS[way]}`)) || "all");
    place.scrollIntoView();
  }

  // --- a figure as large as it is ---
  function enlarge(picture) {
    const box = document.createElement("dialog"), close = document.createElement("button"), big = picture.cloneNode(true);
    box.className = "enlarged";
    box.setAttribute("aria-label", "The figure, enlarged");
    big.removeAttribute("loading");
    big.removeAttribute("tabindex");
    big.removeAttribute("role");
    Object.assign(close, {type: "button", textContent: "Close"});
    close.addEventListener("click", () => box.close());
    box.addEventListener("click", (event) => { if (event.target === box) box.close(); });
    box.addEventListener("close", () => { box.remove(); picture.focus(); });
    const scroll = document.createElement("div");
    scroll.append(big);
    scroll.tabIndex = 0;
    box.append(close, scroll);
    document.body.append(box);
    box.showModal();
  }

  // --- what was read: a chapter counts when most of its parts that are shown were in view for a while, and its end ---
  const LOOK = 1500; // milliseconds
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
        if (isIntersecting) looking.set(target, setTimeout(() => look(target.id), LOOK));
      }
    });
    const look = (id) => {
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
  const explanations = () => coming ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = new URL("_static/terms.js", new URL(data.content_root || "./", location.href));
    script.addEventListener("load", () => resolve(window.TERMS));
    script.addEventListener("error", reject);
    document.head.append(script);
  });
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

  // (Not in the task that ends the reading of the page: that is long enough.)
  document.addEventListener("DOMContentLoaded", () => setTimeout(() => {
    show(data.reading); // (kept only when it is chosen: a page that opens may not undo the choice of the one before)
    for (const button of all("button[data-way]")) button.addEventListener("click", () => {
      choose(button.dataset.way);
      if (!button.closest(".modes")) document.querySelector(".modes").scrollIntoView();
    });
    document.addEventListener("click", ({target}) => {
      if (!target.matches?.(".code-opens")) return;
      const open = target.parentElement.classList.toggle("code-shown");
      target.setAttribute("aria-expanded", String(open));
      target.textContent = open ? "Hide the code" : "Show the code";
    });
    window.addEventListener("hashchange", unhide);
    if (location.hash) unhide();
    for (const picture of all(".cell_output img")) {
      picture.tabIndex = 0;
      picture.setAttribute("role", "button");
      picture.title = "Enlarge";
    }
    document.addEventListener("click", (event) => {
      const picture = event.target.closest(".cell_output img");
      if (picture && !picture.closest("dialog")) enlarge(picture);
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") hush();
      if (event.key === "Enter" && event.target.matches?.(".cell_output img")) enlarge(event.target);
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
    progress();
  }));
})();
