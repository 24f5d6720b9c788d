// Programs of the documentation, as the pages of a test: each block of a page becomes the file that the text before it names.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { root } from "../../scripts/process.mjs";
import { staticFiles } from "../../scripts/static-files.mjs";

/** The code blocks of a page of docs/, in their order. */
export function blocks(page) {
  const text = readFileSync(path.join(root, page), "utf8");
  return [...text.matchAll(/^```(?:js|ts|jsx|tsx|html)\n(.*?)^```$/gms)].map(([, code]) => code);
}

/**
 * Writes files into a folder of their own, and bundles these of them as an app would, against the built package. Returns a
 * handler that serves the bundles under their names, with the library's wasm beside them.
 */
export async function appOf(files, entryPoints) {
  mkdirSync(path.join(root, ".cache"), { recursive: true });
  // Inside the repository, where the package can import itself by its name.
  const folder = mkdtempSync(path.join(root, ".cache/documented-"));
  try {
    for (const [name, code] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), code);
    }
    const { outputFiles } = await build({
      entryPoints: entryPoints.map((name) => path.join(folder, name)), outdir: "/", bundle: true, splitting: true, write: false, format: "esm", target: "es2022",
      jsx: "automatic", define: { "process.env.NODE_ENV": '"production"' },
      // The library's copies of its wasm, for servers without the files.
      external: ["./*-inline.js"], logLevel: "warning", logOverride: { "ignored-bare-import": "silent" },
    });
    const bundles = new Map(outputFiles.map(({ path: name, text }) => [name, text]));
    const wasms = staticFiles(path.join(root, "dist"));
    return (request, response, name) => {
      const text = bundles.get(name);
      if (text === undefined) return wasms(request, response, name);
      response.writeHead(200, { "content-type": "text/javascript" }).end(text);
      return true;
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
