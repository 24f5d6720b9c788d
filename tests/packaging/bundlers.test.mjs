// The packed package in a page of each kind of project: it finds its files with no configuration, and holds a conversation.
import assert from "node:assert/strict";
import { copyFileSync, cpSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { before, test } from "node:test";
import { promisify } from "node:util";
import { build as esbuild } from "esbuild";
import { copiesWereTaken, copyFiles, filesWereFetched, inPage, needsBrowser, serveFolder } from "./conversations.mjs";
import { installedPackage, run } from "./installed.mjs";
import { script } from "./tools.mjs";

let installed;
before(async () => (installed = await installedPackage()));

test("a page with no bundler", needsBrowser, async () => {
  const project = installed.project("plain");
  cpSync(path.join(installed.library, "dist"), path.join(project, "threadkeep"), { recursive: true });
  withImportMap(project, "/threadkeep/index.js");
  filesWereFetched(await inPage("plain page", await serveFolder(project)));
});

test("a page that imports it from another origin, as from a CDN", needsBrowser, async () => {
  const cdn = await serveFolder(path.dirname(installed.library), { headers: { "access-control-allow-origin": "*" } });
  const project = installed.project("cdn");
  withImportMap(project, `${cdn.origin}/threadkeep/dist/index.js`);
  const fetched = await inPage("CDN", await serveFolder(project));
  await cdn.close();
  // A worker may not come from another origin, so their copies are needed.
  filesWereFetched(fetched.filter(({ url }) => !url.endsWith("-worker-inline.js")));
});

test("Vite, built", needsBrowser, async () => {
  const project = installed.project("vite");
  filesWereFetched(await inPage("Vite, built", await builtWithVite(project)));
});

test("a worker in Vite", needsBrowser, async () => {
  const project = installed.project("worker");
  filesWereFetched(await inPage("a worker in Vite", await builtWithVite(project)));
});

test("Vite's development server", needsBrowser, async () => {
  const { createServer } = await import("vite");
  const project = installed.project("vite-dev");
  // It serves only what lies in the project's own folder.
  cpSync(installed.library, path.join(project, "node_modules/threadkeep"), { recursive: true });
  const server = await createServer({
    root: project,
    configFile: false,
    logLevel: "warn",
    server: { port: 0, host: "127.0.0.1", ws: false },
  });
  await server.listen();
  filesWereFetched(await inPage("Vite's development server", { origin: originOf(server.httpServer), close: () => server.close() }));
});

test("webpack, without a warning", needsBrowser, async () => {
  const { default: webpack } = await import("webpack");
  const project = installed.project("webpack");
  // The limits are for the size of what is there, which webpack cannot know to be loaded when it is needed.
  const options = {
    context: project,
    mode: "production",
    entry: "./main.js",
    performance: { hints: false },
    output: { path: path.join(project, "public"), filename: "main.js" },
  };
  const compiler = webpack(options);
  const stats = await promisify(compiler.run.bind(compiler))();
  assert.equal(stats.toString({ all: false, errors: true, warnings: true }), "");
  await promisify(compiler.close.bind(compiler))();
  filesWereFetched(await inPage("webpack", await servePublic(project)));
});

test("Parcel, without configuration", needsBrowser, async () => {
  const project = installed.project("parcel");
  const args = [script("parcel/lib/bin.js"), "build", "index.html", "--no-cache", "--dist-dir", "public", "--log-level", "warn"];
  await run(process.execPath, args, project);
  filesWereFetched(await inPage("Parcel", await serveFolder(path.join(project, "public"))));
});

const bundlers = {
  Rollup: async (project) => {
    const { rollup } = await import(script("rollup/dist/es/rollup.js"));
    const { nodeResolve } = await import(script("@rollup/plugin-node-resolve/dist/es/index.js"));
    const warnings = [];
    const bundle = await rollup({
      input: path.join(project, "main.js"),
      plugins: [nodeResolve({ browser: true })],
      onwarn: ({ message }) => warnings.push(message),
    });
    await bundle.write({ dir: path.join(project, "public") });
    await bundle.close();
    assert.deepEqual(warnings, []);
  },
  esbuild: (project) => bundled(project, { splitting: true }),
};
for (const [name, bundle] of Object.entries(bundlers)) {
  test(`${name}: the files are not carried along, so the copies in JavaScript take their place after one try`, needsBrowser, async () => {
    const project = installed.project(named(name, "copies"));
    await bundle(project);
    copiesWereTaken(await inPage(name, await servePublic(project)));
  });

  test(`${name}, with the files copied beside the bundle`, needsBrowser, async () => {
    const project = installed.project(named(name, "files"));
    await bundle(project);
    copyFiles(installed.library, path.join(project, "public"));
    filesWereFetched(await inPage(`${name}, files copied`, await servePublic(project)));
  });

  test(`${name}, with threadkeep/slim and the files copied: no copies are bundled`, needsBrowser, async () => {
    const project = importing("threadkeep/slim", installed.project(named(name, "slim")));
    await bundle(project);
    copyFiles(installed.library, path.join(project, "public"));
    filesWereFetched(await inPage(`${name}, slim`, await servePublic(project)));
  });
}

test("esbuild in one file, on a server with its start page for all", needsBrowser, async () => {
  const project = installed.project("esbuild-one");
  await bundled(project, {});
  copiesWereTaken(await inPage("esbuild in one file", await servePublic(project, { startPageForAll: true })));
});

async function bundled(project, options) {
  const { warnings } = await esbuild({
    absWorkingDir: project,
    entryPoints: ["main.js"],
    bundle: true,
    format: "esm",
    outdir: "public",
    logLevel: "silent",
    ...options,
  });
  assert.deepEqual(warnings, []);
}

async function builtWithVite(project) {
  const { build, preview } = await import("vite");
  await build({ root: project, configFile: false, logLevel: "error", worker: { format: "es" } });
  const server = await preview({ root: project, configFile: false, logLevel: "error", preview: { port: 0, host: "127.0.0.1" } });
  return { origin: originOf(server.httpServer), close: () => server.close() };
}

/** Serves the project's bundle with its page. */
function servePublic(project, options) {
  copyFileSync(path.join(project, "index.html"), path.join(project, "public/index.html"));
  return serveFolder(path.join(project, "public"), options);
}

/** The project, with another entry of the library. */
function importing(entry, project) {
  const file = path.join(project, "converse.js");
  writeFileSync(file, readFileSync(file, "utf8").replace('from "threadkeep"', `from "${entry}"`));
  return project;
}

function withImportMap(project, url) {
  const page = path.join(project, "index.html");
  const importMap = `<script type="importmap">{ "imports": { "threadkeep": "${url}" } }</script>`;
  writeFileSync(page, readFileSync(page, "utf8").replace("<script", `${importMap}\n  <script`));
}

const named = (...parts) => parts.join("-").toLowerCase().replace(/\W+/g, "-");
const originOf = (server) => `http://127.0.0.1:${server.address().port}`;
