// Opened as a file, a page may not read other pages: the search then lists its hits without excerpts.
if (window.location.protocol === "file:" && typeof DOCUMENTATION_OPTIONS !== "undefined") {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}
const root = new URL(document.documentElement.dataset.content_root || "./", window.location.href);
const hosted = window.location.protocol.startsWith("http");
// A script of the site that is fetched when it is asked for: a page opened as a file may read nothing else. (For all scripts.)
const fetchScript = (name) => new Promise((resolve, reject) => {
  document.head.append(Object.assign(document.createElement("script"), {src: new URL(`_static/${name}`, root), onload: resolve, onerror: reject}));
});
// One is led to an estimated place, as what lies above it is not laid out; so for a while it is looked at again where it is,
// unless a hand goes on from there.
const leadTo = (place) => {
  const until = performance.now() + 700;
  let frames = 12, at = scrollY;
  const again = () => {
    if (!place || (frames-- <= 0 && (performance.now() > until || Math.abs(scrollY - at) > 2))) return; // (or a script goes on)
    if (Math.abs(place.getBoundingClientRect().top - parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop)) > 8) place.scrollIntoView();
    at = scrollY;
    requestAnimationFrame(again);
  };
  for (const hand of ["wheel", "keydown", "pointerdown"]) addEventListener(hand, () => { place = null; }, {once: true, passive: true});
  again();
};
// A place of the page stays so far below the edge of the window, though what lies above it gets another height; a hand ends that.
const holdAt = (place, top) => {
  let frames = 20;
  for (const hand of ["wheel", "keydown", "pointerdown"]) addEventListener(hand, () => { frames = 0; }, {once: true, passive: true});
  const again = () => {
    if (document.documentElement.dataset.opening) return void setTimeout(again, 20);
    const off = place.getBoundingClientRect().top - top;
    if (Math.abs(off) > 2) scrollBy({top: off, behavior: "instant"});
    if (frames-- > 0) requestAnimationFrame(again);
  };
  again();
};
// What one reads stays in its place while a change hides and shows parts of the page; if it is hidden, what comes next is there.
// A later change leads back to the place that was left, if one has not read on in between.
let left = null;
const keepPlace = (change) => {
  const PART = ".bd-article section > :not(section)", below = (part) => part.getBoundingClientRect().top;
  const box = document.querySelector(".bd-article").getBoundingClientRect();
  let {place: seen, top} = left?.instead.checkVisibility() && Math.abs(below(left.instead) - left.at) < 100 ? left : {};
  for (let y = 70; y < innerHeight && !seen; y += 24) {
    seen = document.elementFromPoint(box.left + 40, y)?.closest(PART);
    top = seen && below(seen);
  }
  change();
  if (!seen) return;
  const parts = [...document.querySelectorAll(PART)], at = parts.indexOf(seen);
  const place = [...parts.slice(at), ...parts.slice(0, at).reverse()].find((part) => part.checkVisibility());
  left = place && place !== seen ? {place: seen, top, instead: place, at: 80} : null;
  if (place) holdAt(place, left ? left.at : top);
};
// What lies far below is laid out in the meantime, a part at a time, so that a picture of the whole page shows all of it. A
// change of the whole page leaves that to the browser again, which lays out only what is near, and takes no longer for it.
const FAR = ".bd-article :is(section, form, dl, .citation, div.cell, div.math)"; // where the style may say content-visibility: auto
const SHORT = 6; // milliseconds, after which no further part is begun: on a slow phone a part takes several times as long
// The letters of its formulas (and raised figures) come first, and together: after each font that comes, all text is laid out anew.
const LETTERS = [[".mathcal", "KaTeX_Caligraphic"], [".mathbb", "KaTeX_AMS"], ["*", "KaTeX_Main"], [".mathbf", "KaTeX_Main", "bold"], [".mathnormal", "KaTeX_Math", "italic"],
  [".delimsizing.size1, .delim-size1, .small-op", "KaTeX_Size1"], [".delimsizing.size2, .large-op", "KaTeX_Size2"],
  [".delimsizing.size3", "KaTeX_Size3"], [".delimsizing.size4, .delim-size4", "KaTeX_Size4"]];
const lettersOfFormulas = () => Promise.allSettled(LETTERS.filter(([kind]) => document.querySelector(`.katex-html :is(${kind})`))
  .map(([, family, style = ""]) => document.fonts.load(`${style} 1em ${family}`)).concat(document.fonts.load("1em 'Source Sans'", "\u207b")));
let far = null, later = 0;
const layOut = (time) => {
  const start = performance.now(), begins = () => time.timeRemaining() > 8 && performance.now() - start < SHORT;
  while (far.length && !document.documentElement.dataset.opening && begins()) {
    const part = far.shift();
    // Not what a fold holds, and nothing above what is read, which must stay where it is.
    if (!part.checkVisibility() || getComputedStyle(part).contentVisibility !== "auto" || part.getBoundingClientRect().bottom < 0) continue;
    part.classList.add("laid-out");
    part.getBoundingClientRect();
  }
  if (far.length) requestIdleCallback(layOut);
};
const leaveFar = () => {
  if (!far) return;
  for (const part of document.querySelectorAll(".laid-out")) part.classList.remove("laid-out");
  clearTimeout(later);
  far = [];
  const mine = later = setTimeout(() => lettersOfFormulas().then(() => {
    if (mine !== later) return; // a change came while the fonts were fetched
    far = [...document.querySelectorAll(FAR)];
    requestIdleCallback(layOut);
  }), 1500); // (until then what is read finds its place)
};
if (window.requestIdleCallback) {
  let wide; // (to ask for it here would lay out the page before its first paint)
  addEventListener("load", () => {
    far = [];
    wide = innerWidth;
    leaveFar();
  });
  addEventListener("resize", () => {
    if (innerWidth < 100 || Math.abs(wide - innerWidth) < 20) return; // (a window of one pixel: a picture is being taken)
    leaveFar();
    wide = innerWidth;
  });
}
// In the bar above a page stands its name, once its title has scrolled away.
document.addEventListener("DOMContentLoaded", () => {
  const title = document.querySelector(".bd-article h1"), here = document.querySelector(".here");
  if (title && here) new IntersectionObserver((seen) => {
    const {isIntersecting, boundingClientRect} = seen.at(-1);
    here.classList.toggle("here-shown", !isIntersecting && boundingClientRect.top < 0);
  }, {rootMargin: "-56px 0px 0px"}).observe(title);
});
// The words that at most so many changed letters tell from what was typed, nearest first (Levenshtein 1966).
const nearest = (typed, words, most) => {
  const a = typed.toLowerCase().slice(0, 24), far = (word) => {
    const b = word.toLowerCase();
    let row = [...Array(b.length + 1).keys()];
    for (let i = 1; i <= a.length; i++) {
      const next = [i];
      for (let j = 1; j <= b.length; j++) next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] !== b[j - 1]));
      row = next;
    }
    return row[b.length];
  };
  return words.map((word) => [far(word), word]).filter(([d]) => d <= most).sort((x, y) => x[0] - y[0]).map(([, word]) => word);
};
// A host lets browsers keep a page for some minutes. If the book was built anew since, the page is fetched anew.
async function renew() {
  const mine = document.querySelector('meta[name="build"]')?.content;
  const answer = await fetch(new URL("build.txt", root), {cache: "no-store"});
  const build = answer.ok ? (await answer.text()).trim() : mine;
  if (!mine || build === mine || sessionStorage.getItem("renewed") === build + location.pathname) return;
  sessionStorage.setItem("renewed", build + location.pathname);
  await fetch(location.href, {cache: "reload"});
  location.reload();
}
if (hosted) window.addEventListener("load", () => setTimeout(() => renew().catch(() => {}))); // without a network it stays as it is
// Nothing is kept for reading offline unless the reader asks for it; the button says how much it is.
document.addEventListener("DOMContentLoaded", async () => {
  const box = document.querySelector(".keep-offline");
  if (!box || !hosted || !navigator.serviceWorker) return;
  const [button, told] = [box.querySelector("button"), box.querySelector("output")], words = button.textContent;
  const ready = (kept) => {
    button.disabled = false;
    button.dataset.kept = kept;
    button.textContent = kept ? "Remove the kept book from this device" : words;
    told.textContent = kept ? "The whole book is kept and opens without a network." : "";
  };
  const registration = () => navigator.serviceWorker.getRegistration(root);
  ready(Boolean((await registration())?.active));
  box.hidden = false;
  navigator.serviceWorker.addEventListener("message", ({data}) => {
    if (data.kept && button.disabled) told.textContent = `${Math.round(100 * data.kept)}% …`;
  });
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      if (button.dataset.kept === "true") {
        const it = await registration(), names = await caches.keys();
        for (const name of names) if (name.startsWith(`book ${it.scope} `)) await caches.delete(name);
        await it.unregister();
        ready(false);
      } else {
        told.textContent = "0% …";
        await navigator.serviceWorker.register(new URL("offline.js", root));
        await navigator.serviceWorker.ready;
        ready(true);
      }
    } catch (error) {
      ready(false);
      told.textContent = `This did not work: ${error.message}`;
    }
  });
});
// On paper nothing can be opened: folds are opened for printing, and closed again. Paper is light, whatever the window is.
let opened = [];
window.addEventListener("beforeprint", () => {
  const {dataset} = document.documentElement;
  if (dataset.theme === "dark") Object.assign(dataset, {theme: "light", paper: "from-dark"});
  opened = [...document.querySelectorAll("details:not([open])")];
  for (const fold of opened) fold.open = true;
});
window.addEventListener("afterprint", () => {
  const {dataset} = document.documentElement;
  if (dataset.paper) dataset.theme = "dark";
  delete dataset.paper;
  for (const fold of opened) fold.open = false;
  opened = [];
});
// A press beside an open menu closes it, and does nothing else.
document.addEventListener("click", (event) => {
  if (document.querySelector(".dropdown-menu.show") && !event.target.closest(".dropdown")) event.preventDefault();
}, true);
// The button that prints (see tools/page_policy.py).
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-prints]")) window.print();
});
// A press on a work of the timeline, or near it: its entry is read below the drawing, where the drawing stays in sight; the
// keyboard, and a press together with a key, go to the list.
document.addEventListener("click", (event) => {
  const plain = event.pointerType && !(event.ctrlKey || event.metaKey || event.shiftKey);
  const drawing = plain && event.target.closest?.("svg.spread:has(.event)");
  if (!drawing) return;
  const {clientX: x, clientY: y} = event, far = (work) => { // from the box of the dot and its name
    const box = work.querySelector("rect").getBoundingClientRect();
    return Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom));
  };
  const nearest = [...drawing.querySelectorAll(".event")].sort((a, b) => far(a) - far(b))[0];
  event.preventDefault();
  if (far(nearest) > 30) return;
  for (const work of drawing.querySelectorAll(".event")) work.classList.toggle("event-read", work === nearest);
  const list = document.querySelector("ol.timeline"), told = document.querySelector(".event-told") || document.createElement("ol");
  told.className = "timeline event-told";
  told.setAttribute("aria-live", "polite");
  const entry = document.getElementById(nearest.getAttribute("href").slice(1)).cloneNode(true);
  entry.removeAttribute("id");
  told.replaceChildren(entry);
  list.before(told);
});
