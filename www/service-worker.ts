// Caches the files of the page, so that it opens without a network. The build lists them and their version. All other
// requests, such as those to a model, are not touched.

declare const FILES: readonly string[];
declare const VERSION: string;

interface Waiting extends Event {
  waitUntil(promise: Promise<unknown>): void;
}

interface Fetching extends Event {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

interface Worker extends EventTarget {
  readonly registration: { readonly scope: string };
  skipWaiting(): Promise<void>;
}

const worker = self as unknown as Worker;
const PREFIX = "threadkeep-demo-";
const NAME = PREFIX + VERSION;
const scope = new URL(worker.registration.scope);

worker.addEventListener("install", (event) => (event as Waiting).waitUntil(keepFiles()));
worker.addEventListener("activate", (event) => (event as Waiting).waitUntil(forgetOldFiles()));
worker.addEventListener("message", ({ data }: MessageEventInit) => data === "take over" && void worker.skipWaiting());
worker.addEventListener("fetch", (event) => {
  const { request } = event as Fetching;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== scope.origin || !pathname.startsWith(scope.pathname)) return;
  const name = pathname.slice(scope.pathname.length) || "index.html";
  // A file that is named by its content may belong to the previous version, which another tab still shows.
  if (FILES.includes(name) || /-[A-Z0-9]{8}\.js$/.test(name)) (event as Fetching).respondWith(fileOf(name, request));
});

async function keepFiles(): Promise<void> {
  const cache = await caches.open(NAME);
  // The browser's HTTP cache could contain files of an earlier version.
  await cache.addAll(FILES.map((name) => new Request(new URL(name, scope), { cache: "reload" })));
}

async function fileOf(name: string, request: Request): Promise<Response> {
  // A browser that cannot read its cache at the moment may still have a network.
  return (await keptFile(new URL(name, scope).href).catch(() => undefined)) ?? fetch(request);
}

async function keptFile(url: string): Promise<Response | undefined> {
  return (await (await caches.open(NAME)).match(url)) ?? (await caches.match(url));
}

/** Keeps the newest of the previous versions, because other tabs may still show it. */
async function forgetOldFiles(): Promise<void> {
  const old = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== NAME);
  await Promise.all(old.slice(0, -1).map((name) => caches.delete(name)));
}
