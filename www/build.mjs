// Bundles the demo page. The one place that knows how: the dev server and the tests call `build`.
// The page imports the package by its name, as any other page would, so the package has to be built first.

import { copyFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { wasms } from "../scripts/wasms.mjs";

const here = dirname(fileURLToPath(import.meta.url));

/** Writes index.html, main.js, main.css, fonts and the library's wasm files into `outdir`. */
export async function build({ outdir = join(here, "dist") } = {}) {
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
    // The library's copies of its wasm for servers that have not the files; this one has.
    external: wasms.map(({ copy }) => `./${copy}`),
    sourcemap: true,
    logLevel: "warning",
    // The library's chunks import each other for their order alone; inside a bundle that has no meaning.
    logOverride: { "ignored-bare-import": "silent" },
  });
  const copies = [
    ...["index.html", "icon.svg"].map((name) => [join(here, name), name]),
    ...wasms.map(({ file }) => [fileURLToPath(import.meta.resolve(`threadkeep/${file}`)), file]),
  ];
  await Promise.all(copies.map(([from, name]) => copyFile(from, join(outdir, name))));
}
