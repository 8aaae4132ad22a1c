// The doors of the front page: who takes one reads on in that way, where the chapters know the ways (reading.js).
document.addEventListener("click", (event) => {
  const door = event.target.closest("a.door-picture, a.door-hand, a.door-code, [class^='door-'] a");
  if (!door) return;
  const kind = (door.className.match(/door-(\w+)/) || door.closest("[class^='door-']").className.match(/door-(\w+)/))[1];
  try { localStorage.setItem("reading", kind); } catch { /* a browser that keeps nothing */ }
});
// The rules of the game lie over the machine; on a phone, where they stand below it, a button beside it brings them up as a
// sheet above the bar with Play. They are closed by the escape key, by a press beside them, and by their own title, which a
// finger may also draw down.
{
  const rules = document.querySelector(".hero-round"), title = rules?.querySelector("summary"), ask = document.querySelector(".hero-to-rules");
  const close = () => {
    const sheet = rules.classList.contains("hero-sheet"), stood = rules.contains(document.activeElement);
    rules.open = false;
    rules.classList.remove("hero-sheet");
    if (stood) (sheet ? ask : title).focus({preventScroll: true});
  };
  ask?.addEventListener("click", (event) => {
    event.stopPropagation();
    if (rules.classList.contains("hero-sheet")) return close();
    const bar = document.querySelector(".hero .live-player")?.getBoundingClientRect();
    rules.style.setProperty("--low", bar?.height && bar.top < innerHeight ? `${Math.floor(innerHeight - bar.top)}px` : "0px");
    rules.classList.add("hero-sheet");
    rules.open = true;
    title.focus({preventScroll: true});
  });
  title?.addEventListener("click", (event) => {
    if (!rules.classList.contains("hero-sheet")) return;
    event.preventDefault();
    close();
  });
  let from = 0;
  title?.addEventListener("touchstart", ({touches: [{clientY}]}) => { from = clientY; }, {passive: true});
  title?.addEventListener("touchend", ({changedTouches: [{clientY}]}) => { if (clientY - from > 40 && rules.classList.contains("hero-sheet")) close(); });
  for (const when of ["click", "keydown"]) document.addEventListener(when, (event) => {
    const over = rules?.open && (rules.classList.contains("hero-sheet") || getComputedStyle(rules.querySelector(".hero-rules")).position === "absolute");
    if (over && (when === "click" ? !rules.contains(event.target) : event.key === "Escape")) close();
  });
}
// A trial that the text offers is made in the game's machine, which is brought into the window.
document.addEventListener("click", (event) => {
  const trial = event.target.closest("a.hero-try");
  if (!trial) return;
  event.preventDefault();
  document.querySelector(".hero > input").checked = true;
  location.hash = trial.dataset.shows;
  document.querySelector(".hero live-figure").scrollIntoView();
});
