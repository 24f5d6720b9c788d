// The archive part of the library for Node: js/archive.ts bundled as the build does it, over the wasm in pkg/.
import { rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

/** `importZip`, `exportZip`, `exportZipStream`, `memoryStore()`, and the wasm's `memory`. */
export async function archiveLibrary() {
  const outdir = path.join(root, `.cache/archive-tests/${process.pid}`);
  // The library loads parts of itself later, so its files stay until the end.
  process.once("exit", () => rmSync(outdir, { recursive: true, force: true }));
  await build({
    stdin: {
      contents: `
        export { importZip, exportZip, exportZipStream } from "./js/archive.ts";
        export { ThreadkeepError } from "./js/errors.ts";
        export { CoreStore } from "./pkg/threadkeep.js";
        export { initSync } from "./pkg/threadkeep.js";`,
      resolveDir: root,
      loader: "ts",
    },
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    outExtension: { ".js": ".mjs" },
    logLevel: "warning",
  });
  const library = await import(pathToFileURL(path.join(outdir, "stdin.mjs")));
  const { memory } = library.initSync({ module: await readFile(path.join(root, "pkg/threadkeep_bg.wasm")) });
  return { ...library, memory, memoryStore: () => library.CoreStore.memory() };
}
