// The development site as one request handler: the demo page of www/, the library of dist/, and a model that
// speaks the OpenAI protocol under /v1/. `npm start` and the page tests serve the same.
import { existsSync } from "node:fs";
import path from "node:path";
import { root } from "./process.mjs";
import { fileFor, staticFiles } from "./static-files.mjs";

/**
 * @param model   answers requests under /v1/: `(request, response) => void`
 * @param mounts  further folders or handlers by URL prefix, e.g. `{ "/pages/": "tests/browser" }`
 * @param isolated  whether pages get `crossOriginIsolated`, for timers of full resolution
 */
export function site({ model, mounts = {}, isolated = false } = {}) {
  const www = path.join(root, "www");
  const table = Object.entries({ "/threadkeep/": "dist", ...mounts }).map(([prefix, target]) => [
    prefix,
    typeof target === "function" ? target : staticFiles(path.join(root, target)),
  ]);
  const pages = staticFiles(www);

  return async (request, response) => {
    // Not `new URL`: it throws for request targets that a client may well send, such as `//`.
    const [pathname] = request.url.split(/[?#]/);
    if (isolated) {
      response.setHeader("cross-origin-opener-policy", "same-origin");
      response.setHeader("cross-origin-embedder-policy", "require-corp");
    }
    try {
      if (model && pathname.startsWith("/v1/")) return await model(request, response);
      for (const [prefix, handle] of table) {
        if (pathname.startsWith(prefix) && (await handle(request, response, pathname.slice(prefix.length)))) return;
      }
      if (await pages(request, response, pathname)) return;
      if (await bundledScript(www, response, pathname)) return;
      response.writeHead(404, { "content-type": "text/plain; charset=utf-8" }).end(`nothing at ${pathname}\n`);
    } catch (error) {
      console.error(error);
      if (!response.headersSent) response.writeHead(500, { "content-type": "text/plain; charset=utf-8" });
      response.end(String(error));
    }
  };
}

/**
 * `/name.js` for a `www/name.ts`, bundled at each request so that a reload shows the last edit.
 * The library itself stays outside the bundle, as it is for a page with no bundler.
 */
async function bundledScript(www, response, pathname) {
  if (!pathname.endsWith(".js")) return false;
  const source = fileFor(www, pathname.replace(/\.js$/, ".ts"));
  if (!source || !existsSync(source)) return false;
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: [source],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    sourcemap: "inline",
    logLevel: "silent",
    plugins: [{ name: "threadkeep", setup: libraryFromDist }],
  });
  response.writeHead(200, { "content-type": "text/javascript; charset=utf-8", "cache-control": "no-store" });
  response.end(outputFiles[0].contents);
  return true;
}

function libraryFromDist(build) {
  build.onResolve({ filter: /^threadkeep(\/|$)/ }, ({ path: name }) => ({
    path: `/threadkeep/${name === "threadkeep" ? "index" : name.slice("threadkeep/".length)}.js`,
    external: true,
  }));
}
