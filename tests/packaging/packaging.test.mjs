// The packed package in each kind of project: it finds its wasm with no configuration and holds a conversation.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync, cpSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { root } from "../../scripts/process.mjs";
import { wasms } from "../../scripts/wasms.mjs";
import { staticFiles } from "../../scripts/static-files.mjs";
import { availableBrowsers, launch } from "../browser/driver.mjs";
import { listen } from "../support/listen.mjs";
import { createModel } from "../support/model.mjs";
import { installPackage } from "./installed.mjs";

const kind = availableBrowsers[0];
const needsBrowser = { skip: kind ? false : "no browser on this machine" };
let installed;
let browser;
before(async () => {
  installed = await installPackage();
  if (kind) browser = await launch(kind);
});
after(async () => {
  await browser?.close();
  installed?.remove();
});

test("the tarball holds the built package and nothing else", () => {
  const expected = /^(dist\/[\w-]+\.(js|js\.map)|dist\/([\w-]+\/){0,2}[\w-]+\.d\.ts|dist\/threadkeep(_[a-z]+)*_bg\.wasm|package\.json|README\.md|LICENSE|CHANGELOG\.md)$/;
  assert.deepEqual(installed.files.filter((file) => !expected.test(file)), []);
  const needed = [
    "dist/index.js", "dist/static.js", "dist/index.d.ts", ...wasms.flatMap(({ file, copy }) => [`dist/${file}`, `dist/${copy}`]),
    "dist/terminal-worker.js", "dist/terminal-worker-inline.js", "dist/testing.js", "dist/threadkeep_testing_bg.wasm", "LICENSE",
  ];
  for (const file of needed) {
    assert.ok(installed.files.includes(file), `${file} is missing`);
  }
});

test("TypeScript projects of either kind of resolution compile against its types, libraries checked", async () => {
  const project = installed.project("types");
  const main = [
    'import { load, type Store } from "threadkeep";',
    'import { load as loadStatic } from "threadkeep/static";',
    "export const both: Array<typeof load> = [load, loadStatic];",
    'import { checkStore, type CaseReport } from "threadkeep/testing";',
    "export const loading: Promise<void> = load();",
    "export const check = (open: () => Store): Promise<CaseReport[]> => checkStore(open);",
  ];
  writeFileSync(path.join(project, "main.ts"), main.join("\n"));
  for (const resolution of [["esnext", "bundler"], ["nodenext", "nodenext"]]) {
    const options = ["--strict", "--noEmit", "--target", "es2022", "--module", resolution[0], "--moduleResolution", resolution[1]];
    await run(process.execPath, [path.join(root, "node_modules/typescript/bin/tsc"), ...options, "main.ts"], project);
  }
});

test("Node", async () => {
  const project = installed.project("node");
  writeFileSync(
    path.join(project, "main.mjs"),
    'import { converse } from "./converse.js";\nconsole.log(JSON.stringify({ answer: await converse(process.argv[2]) }));\n',
  );
  const { answer, model } = await withModel((baseUrl) => run(process.execPath, ["main.mjs", baseUrl], project));
  report("Node", JSON.parse(answer).answer, model);
});

test("Node: the suite for stores of one's own finds a broken one out", async () => {
  const project = installed.project("store");
  const main = [
    'import { checkStore } from "threadkeep/testing";',
    "const broken = new Proxy({}, { get: (_, name) => (name === \"then\" ? undefined : async () => { throw new Error(`${String(name)} is broken`); }) });",
    "const reports = await checkStore(() => broken);",
    "console.log(JSON.stringify({ cases: reports.length, failed: reports.filter((report) => report.failure).length }));",
  ];
  writeFileSync(path.join(project, "main.mjs"), main.join("\n"));
  const { cases, failed } = JSON.parse(await run(process.execPath, ["main.mjs"], project));
  assert.ok(cases > 10);
  assert.equal(failed, cases);
});

test("a page with no bundler", needsBrowser, async () => {
  const project = installed.project("plain");
  cpSync(path.join(installed.library, "dist"), path.join(project, "threadkeep"), { recursive: true });
  const importMap = '<script type="importmap">{ "imports": { "threadkeep": "/threadkeep/index.js" } }</script>';
  const page = path.join(project, "index.html");
  writeFileSync(page, readFileSync(page, "utf8").replace("<script", `${importMap}\n  <script`));
  const { fetched } = await inPage("plain page", await serveFolder(project));
  wasmCameAsFile(fetched);
});

test("Vite, built", needsBrowser, async () => {
  const { build, preview } = await import("vite");
  const project = installed.project("vite");
  await build({ root: project, configFile: false, logLevel: "warn" });
  const server = await preview({ root: project, configFile: false, logLevel: "warn", preview: { port: 0, host: "127.0.0.1" } });
  const { fetched } = await inPage("Vite, built", { origin: originOf(server.httpServer), close: () => server.close() });
  wasmCameAsFile(fetched);
});

test("Vite's development server", needsBrowser, async () => {
  const { createServer } = await import("vite");
  const project = installed.project("vite-dev");
  // It serves only what lies in the project's own folder.
  cpSync(installed.library, path.join(project, "node_modules/threadkeep"), { recursive: true });
  const server = await createServer({ root: project, configFile: false, logLevel: "warn", server: { port: 0, host: "127.0.0.1", ws: false } });
  await server.listen();
  const { fetched } = await inPage("Vite's development server", { origin: originOf(server.httpServer), close: () => server.close() });
  wasmCameAsFile(fetched);
});

test("webpack", needsBrowser, async () => {
  const { default: webpack } = await import("webpack");
  const project = installed.project("webpack");
  const compiler = webpack({ context: project, mode: "production", entry: "./main.js", output: { path: path.join(project, "public"), filename: "main.js" } });
  const stats = await promisify(compiler.run.bind(compiler))();
  assert.equal(stats.toString({ all: false, errors: true }), "");
  await promisify(compiler.close.bind(compiler))();
  copyFileSync(path.join(project, "index.html"), path.join(project, "public/index.html"));
  const { fetched } = await inPage("webpack", await serveFolder(path.join(project, "public")));
  wasmCameAsFile(fetched);
});

for (const splitting of [true, false]) {
  const name = splitting ? "esbuild, with splitting" : "esbuild, in one file";
  test(`${name}: the wasm is not carried along, and the copy in JavaScript takes its place`, needsBrowser, async () => {
    const project = installed.project(splitting ? "esbuild" : "esbuild-one");
    await esbuild(project, { splitting });
    const server = await serveFolder(path.join(project, "public"), { startPageForAll: !splitting });
    const { fetched } = await inPage(name, server);
    assert.ok(!fetched.some(isWasm), "no wasm file should have been there");
  });
}

test("esbuild, with the wasm files copied beside the bundle", needsBrowser, async () => {
  const project = installed.project("esbuild-copied");
  await esbuild(project, { splitting: true });
  for (const file of [...wasms.map(({ file }) => file), "terminal-worker.js"]) {
    copyFileSync(path.join(installed.library, "dist", file), path.join(project, "public", file));
  }
  const { fetched } = await inPage("esbuild, wasm copied", await serveFolder(path.join(project, "public")));
  wasmCameAsFile(fetched);
});

async function esbuild(project, options) {
  const { build } = await import("esbuild");
  await build({
    absWorkingDir: project,
    entryPoints: ["main.js"],
    bundle: true,
    format: "esm",
    outdir: "public",
    logLevel: "warning",
    ...options,
  });
  copyFileSync(path.join(project, "index.html"), path.join(project, "public/index.html"));
}

/** Opens the project's page, waits for its conversation, and returns what it fetched. */
async function inPage(name, { origin, close }) {
  const fetched = [];
  try {
    const { answer, model } = await withModel(async (baseUrl) => {
      const page = await browser.page("about:blank");
      page.on("response", (response) => fetched.push({ url: response.url(), type: response.headers()["content-type"] ?? "" }));
      const broken = new Promise((_, reject) => page.once("pageerror", reject));
      await page.goto(`${origin}/?model=${encodeURIComponent(new URL(baseUrl).origin)}`);
      const outcome = await Promise.race([broken, page.waitForFunction(() => globalThis.outcome, { timeout: 30_000 })]);
      const { answer: result, error } = await outcome.jsonValue();
      await page.close();
      assert.equal(error, undefined);
      return result;
    });
    report(name, answer, model);
  } finally {
    await close();
  }
  return { fetched };
}

async function withModel(body) {
  const replies = [{ calls: [{ name: "add", arguments: { a: 2, b: 3 } }] }, { text: "2 and 3 make 5." }];
  const model = createModel(({ model }) => (model === "other" ? { text: "Here." } : replies.shift()));
  const server = await model.listen();
  try {
    return { answer: await body(server.baseUrl), model };
  } finally {
    await server.close();
  }
}

function report(name, answer, model) {
  model.check();
  assert.equal(answer, "finished: 2 and 3 make 5.");
  assert.match(JSON.stringify(model.requests[1].body.messages.at(-1)), /"5"/);
  console.log(`${name}: the wasm loaded, and the conversation ended with "${answer}"`);
}

function wasmCameAsFile(fetched) {
  assert.equal(fetched.filter(isWasm).length, wasms.length, `the wasm files among ${fetched.map(({ url }) => url).join(", ")}`);
  assert.ok(!fetched.some(({ url }) => /(wasm-([a-z-]+-)?|terminal-worker-)inline/.test(url)), "the copies in JavaScript should not have been needed");
}

function isWasm({ url, type }) {
  return /\.wasm$/.test(new URL(url).pathname) && type.startsWith("application/wasm");
}

function serveFolder(folder, { startPageForAll = false } = {}) {
  const files = staticFiles(folder);
  return listen(async (request, response) => {
    const [urlPath] = request.url.split("?");
    if (await files(request, response, urlPath)) return;
    if (startPageForAll) await files(request, response, "/index.html");
    else response.writeHead(404).end();
  });
}

const originOf = (server) => `http://127.0.0.1:${server.address().port}`;

async function run(program, args, cwd) {
  try {
    return (await promisify(execFile)(program, args, { cwd })).stdout;
  } catch (error) {
    throw new Error(`${error.message}\n${error.stdout}`);
  }
}
