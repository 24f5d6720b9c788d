// The parts of the documentation site's first page beside its text: a chat that runs, and pictures.
import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { root } from "../process.mjs";

/** Copies the page into the folder of pages, and what it loads into the folder that the site serves as it is. */
export async function writeFirstPage(pages) {
  copyFileSync(path.join(root, "docs-site/index.md"), path.join(pages, "index.md"));
  const live = path.join(pages, "public/live");
  mkdirSync(live, { recursive: true });
  for (const picture of ["docs/demo.png", "docs/demo-dark.png", "www/icon.svg"])
    copyFileSync(path.join(root, picture), path.join(pages, "public", path.basename(picture)));
  await build({
    absWorkingDir: root,
    entryPoints: { chat: "scripts/docs/live-chat.js" },
    outdir: live,
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: "es2022",
    // The copies of the wasm, which a site with the files never asks for.
    external: ["./*-inline.js"],
    logLevel: "warning",
    logOverride: { "ignored-bare-import": "silent" },
  });
  const dist = path.join(root, "dist");
  for (const file of readdirSync(dist))
    if (file.endsWith("_bg.wasm") && !file.includes("testing")) copyFileSync(path.join(dist, file), path.join(live, file));
}
