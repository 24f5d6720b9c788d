// Bundles the demo page, for the development server and the tests. The page imports the package by its name, as any other
// page would, so the package has to be built first.

import { createHash } from "node:crypto";
import { cp, readFile, readdir, rm } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { wasms } from "../scripts/wasms.mjs";

/** The workers of the library's terminal and of its search. */
const WORKERS = ["terminal-worker.js", "search-worker.js"];
/** The worker of PDF.js. */
const PDF_WORKER = "pdf.worker.min.mjs";
const here = dirname(fileURLToPath(import.meta.url));

/** The page is served together with the library's files, so it needs no copies of them. */
const slim = {
  name: "slim",
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^threadkeep$/ }, ({ path, ...from }) => resolve("threadkeep/slim", from));
  },
};

/** Writes the page, its files, and a service worker that caches them, into `outdir`. */
export async function build({ outdir = join(here, "dist") } = {}) {
  await rm(outdir, { recursive: true, force: true });
  await esbuild.build({
    entryPoints: [
      { in: join(here, "main.tsx"), out: "main" },
      { in: join(here, "style.css"), out: "main" },
    ],
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    jsx: "automatic",
    target: ["es2022", "chrome111", "firefox115", "safari16.4"],
    chunkNames: "[name]-[hash]",
    assetNames: "fonts/[name]",
    loader: { ".woff2": "file" },
    // The page's own has paths to the sources of the library, which are for its types only.
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    // Packages leave out their help for developers.
    define: { "process.env.NODE_ENV": '"production"' },
    minify: true,
    sourcemap: true,
    plugins: [slim, calmFonts],
    logLevel: "warning",
    // The library's chunks import each other only for their order; inside a bundle this has no effect.
    logOverride: { "ignored-bare-import": "silent" },
  });
  await buildScript("first-paint.ts", outdir);
  const copies = [
    ...["index.html", "icon.svg", "icons", "manifest.webmanifest"].map((name) => [join(here, name), name]),
    ...wasms.map(({ file }) => [fileURLToPath(import.meta.resolve(`threadkeep/${file}`)), file]),
    ...WORKERS.map((name) => [join(here, "../dist", name), name]),
    [fileURLToPath(import.meta.resolve(`pdfjs-dist/legacy/build/${PDF_WORKER}`)), PDF_WORKER],
  ];
  await Promise.all(copies.map(([from, name]) => cp(from, join(outdir, name), { recursive: true })));
  await buildServiceWorker(outdir);
}

/** The cached files and their version: a change in any of them makes a new service worker. */
async function buildServiceWorker(outdir) {
  const entries = await readdir(outdir, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  const files = paths
    .map((file) => relative(outdir, file).split(sep).join("/"))
    // Most visitors attach no PDF, and PDF.js is larger than the rest of the page.
    .filter((name) => !name.endsWith(".map") && !/^pdf[.-]/.test(name))
    .sort();
  const hash = createHash("sha256");
  for (const name of files) hash.update(name).update(await readFile(join(outdir, name)));
  await buildScript("service-worker.ts", outdir, {
    FILES: JSON.stringify(files),
    VERSION: JSON.stringify(hash.digest("hex").slice(0, 16)),
  });
}

/** A font that comes late is for the next visit: text that changes its font moves everything below it. Not of italics, which are rare. */
const calmFonts = {
  name: "fonts that move no text",
  setup({ onLoad }) {
    onLoad({ filter: /@fontsource.*wght\.css$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8")).replaceAll("font-display: swap", "font-display: optional"),
      loader: "css",
    }));
  },
};

/** A script that is no module, in one file. */
const buildScript = (name, outdir, define = {}) =>
  esbuild.build({
    entryPoints: [join(here, name)],
    outdir,
    bundle: true,
    minify: true,
    format: "iife",
    target: ["es2022"],
    define,
    logLevel: "warning",
  });
