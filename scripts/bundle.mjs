// js/ -> dist/*.js: the core with Rolldown, which puts what every page loads into one file; the entries beside it
// (`threadkeep/react` and others) and the worker of the terminal with esbuild.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { build as esbuild, transform } from "esbuild";
import { rolldown } from "rolldown";
import { root } from "./process.mjs";
import { wasms } from "./wasms.mjs";

/** The worker of the terminal, and the module with a copy of it. */
export const terminal = { file: "terminal-worker.js", copy: "terminal-worker-inline.js" };

/** The worker of the search. */
export const searchWorker = { file: "search-worker.js", copy: "search-worker-inline.js" };

/** The files of workers. A page fetches them as they are. */
export const workers = [terminal, searchWorker];

/** The entries beside the core: the name of each is that of its subpath and of its file in dist/. */
export const entries = {
  thread: "js/ui/thread/index.ts",
  react: "js/ui/react/index.ts",
  "ai-sdk": "js/ui/ai-sdk/index.ts",
  "assistant-ui": "js/ui/assistant-ui/index.ts",
  chat: "js/ui/chat/index.ts",
  conversations: "js/ui/conversations/index.ts",
  model: "js/ui/model/index.ts",
  preact: "js/ui/preact/index.ts",
  devtools: "js/ui/devtools/index.ts",
  pdf: "js/ui/pdf/index.ts",
};

/** Files that modules of the core load when they are needed, and that are no part of the bundle. */
const copies = [...wasms, ...workers].map(({ copy }) => copy);

/** Packages that the user of an entry installs. All others are part of the entry's file. */
export const peers = [
  "react",
  "react/*",
  "react-dom",
  "preact",
  "preact/*",
  "ai",
  "@ai-sdk/*",
  "@assistant-ui/*",
  "@opentelemetry/api",
  "pdfjs-dist",
  "pdfjs-dist/*",
];

/**
 * The files of the core beside those that every page loads, each with the places of its modules: what an app may never need is apart.
 * `opening` has what opening some conversations needs, `answer` what an open one may need, `agent` what tools and options of agents
 * need. A module in the place of one file that another one before it imports is in that one.
 */
export const parts = {
  opening: /\/js\/(secrets|store\/(inventory|torn-block))\b/,
  answer: /\/js\/(conversation\/(?!server)|llm\/(images|profiles)\/|store\/[\w-]+\.)/,
  models: /\/js\/llm\/models\//,
  agent: /\/js\/(tool\/|tools\/definition|control|agent\/(?!skills)|workspace\/(?!commands|git-changes|remote))/,
  tools: /\/js\/tools\//,
  stores: /\/js\/store\/(?!storage)/,
  formats: /\/js\/(formats|store)\//,
  skills: /\/js\/(agent|subagents)\//,
  plugins: /\/js\/plugins\//,
  mcp: /\/js\/mcp\//,
  server: /\/js\/(conversation|server|workspace)\//,
  search: /\/js\/search\//,
  mirror: /\/js\/mirror\//,
};

const isPackage = /\/node_modules\/.*\.[cm]?js$/;

const componentStyles = "js/ui/preact/styles.css";

/** The oldest browsers that the library supports, for style sheets. */
const browsers = ["chrome111", "firefox115", "safari16.4"];

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

export async function bundle() {
  await bundleCore();
  await bundleEntries();
  await bundleTerminal();
  await bundleWorker(searchWorker, "js/search/index/worker.ts");
}

/**
 * Both entries of the core share its modules, so that a page which imports both has them once. What conversations need is one file:
 * compressed together, modules are an eighth smaller than apart. Functions that lead to other parts are a second one, which no part
 * imports: so Vite leaves out the parts of those that an app does not use. Parts are placed beside the entries, because the loader
 * finds the wasm relative to its own file. The third entry has everything in one file, for environments without `import()`.
 */
async function bundleCore() {
  const [library, functions] = [new Set(), new Set()];
  const input = { index: "js/entries/with-copies.ts", slim: "js/entries/index.ts" };
  const plugins = [
    neededAtOnce(["js/conversation/conversation.ts", "js/llm/profiles.ts", "js/tool/tool.ts"], library),
    neededAtOnce(["js/entries/index.ts"], functions),
  ];
  const groups = [
    { name: "library", test: (id) => library.has(id) },
    { name: "functions", test: (id) => functions.has(id) },
    ...Object.entries(parts).map(([name, test]) => ({ name, test })),
  ];
  await bundleWithRolldown(input, plugins, { codeSplitting: { groups } });
  await bundleWithRolldown({ static: "js/entries/with-copies.ts" }, [], { codeSplitting: false });
}

/** Writes files into dist/. */
async function bundleWithRolldown(input, plugins, options) {
  const bundled = await rolldown({
    cwd: root,
    input,
    platform: common.platform,
    transform: { target: common.target },
    // A module of a part may be imported within it at once, and from elsewhere when it is needed.
    checks: { ineffectiveDynamicImport: false },
    plugins: [...plugins, leftOut, validator, modelData, unmappedPackages],
  });
  await bundled.write({
    dir: common.outdir,
    format: common.format,
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    sourcemap: common.sourcemap,
    // Rollup warns of a comment of another package that only looks like an annotation.
    comments: { jsdoc: false },
    ...options,
  });
  await bundled.close();
}

/** Collects the modules that are loaded together with these, without those behind an `import()`. */
function neededAtOnce(files, modules) {
  return {
    name: "needed at once",
    buildEnd() {
      const visit = (id) => {
        if (modules.has(id)) return;
        modules.add(id);
        for (const imported of this.getModuleInfo(id)?.importedIds ?? []) visit(imported);
      };
      for (const file of files) visit(path.join(root, file));
    },
  };
}

/**
 * The entries beside the core import it by its name, so that a page has one core. Code that the entries share is in chunks of their own.
 * The elements bring their own Preact. The components for Preact apps use that of the app, and so are bundled apart.
 */
async function bundleEntries() {
  const { preact, ...others } = entries;
  const isPreact = (name) => /^preact\b/.test(name);
  await bundleBeside(others, {
    external: peers.filter((name) => !isPreact(name)),
    plugins: [publicCore, styleSheets, unmappedPackagesBeside],
  });
  await bundleBeside({ preact }, { external: peers, plugins: [publicCore, publicThread, styleSheets, unmappedPackagesBeside] });
  await bundleStyles();
}

async function bundleBeside(files, options) {
  await esbuild({
    ...common,
    entryPoints: Object.entries(files).map(([out, file]) => ({ in: file, out })),
    splitting: true,
    chunkNames: "[name]-[hash]",
    jsx: "automatic",
    // Packages that are part of an entry leave out their help for developers.
    define: { "process.env.NODE_ENV": '"production"' },
    ...options,
  });
}

/** The styles of the components: where the shadow root has its host, a page has the class `threadkeep`. */
async function bundleStyles() {
  const moved = [];
  const inner = (await bundledStyles(componentStyles))
    .replaceAll(/@keyframes [^{]+\{(?:[^{}]*\{[^{}]*\})*\s*\}/g, (rule) => (moved.push(rule), ""))
    .replaceAll(/:root,\s*:host/g, "&")
    .replaceAll(/:host\(([^)]*)\)/g, "&$1")
    .replaceAll(":host", "&");
  // `:where()` adds nothing to the weight of a selector, so that the rules of the page prevail over these as they do over its own.
  const { code } = await transform(`:where(.threadkeep) {\n${inner}}\n${moved.join("\n")}`, { loader: "css", target: browsers });
  writeFileSync("dist/preact.css", code);
}

/** A style sheet with those that it imports. */
async function bundledStyles(file, options = {}) {
  const { outputFiles } = await esbuild({ entryPoints: [file], bundle: true, write: false, logLevel: "warning", ...options });
  return outputFiles[0].text;
}

/** The shell of the terminal is a file of its own, because it runs in a worker. */
async function bundleTerminal() {
  await bundleWorker(terminal, "js/tools/terminal/worker.ts", {
    alias: { "node:zlib": path.join(root, "js/tools/terminal/gzip.ts") },
    // Parcel looks for a package in place of Node's global.
    define: { process: "globalThis.process" },
    inject: ["js/tools/terminal/buffer.ts"],
    banner: {
      js: "/*! Contains just-bash (https://github.com/vercel-labs/just-bash), Apache License 2.0: https://www.apache.org/licenses/LICENSE-2.0 */",
    },
  });
}

async function bundleWorker({ file, copy }, source, options = {}) {
  await esbuild({
    ...common,
    entryPoints: [{ in: source, out: path.parse(file).name }],
    // A page fetches this file as it is.
    minify: true,
    sourcemap: false,
    ...options,
  });
  writeFileSync(`dist/${copy}`, inlineModule(file));
}

/** A module whose default export is a file of dist/, gzipped, as base64. */
export function inlineModule(file) {
  const base64 = gzipSync(readFileSync(`dist/${file}`), { level: 9 }).toString("base64");
  return `// ${file}, gzip, base64: for where the file itself cannot be fetched.\nexport default "${base64}";\n`;
}

/**
 * The MCP client imports a validator that generates code, which pages with a strict content security policy forbid. It is
 * given another one (js/mcp/client.ts), so this one is left out, and so are the files that are loaded when they are needed.
 */
const leftOut = {
  name: "left out",
  resolveId(wanted, importer) {
    if (/\/validation\/ajv-provider\.js$/.test(wanted)) return "\0ajv-provider";
    // package.json says that no module of the library has side effects.
    if (/\/without-eval\.js$/.test(wanted)) return { id: path.join(path.dirname(importer), "without-eval.ts"), moduleSideEffects: true };
    if (copies.includes(path.basename(wanted))) return { id: wanted, external: true };
    return undefined;
  },
  load: (id) => (id === "\0ajv-provider" ? "export class AjvJsonSchemaValidator {}" : undefined),
};

/**
 * The validator of JSON Schemas takes two names from its surroundings: `RegExp`, which may never end and is a class of ours there, and
 * `self`, whose address is none in a worker that is made of a Blob, and which is missing there.
 */
const validator = {
  name: "surroundings of the validator",
  transform(code, id) {
    const [, module] = /@cfworker\/json-schema\/dist\/esm\/(\w+)\.js$/.exec(id) ?? [];
    const file = JSON.stringify(path.join(root, "js/input/pattern.ts"));
    if (module === "validate") return { code: `import { SchemaPattern as RegExp } from ${file};${code}`, map: null };
    return module === "dereference" ? { code: `const self = undefined;${code}`, map: null } : undefined;
  },
};

/** Many models have the facts or the prices of another one, and most facts the same fields: a file of a provider has each once. */
const modelData = {
  name: "data of models",
  transform(code, id) {
    if (!/\/js\/llm\/models\/\w+\.json$/.test(id) || id.endsWith("/families.json")) return undefined;
    const [fields, records] = [[], []];
    const place = (list, value) => {
      const json = JSON.stringify(value);
      return list.includes(json) ? list.indexOf(json) : list.push(json) - 1;
    };
    const recordOf = (object) => place(records, [place(fields, Object.keys(object)), ...Object.values(object)]);
    const rows = Object.entries(JSON.parse(code).models).map(([name, { prices = [], ...facts }]) =>
      JSON.stringify([name, recordOf(facts), ...prices.map(recordOf)]),
    );
    const module = [
      `const fields = [${fields}];`,
      `const records = [${records}].map(([of, ...values]) => Object.fromEntries(fields[of].map((field, i) => [field, values[i]])));`,
      "const modelOf = (facts, ...prices) => ({ ...records[facts], ...(prices.length > 0 && { prices: prices.map((each) => records[each]) }) });",
      `const models = Object.fromEntries([${rows}].map(([name, ...model]) => [name, modelOf(...model)]));`,
      "export default { models };",
    ];
    return { code: module.join("\n"), moduleType: "js", map: { mappings: "" } };
  },
};

/** Source maps lead to code of this library only: that of packages would be carried along as text. */
const unmappedPackages = {
  name: "unmapped packages",
  transform: (code, id) => (isPackage.test(id) ? { code, map: { mappings: "" } } : undefined),
};

/** The same for esbuild, which takes a file's map from its end, and no empty one: this one leads to an empty text. */
const unmappedPackagesBeside = {
  name: "unmapped packages",
  setup({ onLoad }) {
    const map = Buffer.from('{"version":3,"sources":[""],"sourcesContent":[""],"mappings":"AAAA"}').toString("base64");
    onLoad({ filter: isPackage }, ({ path: file }) => ({
      contents: `${readFileSync(file, "utf8")}\n//# sourceMappingURL=data:application/json;base64,${map}`,
    }));
  },
};

/** A style sheet is a string: a shadow root adopts it, which a strict content security policy allows. */
const styleSheets = {
  name: "style sheets",
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path: file }) => {
      return { contents: (await bundledStyles(file, { minify: true })).trim(), loader: "text" };
    });
  },
};

/**
 * An entry imports the core as its users do, and finds it beside itself: the one without copies, so that only the app decides
 * whether it carries them.
 */
export const publicCore = {
  name: "public core",
  setup({ onResolve }) {
    onResolve({ filter: /^threadkeep$/ }, () => ({ path: "./slim.js", external: true }));
  },
};

/** The components import the threads as their users do: the threads of a page are counted in one place. */
const publicThread = {
  name: "public thread",
  setup({ onResolve }) {
    onResolve({ filter: /\/thread\/index\.js$/ }, () => ({ path: "./thread.js", external: true }));
  },
};
