// PDF.js, which apps install themselves: it is no package of this one, because its own packages exist for few systems.
import { existsSync } from "node:fs";
import path from "node:path";
import { root, run } from "../../scripts/process.mjs";

const version = "6.5.438";
const folder = path.join(root, ".cache/pdfjs", version);

/** The folder with its files for pages. Installs it into the cache, which needs the network once. */
export async function installedPdfJs() {
  const build = path.join(folder, "node_modules/pdfjs-dist/legacy/build");
  if (!existsSync(path.join(build, "pdf.worker.min.mjs"))) {
    const options = ["--no-save", "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund", "--no-package-lock"];
    await run("npm", ["install", "--prefix", folder, ...options, `pdfjs-dist@${version}`]);
  }
  return path.relative(root, build);
}
