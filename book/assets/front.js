// The doors of the front page: who takes one reads on in that way, where the chapters know the ways (reading.js).
document.addEventListener("click", (event) => {
  const door = event.target.closest("a.door-picture, a.door-hand, a.door-code, [class^='door-'] a");
  if (!door) return;
  const kind = (door.className.match(/door-(\w+)/) || door.closest("[class^='door-']").className.match(/door-(\w+)/))[1];
  try { localStorage.setItem("reading", kind); } catch { /* a browser that keeps nothing */ }
});
// On a phone they stand below the machine: a button beside the machine leads there, and opens them.
document.querySelector(".hero-to-rules")?.addEventListener("click", () => {
  const rules = document.querySelector(".hero-round");
  rules.open = true;
  rules.scrollIntoView({behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth"});
  rules.querySelector("summary").focus({preventScroll: true});
});
// The rules of the game lie over the machine: they are closed by the escape key and by a press beside them. On a phone they
// stand below it, and stay.
for (const when of ["click", "keydown"]) document.addEventListener(when, (event) => {
  const rules = document.querySelector(".hero-round[open]"), over = rules && getComputedStyle(rules.querySelector(".hero-rules")).position === "absolute";
  if (!over || (when === "click" ? rules.contains(event.target) : event.key !== "Escape")) return;
  rules.open = false;
  if (rules.contains(document.activeElement)) rules.querySelector("summary").focus();
});
// A trial that the text offers is made in the game's machine, which is brought into the window.
document.addEventListener("click", (event) => {
  const trial = event.target.closest("a.hero-try");
  if (!trial) return;
  event.preventDefault();
  document.querySelector(".hero > input").checked = true;
  location.hash = trial.dataset.shows;
  document.querySelector(".hero live-figure").scrollIntoView();
});
