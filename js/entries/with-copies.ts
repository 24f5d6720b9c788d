// `threadkeep`: the library with copies of its files inside JavaScript modules, for where the files themselves are not served.
// `threadkeep/slim` is the library without them.
import { offerCopies } from "../wasm/copies.js";
import { copies } from "./generated/copies.js";

export * from "./index.js";

/** What Vite puts into a build; others leave it undefined. */
type ViteMeta = ImportMeta & { env?: { PROD?: boolean; SSR?: boolean } };

// A page that Vite has built has the files themselves, which it emits; its servers have not.
if (!(import.meta as ViteMeta).env?.PROD || (import.meta as ViteMeta).env?.SSR)
  offerCopies({
    ...copies,
    "terminal-worker.js": () => import("./terminal-worker-inline.js"),
    "search-worker.js": () => import("./search-worker-inline.js"),
  });
