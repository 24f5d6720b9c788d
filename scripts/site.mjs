// The development site as one request handler: the demo page, the library in dist/, and a model that speaks the OpenAI
// protocol under /v1/. `npm start` and the page tests use the same.
import path from "node:path";
import { root } from "./process.mjs";
import { staticFiles } from "./static-files.mjs";

/**
 * @param model   answers requests under /v1/: `(request, response) => void`
 * @param mounts  further folders or handlers by URL prefix, e.g. `{ "/pages/": "tests/browser/pages" }`
 * @param page    the folder of the built demo page
 * @param compress  whether files are compressed, as on the web
 * @param isolated  whether pages get `crossOriginIsolated`, for timers of full resolution
 */
export function site({ model, mounts = {}, page = "www/dist", compress = false, isolated = false } = {}) {
  const table = Object.entries({ "/threadkeep/": "dist", ...mounts, "/": page }).map(([prefix, target]) => [
    prefix,
    typeof target === "function" ? target : staticFiles(path.join(root, target), { compress }),
  ]);

  return async (request, response) => {
    // Not `new URL`, which throws for valid request targets such as `//`.
    const [pathname] = request.url.split(/[?#]/);
    if (isolated) {
      response.setHeader("cross-origin-opener-policy", "same-origin");
      response.setHeader("cross-origin-embedder-policy", "require-corp");
    }
    try {
      if (model && pathname.startsWith("/v1/")) return await model(request, response);
      for (const [prefix, handle] of table) {
        if (pathname.startsWith(prefix) && (await handle(request, response, pathname.slice(prefix.length - 1)))) return;
      }
      response.writeHead(404, { "content-type": "text/plain; charset=utf-8" }).end(`nothing at ${pathname}\n`);
    } catch (error) {
      console.error(error);
      if (!response.headersSent) response.writeHead(500, { "content-type": "text/plain; charset=utf-8" });
      response.end(String(error));
    }
  };
}
