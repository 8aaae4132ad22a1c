// Made by tools/build_book.py. A reader who asks for it (book.js) has the whole book kept, to read without a network.
// Several books may stand on one host: the name of a book's store holds the address that it is kept for (a space
// cannot be in an address), so that a book finds, and throws away, its own older copies only.
const OURS = `book ${self.registration.scope} `;
const CACHE = OURS + "@VERSION@";
const FILES = @FILES@;

async function say(part) {
  for (const page of await self.clients.matchAll({ includeUncontrolled: true })) page.postMessage({ kept: part });
}
async function keep() {
  // From the host itself: what the browser kept of the pages may be older than this script.
  const store = await caches.open(CACHE), left = FILES.map((file) => new Request(file, { cache: "reload" }));
  const all = left.length;
  const some = async () => {
    while (left.length) {
      await store.add(left.shift());
      if (left.length % 20 === 0) say((all - left.length) / all);
    }
  };
  await Promise.all(Array.from({ length: 6 }, some));
}
self.addEventListener("install", (event) => event.waitUntil(keep().then(() => self.skipWaiting())));
self.addEventListener("activate", (event) => {
  const old = caches.keys().then((names) => names.filter((name) => name.startsWith(OURS) && name !== CACHE));
  event.waitUntil(old.then((names) => Promise.all(names.map((name) => caches.delete(name)))).then(() => self.clients.claim()));
});
// The network first, and for a page the host itself and not what the browser kept of it, so that a reader who has a
// network never sees an old page; what was kept, if there is none.
self.addEventListener("fetch", (event) => {
  const asked = event.request;
  if (asked.method !== "GET" || !asked.url.startsWith(self.registration.scope)) return;
  const fresh = asked.mode === "navigate" ? fetch(asked.url, { cache: "no-cache" }) : fetch(asked);
  event.respondWith(fresh.catch(async () => {
    const kept = await caches.match(asked, { ignoreSearch: true, cacheName: CACHE });
    return kept || Response.error();
  }));
});
