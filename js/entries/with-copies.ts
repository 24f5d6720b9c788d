// `threadkeep`: the library with copies of its files inside JavaScript modules, for where the files themselves are not served.
// `threadkeep/slim` is the library without them.
import { offerCopies } from "../wasm/copies.js";
import { copies } from "./generated/copies.js";

export * from "./index.js";

offerCopies({
  ...copies,
  "terminal-worker.js": () => import("./terminal-worker-inline.js"),
  "search-worker.js": () => import("./search-worker-inline.js"),
});
