// An opened part of the machine view as a sheet at the lower edge of the window: nothing moves of what one looks at. It is
// closed by its ×, by Escape, and on a phone by Back. One that stands open from the start (a chapter's, or an address's) is
// no sheet, but stands below the drawing.
(() => {
  "use strict";
  let count = 0;

  window.MachineSheet = class {
    constructor(view) {
      this.view = view;
      this.name = `machine-sheet-${++count}`;
      this.entry = false; // whether the history holds an entry for it, which Back takes away
      addEventListener("popstate", () => this.back());
      document.addEventListener("keydown", (event) => {
        const {view} = this, mine = [view.root, view.room].some((part) => part.contains(event.target));
        if (event.key !== "Escape" || event.defaultPrevented || view.state.open === "nothing" || !(mine || this.raised)) return;
        view.open("nothing");
      });
    }
    get raised() { return this.view.room.classList.contains("machine-sheet"); }
    raise() {
      if (this.raised) return;
      this.view.room.classList.add("machine-sheet");
      if (!matchMedia("(max-width: 600px)").matches) return;
      this.entry = true;
      history.scrollRestoration = "manual"; // for this entry and the next: the page stays where it is
      history.pushState({...history.state, sheet: this.name}, "");
      history.scrollRestoration = "manual";
    }
    // It cannot rise above its figure: if that begins low in the window, the page goes up, so that all of the sheet is seen.
    async fit() {
      const {room} = this.view;
      await Promise.all(room.getAnimations().map((rising) => rising.finished.catch(() => {})));
      const over = room.getBoundingClientRect().bottom - innerHeight;
      if (this.raised && over > 1) this.view.glide(over);
    }
    // Of a long text's map it shows the chosen word's row.
    show() {
      if (this.raised) this.fit();
      const map = this.raised && this.view.room.querySelector(".machine-where .live-scroll"), row = map && map.querySelector(".live-now");
      if (row) map.scrollTop = row.offsetTop + row.offsetHeight - map.clientHeight;
    }
    lower() {
      if (!this.raised) return;
      this.view.room.classList.remove("machine-sheet");
      if (this.entry) history.back();
    }
    // An entry was left. The address of the one before is older than what the figure shows now.
    back() {
      if (!this.entry || history.state?.sheet === this.name) return;
      this.entry = false;
      history.scrollRestoration = "auto";
      if (this.raised) this.view.open("nothing");
      history.replaceState(history.state, "", this.view.root.closest("live-figure").querySelector(".live-link").href);
    }
  };
})();
