// An opened part of the machine view as a sheet: beside the figure where the window has room, else at its lower edge. What
// it explains stays in sight. It is closed by its ×, by Escape, and on a phone by Back. One that stands open from the start
// (a chapter's, or an address's) is no sheet, but stands below the drawing.
(() => {
  "use strict";
  const HEADER = 56, ROOM = 280; // of the page's upper bar; the least that a sheet needs beside the figure
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
    async fit() {
      if (!this.raised) return;
      const {room, root, box} = this.view, figure = root.closest("live-figure").getBoundingClientRect(), free = document.documentElement.clientWidth - figure.right;
      const beside = free >= ROOM;
      room.classList.toggle("machine-beside", beside);
      if (beside) return this.stand(figure, free);
      const {top, height} = this.explained();
      room.style.setProperty("--left", `${Math.round(innerHeight - HEADER - box.strip - height)}px`);
      await Promise.all(room.getAnimations().map((rising) => rising.finished.catch(() => {})));
      if (!this.raised) return;
      // The page goes up if the sheet covers what it explains, or if the figure, above which it cannot rise, begins too low.
      const sheet = room.getBoundingClientRect(), over = Math.max(sheet.bottom - innerHeight, Math.min(top + height - sheet.top, top - HEADER - box.strip));
      if (over > 1) this.view.glide(over);
    }
    // Beside the figure it begins with the drawing, or so far above that all of it is in the window.
    stand(figure, free) {
      const {room, stage} = this.view;
      room.style.setProperty("--free", `${Math.round(free)}px`);
      const top = Math.max(HEADER, Math.min(stage.getBoundingClientRect().top, innerHeight - room.offsetHeight - 8));
      room.style.top = `${Math.round(top - figure.top)}px`;
    }
    // What has to stay in sight: the whole drawing; of a tall one the opened part.
    explained() {
      const {box, stage, state} = this.view, drawing = stage.getBoundingClientRect();
      if (box.flow === "across") return drawing;
      const [kind, place = ""] = state.open.split(" "), block = box.blocks[parseInt(place, 10)];
      const [from, to] = block ? kind === "feed-forward" ? [block.ffn.y, block.frame.y + block.frame.h] : [block.label.y, block.to]
        : kind === "logits" ? [box.bars.y, box.H] : [box.strip, box.blocks[0].frame.y];
      return {top: drawing.top + from, height: to - from};
    }
    // Of a long text's map it shows the chosen word's row.
    show() {
      this.fit();
      const map = this.raised && this.view.room.querySelector(".machine-where .live-scroll"), row = map && map.querySelector(".live-now");
      if (row) map.scrollTop = row.offsetTop + row.offsetHeight - map.clientHeight;
    }
    lower() {
      if (!this.raised) return;
      this.view.room.classList.remove("machine-sheet", "machine-beside");
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
