// Keeps the files of the page, so that it opens without a network. The build names them and their version.
// What a model is asked, and whatever else is no file of the page, is none of its business.

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
  // A file that is named by its content may be one of the version before, which another tab still shows.
  if (FILES.includes(name) || /-[A-Z0-9]{8}\.js$/.test(name)) (event as Fetching).respondWith(fileOf(name, request));
});

async function keepFiles(): Promise<void> {
  const cache = await caches.open(NAME);
  // What the browser had kept of an earlier version would be mixed in.
  await cache.addAll(FILES.map((name) => new Request(new URL(name, scope), { cache: "reload" })));
}

async function fileOf(name: string, request: Request): Promise<Response> {
  const url = new URL(name, scope).href;
  const kept = (await (await caches.open(NAME)).match(url)) ?? (await caches.match(url));
  return kept ?? fetch(request);
}

/** Of the versions before this one the newest stays: other tabs may still show it. */
async function forgetOldFiles(): Promise<void> {
  const old = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== NAME);
  await Promise.all(old.slice(0, -1).map((name) => caches.delete(name)));
}
