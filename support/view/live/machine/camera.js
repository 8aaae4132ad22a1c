// What of the machine view is in the window. On a phone its drawing is taller than the window: while a pass is gone
// through, it is seen through a frame that is as high as the window leaves room, and moves in it; the page stays.
(() => {
  "use strict";
  const HEADER = 64, LEAST = 220; // of the page's upper bar, with some air; the lowest frame
  const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

  window.MachineCamera = class extends window.MachinePainting {
    // A word as prose has it: names with a capital.
    titled(word) { return window.ModelText.titled(word, this.data.names); }
    get bar() { return this.root.closest(".live-panel")?.querySelector(":scope > .live-player"); }
    glide(top) { scrollBy({top, behavior: calm() ? "auto" : "smooth"}); }
    // Play was pressed: it goes once through all parts, as slowly as one reads, and then the text grows by a whole word at a time. On a wide screen
    // the page stays if the greater part of the drawing is in the window.
    started() {
      const {state} = this;
      this.wholeWords &&= this.grows && !state.over && !state.off.length && state.prompt === this.grown; // (where it paused)
      this.walks = this.slow = !this.wholeWords;
      this.bottom.leave();
      document.activeElement.matches("input") && document.activeElement.blur(); // (not every browser gives the focus to a button; what is said of the text goes)
      this.opening = Boolean(this.root.closest(".hero")) && this.state.prompt === this.data.opening[0] && !this.state.off.length;
      if (this.box.flow === "down") return;
      const {top, bottom, height} = this.stage.getBoundingClientRect();
      if (Math.min(bottom, innerHeight) - Math.max(top, HEADER) < height / 2) this.stage.scrollIntoView({block: innerHeight < 500 ? "start" : "nearest", behavior: calm() ? "auto" : "smooth"});
    }
    // Step or Back was.
    stepped() {
      this.wholeWords = false;
      this.bottom.leave();
      if (this.box.flow === "across") return;
      this.walks = true;
      this.frame();
      this.lead();
    }
    // A new state is shown.
    follow(before) {
      const {state, data, tools} = this;
      this.first = before?.step > data.stands && state.step === data.stands; // the word that a slow pass has chosen is put in
      if (this.walks && tools.speed && state.step > data.stands) this.wholeWords = true;
      if (tools.speed) this.grown = state.prompt;
      if (!tools.speed && state.step === data.stands) this.walks = false;
    }
    // How high the frame is, and how far the drawing has moved up in it: so far that the part in work is seen. While a pass
    // or a text goes on, what stands above the frame has one height; when that ends, the page moves so that the words stay.
    frame() {
      const {box, stage, state, data} = this, down = box.flow === "down", walks = Boolean(this.walks) && down && state.step !== data.stands, began = walks && !stage.classList.contains("machine-walks");
      const goes = down && !state.over && (walks || Boolean(this.tools.speed)), ends = !goes && this.root.classList.contains("machine-goes"), before = stage.getBoundingClientRect().top;
      stage.classList.toggle("machine-walks", walks);
      this.root.classList.toggle("machine-goes", goes);
      const begins = stage.getBoundingClientRect().top, above = begins - this.root.getBoundingClientRect().top;
      if (ends && Math.abs(begins - before) > 1) scrollBy({top: begins - before, behavior: "instant"});
      const high = walks ? Math.max(LEAST, Math.floor(innerHeight - HEADER - above - this.bar.offsetHeight) - 1) : box.H;
      const places = [box.strip, ...box.blocks.flatMap(({label, ffn}) => [label.y, ffn.y]), box.bars.y, box.H], k = Math.min(state.step, data.stands);
      if (!walks) this.film = 0;
      else if (places[k] < this.film + box.strip || places[k + 1] > this.film + high) this.film = Math.max(0, Math.min(places[k] - box.strip - 4, box.H - high));
      stage.style.height = `${Math.ceil(high)}px`;
      stage.style.setProperty("--film", `${-this.film}px`);
      stage.style.setProperty("--high", `${Math.ceil(box.H)}px`);
      this.bar?.parentElement.style.setProperty("--player", `${this.bar.offsetHeight}px`); // (what opens at the window's lower edge stands above it)
      if (began) this.lead();
    }
    // The page goes where the text and the frame are seen, if they are not.
    lead() {
      const {top} = this.root.getBoundingClientRect(), low = this.stage.getBoundingClientRect().bottom - this.bar.getBoundingClientRect().top;
      if (top < HEADER - 8 || low > 1) this.glide(top - HEADER);
    }
    // How far down the drawing a part begins.
    begins(part) {
      const [kind, place = "0"] = part.split(" "), {embedding, blocks, bars} = this.box, {label, ffn} = blocks[parseInt(place, 10)];
      return ({embedding, logits: bars, "feed-forward": ffn}[kind] || label).y;
    }
    // On a phone what a step of the tour tells of (what it opens, takes away or points out) stands on one screen, above the
    // bar: words, buttons and the first maps, or a part that comes later in the drawing.
    toured() {
      this.opening = false;
      const {box, stage, state: {open, off}, bar} = this;
      if (!bar?.clientHeight) return;
      const top = stage.getBoundingClientRect().top, tour = this.root.closest(".live-panel").querySelector(".live-tour").getBoundingClientRect().top - 64;
      const [kind, i] = off[0] || "", part = open !== "nothing" ? open : off.length ? `${kind === "h" ? "head" : "feed-forward"} ${i}` : this.spoken;
      if (box.flow === "down" && part && !/^(embedding|(attention|head) 0)/.test(part)) return this.glide(top + this.begins(part) - 70 - box.strip);
      const [{y, s}] = box.blocks[0].maps, low = top + y + s + box.high - bar.getBoundingClientRect().top;
      // (The maps come first, then the steps and their sentence, then what stands below the maps.)
      const far = box.flow === "across" ? top - 60 : Math.max(Math.min(tour, 0), Math.min(low, Math.max(tour, low - box.high + 4)));
      if (far > 0 || tour < 0) this.glide(far);
    }
  };
})();
