// Modules without the library around them: they come with a dynamic import that no test can name.
import { rmSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = path.resolve(import.meta.dirname, "../..");

/** The exports of a module of js/, named by its path in there. */
export async function fromSource(file) {
  const entryPoints = [path.join(root, "js", file)];
  // Of its own for each process, since test files run side by side.
  const outfile = path.join(root, `.cache/bundled/${file}-${process.pid}.mjs`);
  process.once("exit", () => rmSync(outfile, { force: true }));
  await build({
    entryPoints,
    outfile,
    bundle: true,
    format: "esm",
    target: "es2022",
    logLevel: "warning",
    external: ["react", "@assistant-ui/*"],
    plugins: [builtCore],
  });
  return import(pathToFileURL(outfile));
}

/** One module with the exports of these modules of js/, as text for a page. */
export async function textFromSource(files) {
  const { outputFiles } = await build({
    stdin: { contents: files.map((file) => `export * from "./js/${file}";`).join("\n"), resolveDir: root },
    write: false,
    bundle: true,
    format: "esm",
    target: "es2022",
    // It warns that a module without effects is imported for its effects, which none of these tests needs.
    logLevel: "error",
  });
  return outputFiles[0].text;
}

/** Modules of the entries beside the core use the built one. */
const builtCore = {
  name: "built core",
  setup({ onResolve }) {
    onResolve({ filter: /^threadkeep$/ }, () => ({ path: path.join(root, "dist/index.js"), external: true }));
  },
};
