// The archive part of the library for Node: js/formats/archive.ts bundled as the build does it, over the wasm files in pkg/.
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { wasms } from "../../scripts/wasms.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

/**
 * `importZip`, `exportZip`, `exportZipStream`, `importJSON`, `written`, `memoryStore`, `ThreadkeepError`, the `memory` of the wasm that keeps
 * memory stores, and what the tests of locks and crashes reach into.
 */
export async function archiveLibrary() {
  const outdir = path.join(root, `.cache/archive-tests/${process.pid}`);
  // The library loads parts of itself later, so its files stay until the end.
  process.once("exit", () => rmSync(outdir, { recursive: true, force: true }));
  mkdirSync(outdir, { recursive: true });
  for (const { file } of wasms) copyFileSync(path.join(root, "pkg", file), path.join(outdir, file));
  await build({
    stdin: {
      contents: `
        export { importZip, exportZip, exportZipStream } from "./js/formats/archive.ts";
        export { importJSON, written } from "./js/formats/interchange.ts";
        export { ThreadkeepError } from "./js/input/errors.ts";
        export { memoryStore, coreStore } from "./js/store/store.ts";
        export { load, loadChunk } from "./js/wasm/wasm.ts";
        export { importArchive, initSync, lockConversation } from "./pkg/threadkeep.js";`,
      resolveDir: root,
      loader: "ts",
    },
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    external: wasms.map(({ copy }) => `./${copy}`),
    outExtension: { ".js": ".mjs" },
    logLevel: "warning",
  });
  const library = await import(pathToFileURL(path.join(outdir, "stdin.mjs")));
  await library.load();
  // Of a wasm that is up it gives the exports.
  const { memory } = library.initSync();
  return { ...library, memory };
}
