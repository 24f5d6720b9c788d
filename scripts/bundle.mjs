// js/ -> dist/*.js with esbuild: the core, the entries beside it (`threadkeep/react` and others), and the worker of the
// terminal.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { build as esbuild, transform } from "esbuild";
import { root } from "./process.mjs";
import { wasms } from "./wasms.mjs";

/** The worker of the terminal, and the module with a copy of it. */
export const terminal = { file: "terminal-worker.js", copy: "terminal-worker-inline.js" };

/** The entries beside the core: the name of each is that of its subpath and of its file in dist/. */
export const entries = {
  thread: "js/thread/index.ts",
  react: "js/react/index.ts",
  "ai-sdk": "js/ai-sdk/index.ts",
  "assistant-ui": "js/assistant-ui/index.ts",
  chat: "js/chat/index.ts",
  devtools: "js/devtools/index.ts",
};

/** Packages that the user of an entry installs. All others are part of the entry's file. */
export const peers = ["react", "react/*", "react-dom", "ai", "@ai-sdk/*", "@assistant-ui/*", "@opentelemetry/api"];

const common = {
  outdir: "dist",
  bundle: true,
  format: "esm",
  target: "es2022",
  platform: "browser",
  // Readable, for stack traces and debuggers; the app's bundler minifies it.
  sourcemap: true,
  logLevel: "warning",
};

/** Bundles everything, and writes the metafile of the library for the measurement of sizes. */
export async function bundle() {
  const core = { ...common, external: [...wasms, terminal].map(({ copy }) => `./${copy}`), plugins: [withoutCodeGeneration] };
  // Both entries share the modules of the library, so that a page which imports both has it once. Chunks are placed beside the
  // entries, because the loader finds the wasm relative to its own file.
  const entryPoints = [{ in: "js/with-copies.ts", out: "index" }, { in: "js/index.ts", out: "slim" }];
  const { metafile } = await esbuild({ ...core, entryPoints, splitting: true, chunkNames: "[name]-[hash]", metafile: true });
  // The same in one file, for environments without `import()`.
  await esbuild({ ...core, entryPoints: [{ in: "js/with-copies.ts", out: "static" }] });
  await bundleEntries();
  await bundleTerminal(core);
  mkdirSync(".cache", { recursive: true });
  writeFileSync(".cache/bundle.json", JSON.stringify({ metafile }));
}

/**
 * The entries beside the core import its file, so that a page has one core; the one without copies, so that only the app
 * decides whether it carries them. Code that the entries share is in chunks of their own.
 */
async function bundleEntries() {
  const entryPoints = Object.entries(entries).map(([out, file]) => ({ in: file, out }));
  await esbuild({
    ...common, entryPoints, splitting: true, chunkNames: "[name]-[hash]", jsx: "automatic", external: peers, plugins: [coreIsAFile, styleSheets],
    // Packages that are part of an entry leave out their help for developers.
    define: { "process.env.NODE_ENV": '"production"' },
  });
}

/** The shell of the terminal is a file of its own, because it runs in a worker. */
async function bundleTerminal(core) {
  await esbuild({
    ...core,
    entryPoints: [{ in: "js/tools/terminal/worker.ts", out: path.parse(terminal.file).name }],
    // A page fetches this file as it is, and most of it is just-bash.
    minify: true,
    sourcemap: false,
    alias: { "node:zlib": path.join(root, "js/tools/terminal/gzip.ts") },
    // Parcel looks for a package in place of Node's global.
    define: { process: "globalThis.process" },
    inject: ["js/tools/terminal/buffer.ts"],
    banner: { js: "/*! Contains just-bash (https://github.com/vercel-labs/just-bash), Apache License 2.0: https://www.apache.org/licenses/LICENSE-2.0 */" },
  });
  writeFileSync(`dist/${terminal.copy}`, inlineModule(terminal.file));
}

/** A module whose default export is a file of dist/, gzipped, as base64. */
export function inlineModule(file) {
  const base64 = gzipSync(readFileSync(`dist/${file}`), { level: 9 }).toString("base64");
  return `// ${file}, gzip, base64: for where the file itself cannot be fetched.\nexport default "${base64}";\n`;
}

/**
 * The MCP client imports a validator that generates code, which pages with a strict content security policy forbid. It is
 * given another one (js/mcp/client.ts), so this one is left out.
 */
const withoutCodeGeneration = {
  name: "without code generation",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/validation\/ajv-provider\.js$/ }, () => ({ path: "ajv-provider", namespace: "left-out" }));
    // package.json says that no module of the library has side effects.
    onResolve({ filter: /\/without-eval\.js$/ }, ({ resolveDir }) => ({ path: path.join(resolveDir, "without-eval.ts"), sideEffects: true }));
    onLoad({ filter: /.*/, namespace: "left-out" }, () => ({ contents: "export class AjvJsonSchemaValidator {}" }));
  },
};

/** A style sheet is a string: a shadow root adopts it, which a strict content security policy allows. */
const styleSheets = {
  name: "style sheets",
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path: file }) => {
      const { code } = await transform(readFileSync(file, "utf8"), { loader: "css", minify: true });
      return { contents: code.trim(), loader: "text" };
    });
  },
};

/** An entry may use only the public API of the core: a second copy of one of its modules would be another class or another map. */
const coreIsAFile = {
  name: "the core is a file",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\// }, ({ path: wanted, resolveDir }) => {
      const file = path.relative(path.join(root, "js"), path.join(resolveDir, wanted));
      if (file === "index.js") return { path: "./slim.js", external: true };
      // Folders of entries, and modules inside of packages.
      if (file.startsWith("..") || file.includes(path.sep)) return undefined;
      return { errors: [{ text: `${file} is a module of the core: import what you need from "../index.js"` }] };
    });
  },
};
