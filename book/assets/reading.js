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
