// The code of the documentation, run as it is written: examples in this process, and programs as the pages of a test, where each
// block becomes the file that the text before it names.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { root } from "../../scripts/process.mjs";
import { staticFiles } from "../../scripts/static-files.mjs";

const AsyncFunction = (async () => {}).constructor;

/** The examples in this text of a page: its blocks of JavaScript, in their order. */
export function examplesIn(text) {
  return [...text.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code);
}

/** The example that begins with its name in a comment. */
export function exampleNamed(text, name) {
  return examplesIn(text).find((code) => code.startsWith(`// example: ${name}\n`));
}

/** Runs an example with these names in scope, which it may declare itself, and returns what `result` is after it. */
export function runExample(code, names, result = "undefined") {
  return new AsyncFunction(...Object.keys(names), `{\n${code}\nreturn ${result};\n}`)(...Object.values(names));
}

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
      entryPoints: entryPoints.map((name) => path.join(folder, name)),
      outdir: "/",
      bundle: true,
      splitting: true,
      write: false,
      format: "esm",
      target: "es2022",
      jsx: "automatic",
      define: { "process.env.NODE_ENV": '"production"' },
      // The library's copies of its wasm, for servers without the files.
      external: ["./*-inline.js"],
      logLevel: "warning",
      logOverride: { "ignored-bare-import": "silent" },
    });
    const bundles = new Map(outputFiles.map(({ path: name, text }) => [name, text]));
    const wasms = staticFiles(path.join(root, "dist"));
    return (request, response, name) => {
      const text = bundles.get(name);
      if (text === undefined) return wasms(request, response, name);
      response.writeHead(200, { "content-type": name.endsWith(".css") ? "text/css" : "text/javascript" }).end(text);
      return true;
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * A page with these scripts of `appOf()`. Requests to the servers of models go to the page's own server in their place, and
 * `typed` is typed into dialogs, which `timesAsked` counts: so a program runs as it is written.
 */
export function pageOf({ scripts, body = "", typed = "" }) {
  const standIn = `
    const send = fetch;
    globalThis.fetch = async (...asked) => {
      const request = new Request(...asked);
      const { url, method, headers, signal } = request;
      const { pathname, search } = new URL(url);
      // The body as a text: Chromium sends one that is read from a request over HTTP/2 only.
      const body = /GET|HEAD/.test(method) ? undefined : await request.text();
      return send(pathname + search, { method, headers, signal, body });
    };
    globalThis.timesAsked = 0;
    globalThis.prompt = () => ((timesAsked += 1), ${JSON.stringify(typed)});`;
  const modules = scripts.map((src) => `<script type="module" src="${src}"></script>`).join("");
  const html = `<!doctype html><meta charset="utf-8"><title>a documented page</title><link rel="icon" href="data:,"><body><script>${standIn}</script>${body}${modules}`;
  return (_request, response) => (response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(html), true);
}
