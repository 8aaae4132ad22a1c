// How one reads: one way in at a time, remembered; pictures enlarged; what was read; a term explained where it stands.
(() => {
  "use strict";
  const data = document.documentElement.dataset, all = (selector) => [...document.querySelectorAll(selector)];
  const WAYS = {picture: "the-picture", hand: "by-hand", code: "in-code"};
  const keep = (name, value) => { try { localStorage.setItem(name, value); } catch { /* a browser that keeps nothing */ } };
  const kept = (name) => { try { return localStorage.getItem(name); } catch { return null; } };

  // --- The picture, By hand, In code ---
  function show(way) {
    data.reading = way in WAYS ? way : "all";
    for (const button of all(".modes button")) button.setAttribute("aria-pressed", String(button.dataset.way === data.reading));
  }
  function choose(way) {
    show(way);
    keep("reading", data.reading);
  }
  // A link into a section that is hidden shows it.
  function unhide() {
    let place = null;
    try { place = document.getElementById(decodeURIComponent(location.hash.slice(1))); } catch { return; }
    const hidden = Object.entries(WAYS).find(([, id]) => place?.closest(`#${id}`));
    if (!hidden || data.reading === "all" || data.reading === hidden[0]) return;
    choose(hidden[0]);
    place.scrollIntoView();
  }

  // --- a figure in the whole window: all of it at first; a press, two fingers or the button make it larger and small again ---
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
    big.src = picture.currentSrc || picture.src; // (on a phone a plot may have its panels one below the other)
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
    };
    const isFull = () => box.classList.contains("enlarged-full");
    const turn = (at) => size(isFull() ? fitted : Math.max(2 * fitted, picture.naturalWidth), at);
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
    head.append(larger, close);
    scroll.append(big);
    scroll.tabIndex = 0;
    box.append(head, scroll);
    document.body.append(box);
    Object.assign(page.style, {overflow: "hidden", paddingRight: bar ? `${bar}px` : ""});
    box.showModal();
    close.focus();
    fit();
  }

  // --- what was read: a chapter counts when its end has been seen ---
  function progress() {
    const read = new Set((kept("read") || "").split(" ").filter(Boolean)), number = document.body.dataset.chapter;
    const chapters = all(".bd-docs-nav a[data-chapter]");
    const tell = () => {
      for (const link of chapters) link.classList.toggle("was-read", read.has(link.dataset.chapter));
      const told = document.querySelector(".reading-progress");
      if (told && read.size) told.textContent = `${chapters.filter((a) => read.has(a.dataset.chapter)).length} of ${chapters.length} chapters read`;
    };
    tell();
    const end = document.querySelector("#take-aways");
    if (!number || !end) return;
    new IntersectionObserver((seen, watch) => {
      if (!seen.some((entry) => entry.isIntersecting)) return;
      watch.disconnect();
      read.add(number);
      keep("read", [...read].sort().join(" "));
      tell();
    }).observe(end);
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
    for (const button of all(".modes button")) button.addEventListener("click", () => choose(button.dataset.way));
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
