// The service worker of the static page. It answers from a cache, so that the page also works without a network. build.mjs writes
// two constants before this text: FILES, the addresses of all files of the page, and VERSION, the digest of their contents.
//
// All files of a page come from one cache. A newer worker fills another cache, and replaces this one after the last tab with the
// page was closed.

const PREFIX = 'comity-play-';
const NAME = PREFIX + VERSION;

async function install() {
  const cache = await caches.open(NAME);
  // The cache of HTTP could have files of an older version.
  await cache.addAll(FILES.map((file) => new Request(file, { cache: 'no-cache' })));
}

async function activate() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(PREFIX) && name !== NAME).map((name) => caches.delete(name)));
}

async function answer(request) {
  const cache = await caches.open(NAME);
  const { pathname } = new URL(request.url);
  return (await cache.match(pathname.replace(/\/index\.html$/, '/'))) ?? fetch(request);
}

self.addEventListener('install', (event) => event.waitUntil(install()));
self.addEventListener('activate', (event) => event.waitUntil(activate()));
self.addEventListener('fetch', (event) => event.respondWith(answer(event.request)));
