// Opened as a file, a page may not read other pages: the search then lists its hits without excerpts.
if (window.location.protocol === "file:" && typeof DOCUMENTATION_OPTIONS !== "undefined") {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}
document.addEventListener("DOMContentLoaded", () => {
  // What scrolls sideways inside its own box can also be reached with the keyboard.
  for (const box of document.querySelectorAll(".cell_output, div.highlight pre, .pst-scrollable-table-container, div.math")) {
    if (box.scrollWidth > box.clientWidth + 1 && !box.hasAttribute("tabindex")) box.setAttribute("tabindex", "0");
  }
});
