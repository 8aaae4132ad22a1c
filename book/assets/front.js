// The doors of the front page: who takes one reads on in that way, where the chapters know the ways (reading.js).
document.addEventListener("click", (event) => {
  const door = event.target.closest("a.door-picture, a.door-hand, a.door-code, [class^='door-'] a");
  if (!door) return;
  const kind = (door.className.match(/door-(\w+)/) || door.closest("[class^='door-']").className.match(/door-(\w+)/))[1];
  try { localStorage.setItem("reading", kind); } catch { /* a browser that keeps nothing */ }
});
