// What these pages use of their theme: colours, search, the two sidebars, the way back to the top, copying of code.
// (The theme's own scripts bring a hundred kilobytes and lay out the whole page several times as it opens.)
(() => {
  "use strict";
  const $ = (selector) => document.querySelector(selector), all = (selector) => [...document.querySelectorAll(selector)];
  const data = document.documentElement.dataset, dark = matchMedia("(prefers-color-scheme: dark)");
  const remember = (name, value) => { try { localStorage.setItem(name, value); } catch { /* a browser that keeps nothing */ } };

  // --- light, dark, or as the system ---
  const colours = (mode) => {
    data.mode = mode;
    data.theme = mode === "auto" ? (dark.matches ? "dark" : "light") : mode;
    remember("mode", mode);
    remember("theme", data.theme);
  };
  const turn = () => {
    const modes = dark.matches ? ["auto", "light", "dark"] : ["auto", "dark", "light"];
    colours(modes[(modes.indexOf(data.mode) + 1) % 3]);
  };
  dark.addEventListener("change", () => { if (data.mode === "auto") data.theme = dark.matches ? "dark" : "light"; });

  // --- a dialog closes when one clicks beside it ---
  const closable = (dialog) => dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  function search() {
    const dialog = $("#pst-search-dialog"), field = $("form.bd-search:not(dialog form) input") || dialog?.querySelector("input");
    if (!field) return;
    if (!dialog?.contains(field)) field.focus();
    else if (dialog.open) dialog.close();
    else dialog.showModal();
  }
  // A sidebar becomes a dialog on a small screen: its children and its classes move.
  const move = (from, to) => {
    to.append(...from.childNodes);
    to.classList.add(...from.classList);
    from.removeAttribute("class");
  };
  function drawer(button, bar, modal) {
    if (!button || !bar || !modal) return;
    closable(modal);
    modal.addEventListener("close", () => { move(modal, bar); button.focus(); });
    button.addEventListener("click", (event) => {
      event.preventDefault();
      button.blur();
      if (bar.id === "pst-primary-sidebar" && matchMedia("(min-width: 992px)").matches) {
        bar.classList.toggle("pst-sidebar-hidden");
      } else {
        move(bar, modal);
        modal.showModal();
      }
    });
  }
  // --- where one is, in the list of contents beside the text ---
  function follow() {
    const links = all("#pst-page-toc-nav a"), entries = all("#pst-page-toc-nav .toc-entry"), of = new Map();
    for (const link of links) {
      const place = document.getElementById(decodeURIComponent(link.hash.slice(1)));
      if (place) of.set(place.querySelector("h1, h2, h3, h4") || place, link);
    }
    const watch = new IntersectionObserver((seen) => {
      const here = of.get(seen.filter((e) => e.isIntersecting).pop()?.target);
      if (!here) return;
      for (const link of links) link.classList.toggle("active", link === here);
      for (const link of links) link.toggleAttribute("aria-current", link === here);
      for (const entry of entries) entry.classList.toggle("active", entry.contains(here));
    }, {rootMargin: "-60px 0px -70% 0px"});
    for (const place of of.keys()) watch.observe(place);
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
    const dialog = $("#pst-search-dialog");
    if (dialog) closable(dialog);
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
    // The sidebar stays where it was left, or shows the page one is on.
    const bar = $("#pst-primary-sidebar"), active = $(".bd-docs-nav .current.active > a");
    const toPlace = () => requestAnimationFrame(() => {
      if (data.opening) return setTimeout(toPlace, 20); // it is not laid out yet
      const kept = Number(sessionStorage.getItem("sidebar"));
      if (bar && kept) bar.scrollTop = kept;
      else if (bar && active && active.offsetTop > bar.clientHeight / 2) bar.scrollTop = active.offsetTop - bar.clientHeight / 4;
    });
    toPlace();
    addEventListener("pagehide", () => { if (bar?.scrollTop) sessionStorage.setItem("sidebar", bar.scrollTop); });
    const top = $("#pst-back-to-top");
    if (top) {
      let before = 0;
      addEventListener("scroll", () => {
        top.style.display = scrollY < before && scrollY > 900 ? "block" : "";
        before = scrollY;
      }, {passive: true});
      top.addEventListener("click", () => scrollTo({top: 0}));
    }
  });
  // A link leads to an estimated place, as what lies above it is not laid out; some frames later it is known where it is.
  const arrive = () => {
    let place = null, frames = 12;
    try { place = document.getElementById(decodeURIComponent(location.hash.slice(1))); } catch { return; }
    const again = () => {
      if (!place || !frames--) return;
      if (Math.abs(place.getBoundingClientRect().top - parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop)) > 8) place.scrollIntoView();
      requestAnimationFrame(again);
    };
    for (const hand of ["wheel", "keydown", "pointerdown"]) addEventListener(hand, () => { frames = 0; }, {once: true, passive: true});
    again();
  };
  // (Who comes back, or loads the page again, stays where the browser puts them.)
  let clicked = null;
  addEventListener("click", (event) => { clicked = event.target.closest?.('a[href*="#"]'); }, true);
  addEventListener("load", () => setTimeout(() => { if (performance.getEntriesByType("navigation")[0]?.type === "navigate") arrive(); }));
  addEventListener("hashchange", () => { if (clicked) arrive(); clicked = null; });
  // A chapter has hundreds of boxes, and to ask for a width lays out a section that nobody sees yet (a quarter of a second
  // for one with formulas). So each is asked when it comes near, and the others when somebody begins to go by the keyboard.
  addEventListener("load", () => setTimeout(() => {
    const far = new Set(all(".cell_output, .cell_output > .output, div.highlight pre, .pst-scrollable-table-container, div.math"));
    const ask = (box) => {
      far.delete(box);
      near.unobserve(box);
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
  }));
})();
