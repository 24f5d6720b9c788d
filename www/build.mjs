// Bundles the demo page. The one place that knows how: the dev server and the tests call `build`.

import { copyFile, readdir, rm } from "node:fs/promises";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const BUILT_LIBRARY = join(root, "dist", "index.js");
const LIBRARY_SOURCE = join(root, "js", "index.ts");

/**
 * Writes index.html, main.js, main.css, fonts and the library's wasm into `outdir`.
 * `threadkeep` is the file that `import … from "threadkeep"` means: by default the built package, else its source.
 */
export async function build({
  outdir = join(here, "dist"),
  minify = false,
  threadkeep = existsSync(BUILT_LIBRARY) ? BUILT_LIBRARY : LIBRARY_SOURCE,
} = {}) {
  await rm(outdir, { recursive: true, force: true });
  await esbuild.build({
    entryPoints: [
      { in: join(here, "main.ts"), out: "main" },
      { in: join(here, "style.css"), out: "main" },
    ],
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    target: ["es2022", "chrome111", "firefox115", "safari16.4"],
    chunkNames: "[name]-[hash]",
    assetNames: "fonts/[name]",
    loader: { ".woff2": "file" },
    alias: { threadkeep },
    minify,
    sourcemap: true,
    logLevel: "warning",
  });
  await Promise.all(["index.html", "icon.svg"].map((name) => copyFile(join(here, name), join(outdir, name))));
  await copyWasm(dirname(threadkeep), outdir);
}

/** The library looks for its wasm beside the module it was bundled into. */
async function copyWasm(from, outdir) {
  const names = (await readdir(from)).filter((name) => name.endsWith(".wasm"));
  await Promise.all(names.map((name) => copyFile(join(from, name), join(outdir, name))));
}
