// An opened part of the machine view as a sheet: on a wide screen beside the figure or over the other blocks of its drawing,
// on a phone above the bar with Play. What it explains stays in sight. It is closed by its ×, by Escape, and when the text or
// another part's switch changes; on a phone also by Back, by a press beside it, by a finger that draws it down, and by Play
// and Step. One that stands open from the start (a chapter's, or an address's) is no sheet, but stands below the drawing.
(() => {
  "use strict";
  const HEADER = 56, ROOM = 280, WIDEST = 512, LEAST = 270, LOW = 260, MUCH = [0.46, 400], FAR = 60; // of the page's upper bar; what a sheet needs in width; its greatest width, and what of its height is in the window, and below the drawing; with all its numbers: a share of the window, and at most; how far a finger draws it to close it
  let count = 0;

  window.MachineSheet = class {
    constructor(view) {
      this.view = view;
      this.name = `machine-sheet-${++count}`;
      this.entry = false; // whether the history holds an entry for it, which Back takes away
      addEventListener("popstate", () => this.back());
      document.addEventListener("click", (event) => this.beside(event));
      this.drawn();
      document.addEventListener("keydown", (event) => {
        const {view} = this, mine = [view.root, view.room].some((part) => part.contains(event.target));
        if (event.key !== "Escape" || event.defaultPrevented || view.state.open === "nothing" || !(mine || this.raised)) return;
        view.open("nothing");
      });
    }
    // The button that puts it below the drawing, and back.
    get mover() {
      if (this.button) return this.button;
      this.button = this.view.tools.make("button", {type: "button", class: "machine-mover", "data-key": "place"});
      this.button.addEventListener("click", () => {
        this.below = !this.stood;
        this.stood = false;
        this.stand();
      });
      return this.button;
    }
    // Play or Step goes on, or a hand has pressed beside it: on a phone it makes room.
    leave() { if (this.raised && this.view.box.flow === "down") this.view.open("nothing"); }
    // What is pressed for its own sake leaves it open: another part of the drawing, a button, a link.
    beside(event) {
      const {view} = this, {target} = event, canvas = target === view.canvas;
      if (!this.raised || event.composedPath().includes(view.room) || (canvas && view.find(event).part)) return;
      if (canvas || !target.closest("a, button, input, select, label, summary, .live-player, .term-sheet")) this.leave();
    }
    // A finger draws it down by its head, or anywhere while it is read from its beginning.
    drawn() {
      const {room} = this.view;
      let from = null, far = 0;
      room.addEventListener("touchstart", ({target, touches: [{clientX: x, clientY: y}, another]}) => {
        const holds = this.raised && this.view.box.flow === "down" && !another && (target.closest(".machine-head") || room.scrollTop <= 0);
        from = holds ? {x, y} : null;
        far = 0;
      }, {passive: true});
      room.addEventListener("touchmove", ({touches: [{clientX: x, clientY: y}]}) => {
        if (!from) return;
        far = y - from.y > Math.abs(x - from.x) ? y - from.y : 0;
        room.style.translate = far ? `0 ${far}px` : "";
      }, {passive: true});
      for (const end of ["touchend", "touchcancel"]) room.addEventListener(end, () => {
        if (!from) return;
        from = null;
        room.style.translate = "";
        if (far > FAR && end === "touchend") this.leave();
      });
    }
    get raised() { return this.view.room.classList.contains("machine-sheet"); }
    raise() {
      if (this.raised) return;
      this.view.room.classList.add("machine-sheet");
      this.standBeside(this.view.box.flow === "across"); // (before it holds anything: in the text it would move what follows)
      if (this.view.box.flow === "across") this.view.key.open = false; // (it would lie over it)
      if (!matchMedia("(max-width: 600px)").matches) return;
      this.entry = true;
      history.scrollRestoration = "manual"; // for this entry and the next: the page stays where it is
      history.pushState({...history.state, sheet: this.name}, "");
      history.scrollRestoration = "manual";
    }
    async fit(asked) {
      if (!this.raised) return;
      const {room, box} = this.view;
      this.standBeside(box.flow === "across");
      if (box.flow === "across") this.stand(asked);
      const fold = asked && (this.stood || box.flow === "down") && room.querySelector(".machine-fold"); // the numbers that were asked for begin under its title
      const under = () => { if (fold) room.scrollTop += fold.getBoundingClientRect().top - room.querySelector(".machine-head").getBoundingClientRect().bottom; };
      under();
      if (box.flow === "across") return;
      const {top, height} = this.explained();
      await Promise.all(room.getAnimations().map((rising) => rising.finished.catch(() => {})));
      if (!this.raised) return;
      under(); // (while the sheet rose, what was asked for may not have had its height)
      // The page goes up if the sheet covers what it explains, or if the figure, above which it cannot rise, begins too low.
      const sheet = room.getBoundingClientRect(), over = Math.max(sheet.bottom - innerHeight, Math.min(top + height - sheet.top, top - HEADER - box.strip));
      if (over > 1) this.view.glide(over);
    }
    // On a wide screen the sheet stands beside the figure; or below the drawing, over which it then does not lie, if there is
    // room for it, or whoever reads has asked for that place; or else in the drawing. There it begins below the maps, which
    // can still be pressed, or so far above that enough of it is in the window.
    stand(asked) {
      const {room, root, stage, box, switching} = this.view, figure = root.closest("live-figure").getBoundingClientRect(), drawing = stage.getBoundingClientRect();
      const free = document.documentElement.clientWidth - figure.right, narrow = free < ROOM;
      this.mover.hidden = !narrow;
      if (narrow && this.under(figure, drawing, asked)) return;
      const inside = narrow && this.inside(drawing.left - figure.left, figure.width);
      const [left, wide] = inside || [figure.width + 8, Math.min(free - 19, WIDEST)];
      Object.assign(room.style, {left: `${Math.round(left)}px`, width: `${Math.round(wide)}px`}); // (its height depends on it)
      const [high, bottom] = inside ? this.between(drawing) : [HEADER, this.lowest], enough = Math.min(room.scrollHeight, Math.max(LEAST, this.much));
      const begins = drawing.top + (inside ? box.blocks[0].room.y - (switching ? 0 : box.high) : 0), top = Math.max(high, Math.min(begins, bottom - enough));
      Object.assign(room.style, {top: `${Math.round(top - figure.top)}px`, maxHeight: `${Math.round(bottom - top)}px`});
    }
    get lowest() { return innerHeight - 8 - (this.view.bar?.offsetHeight || 0); } // (a phone that lies has the bar, too)
    // In the drawing it leaves what is told below that, Play and the sentence beside it in sight, wherever there is enough room beside them.
    between(drawing) {
      let from = HEADER, to = this.lowest;
      for (const row of this.view.root.closest(".live-panel").querySelectorAll(".machine-told, :scope > :is(.live-buttons:not(.machine-foot), .machine-saying)")) {
        const {top, bottom} = row.getBoundingClientRect();
        if (top > drawing.top) to = Math.min(to, top - 4);
        else from = Math.max(from, bottom + 4);
      }
      return to - from >= LOW ? [from, to] : [HEADER, this.lowest];
    }
    // The list of signs covers no part of the drawing that it explains, if there is room for it below that or above.
    signs() {
      const {key, root, stage, box} = this.view, list = key.lastChild;
      list.removeAttribute("style");
      if (!key.open || box.flow === "down") return;
      const around = root.firstChild.getBoundingClientRect(), drawing = stage.getBoundingClientRect(), high = list.offsetHeight;
      const below = this.lowest - drawing.bottom - 4, above = around.top - HEADER - 2, most = Math.max(below, above);
      if (most < Math.min(high, 0.6 * LOW)) return; // (it can scroll, but is no slit)
      const under = below >= high || below > above;
      Object.assign(list.style, {inset: under ? `${drawing.bottom + 2 - around.top}px -0.4rem auto` : "auto -0.4rem 100%", maxHeight: `${under ? below : above}px`});
    }
    // How much of the window its numbers get, once they are unfolded.
    get much() { return this.view.unfolded ? Math.min(MUCH[0] * innerHeight, MUCH[1]) : 0; }
    // Below the drawing, as wide as that, so that it is low; whether it stands there. It may lie over the buttons below the
    // drawing. The page moves only if whoever reads has asked for that place or for all numbers, never when a part is opened.
    under(figure, drawing, asked) {
      const {room, root, moves} = this.view, left = drawing.left - figure.left, ends = Math.max(drawing.bottom, moves?.getBoundingClientRect().bottom || 0);
      Object.assign(room.style, {left: `${Math.round(left)}px`, width: `${Math.round(drawing.width)}px`, maxHeight: ""});
      const all = room.scrollHeight + 2, free = innerHeight - HEADER - (ends - drawing.top) - 24, has = innerHeight - 16 - ends, needs = Math.min(all, Math.max(LOW, free));
      const low = root.lastChild.getBoundingClientRect().bottom, bottom = this.lowest + 4, near = has < needs && bottom - low >= all; // (over the buttons)
      if (!asked) this.could = free >= all; // (the window holds the drawing and all of it)
      const stands = this.below ?? (has >= needs || near || (this.much > 0 && (this.stood || (asked && this.could))));
      this.stood = stands;
      this.mover.textContent = this.below ? "Move up" : "Move below";
      this.mover.title = this.below ? "Over the drawing, where the page need not move" : "Below the drawing, where it covers nothing";
      this.mover.hidden = stands && !this.below; // (nobody has asked)
      if (!stands) return false;
      // Unfolded the page goes up for it as far as the drawing stays in the window.
      const much = Math.min(all, this.much);
      if (much && !this.below && much > has) {
        const up = asked ? Math.max(0, Math.min(much - (bottom - low), drawing.top - HEADER - 8)) : 0, top = Math.min(drawing.bottom + 4, asked ? bottom + up - much : low);
        Object.assign(room.style, {top: `${Math.round(top - figure.top)}px`, maxHeight: `${Math.round(bottom + up - top)}px`});
        if (up > 1) this.view.glide(up);
        return true;
      }
      Object.assign(room.style, near && !this.below ? {top: `${Math.round(low - figure.top)}px`, maxHeight: `${Math.round(bottom - low)}px`}
        : {top: `${Math.round(ends + 8 - figure.top)}px`, maxHeight: `${Math.round(this.below ? Math.max(has, needs) : Math.max(has, LOW))}px`});
      const over = Math.min(needs - has, drawing.top - HEADER - 8);
      if (this.below && over > 1) this.view.glide(over);
      return true;
    }
    // Where in the drawing it stands, and how wide: over the blocks before or behind the one that it explains, so that words
    // and answer stay in sight; where those are too narrow, over a part of it, too, and with one block over half of all.
    inside(margin, width) {
      const {box: {blocks, words, bars, W}, state} = this.view, [kind, place = ""] = state.open.split(" "), frame = blocks[parseInt(place, 10)]?.frame;
      const [first, last] = [blocks[0], blocks.at(-1)].map((block) => block.frame), start = words[0].w + 6, end = bars.x - 6;
      const spans = frame ? [[start, frame.x], [frame.x + frame.w, end]] : kind === "logits" ? [[Math.min(last.x, end - ROOM), end]] : [[blocks.length > 1 ? first.x + first.w : end, end]];
      const [from, to] = spans.reduce((most, span) => span[1] - span[0] > most[1] - most[0] ? span : most);
      const near = Math.min(to - from, WIDEST);
      if (near >= ROOM) return [margin + (from === start ? to - near : from), near]; // (close to what it explains)
      const half = blocks.length < 2, wide = half ? Math.min(0.46 * width, WIDEST) : Math.min(ROOM, end - start), after = frame && frame.x + frame.w / 2 < W / 2;
      return half ? [after ? width - wide : 0, wide] : [margin + (after ? end - wide : start), wide];
    }
    // What it was opened for: a text, and the parts that are on, except for the one that it can switch itself.
    about({words, off, open}) {
      const own = open.replace("head ", "h").replace("feed-forward ", "m").replace(".", "");
      return [...words, ...off.filter((name) => name !== own)].join(" ");
    }
    // What has to stay in sight on a phone: the opened part.
    explained() {
      const {box, stage, state} = this.view, drawing = stage.getBoundingClientRect();
      const [kind, place = ""] = state.open.split(" "), block = box.blocks[parseInt(place, 10)];
      const [from, to] = block ? kind === "feed-forward" ? [block.ffn.y, block.frame.y + block.frame.h] : [block.label.y, block.to]
        : kind === "logits" ? [box.bars.y, box.H] : [box.strip, box.blocks[0].frame.y];
      return {top: drawing.top - this.view.film + from, height: to - from};
    }
    // Whatever is opened is read from its beginning.
    show() {
      const {room, state, opened} = this.view;
      if (this.raised && state.open !== opened) room.scrollTop = 0;
      this.fit();
    }
    standBeside(whether) {
      this.view.room.classList.toggle("machine-beside", whether);
      Live.tellSections(this.view.room, "holds-beside", whether);
    }
    lower() {
      if (!this.raised) return;
      this.view.room.classList.remove("machine-sheet");
      this.standBeside(false);
      this.view.room.removeAttribute("style");
      this.stood = false;
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
