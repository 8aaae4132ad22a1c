// Made by tools/build_book.py. After the first visit the whole book can be read without a network.
// Several books may stand on one host: the name of a book's store holds the address that it is kept for (a space
// cannot be in an address), so that a book finds, and throws away, its own older copies only.
const OURS = `book ${self.registration.scope} `;
const CACHE = OURS + "@VERSION@";
const FILES = @FILES@;

self.addEventListener("install", (event) => {
  // From the host itself: what the browser kept of the pages may be older than this script.
  const asked = FILES.map((file) => new Request(file, { cache: "reload" }));
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(asked)).then(() => self.skipWaiting()));
});
self.addEventListener("activate", (event) => {
  const old = caches.keys().then((names) => names.filter((name) => name.startsWith(OURS) && name !== CACHE));
  event.waitUntil(old.then((names) => Promise.all(names.map((name) => caches.delete(name)))).then(() => self.clients.claim()));
});
// The network first, so that a reader who has one never sees an old page; what was kept, if there is none.
self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET" || !event.request.url.startsWith(self.registration.scope)) return;
  event.respondWith(fetch(event.request).catch(async () => {
    const kept = await caches.match(event.request, { ignoreSearch: true, cacheName: CACHE });
    return kept || Response.error();
  }));
});
