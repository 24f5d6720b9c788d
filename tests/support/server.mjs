// A server for page tests: the library under /threadkeep/, its glue code and the kit of tests/kit under /pkg/, test pages under /pages/,
// what tests share under /support/, the demo page under /, and a model under /v1/.
import { site } from "../../scripts/site.mjs";
import { listen } from "./listen.mjs";

/** Takes the options of `site()`, its `model` being what `createModel()` gives. Returns { origin, port, close() }. */
export function startServer({ model, mounts, ...options } = {}) {
  return listen(
    site({
      ...options,
      model: model?.handle,
      mounts: { "/pages/": "tests/browser/pages", "/support/": "tests/support", "/pkg/": "pkg", ...mounts },
    }),
  );
}
