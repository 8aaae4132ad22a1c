// Opened as a file, a page may not read other pages: the search then lists its hits without excerpts.
if (window.location.protocol === "file:" && typeof DOCUMENTATION_OPTIONS !== "undefined") {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}
// A line of code too long for the page goes on below, four letters further in. (Pygments closes its spans at
// each line's end, so that lines can be cut apart; what is copied stays as it was.)
function hangLines(pre) {
  const lines = pre.innerHTML.replace(/\n$/, "").split("\n");
  pre.innerHTML = lines.map((line) => {
    const indent = line.replace(/<[^>]*>/g, "").match(/^ */)[0].length + 4;
    return `<span class="code-line" style="--hang:${indent}ch">${line}\n</span>`;
  }).join("");
}
// Served by a host, the book is kept after the first visit and then opens without a network, too. Whoever asks
// their browser to save data is asked for nothing more than the pages they open.
const saving = navigator.connection && navigator.connection.saveData;
if (window.location.protocol.startsWith("http") && navigator.serviceWorker && !saving) {
  const root = new URL(document.documentElement.dataset.content_root || "./", window.location.href);
  window.addEventListener("load", () => navigator.serviceWorker.register(new URL("offline.js", root)).catch(() => {}));
}
// On paper nothing can be opened: folds are opened for printing, and closed again.
let opened = [];
window.addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("details:not([open])")];
  for (const fold of opened) fold.open = true;
});
window.addEventListener("afterprint", () => {
  for (const fold of opened) fold.open = false;
  opened = [];
});
document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll("div.cell_input .highlight pre, div.cell_output .highlight-python pre").forEach(hangLines);
  // What scrolls sideways inside its own box can also be reached with the keyboard.
  for (const box of document.querySelectorAll(".cell_output, div.highlight pre, .pst-scrollable-table-container, div.math")) {
    if (box.scrollWidth > box.clientWidth + 1 && !box.hasAttribute("tabindex")) box.setAttribute("tabindex", "0");
  }
});
// The button that prints (see tools/page_policy.py).
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-prints]")) window.print();
});
