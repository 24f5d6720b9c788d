// What is in the package, and what its package.json says: its files, its types, its stack traces.
import assert from "node:assert/strict";
import { cpSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { before, test } from "node:test";
import { publint } from "publint";
import { root } from "../../scripts/process.mjs";
import { workers } from "../../scripts/bundle.mjs";
import { wasms } from "../../scripts/wasms.mjs";
import { installedPackage, run } from "./installed.mjs";
import { script } from "./tools.mjs";

let installed;
before(async () => (installed = await installedPackage()));

test("the tarball holds the built package with its documentation, and nothing else", () => {
  const expected =
    /^(dist\/[\w-]+\.(js|js\.map)|dist\/([\w-]+\/)*[\w-]+\.d\.ts|dist\/threadkeep(_[a-z]+)*_bg\.wasm|dist\/preact\.css|docs\/[\w-]+\.md|package\.json|README\.md|LICENSE|CHANGELOG\.md)$/;
  assert.deepEqual(
    installed.files.filter((file) => !expected.test(file)),
    [],
  );
  const { exports, main, types } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  const entries = Object.values(exports)
    .flatMap((entry) => (typeof entry === "object" ? Object.values(entry) : [entry]))
    .filter((file) => !file.includes("*"));
  const needed = [...entries, main, types].map((file) => file.slice("./".length));
  needed.push(...[...wasms, ...workers].flatMap(({ file, copy }) => [`dist/${file}`, `dist/${copy}`]));
  needed.push("dist/threadkeep_testing_bg.wasm", "dist/index.js.map", "LICENSE");
  needed.push(
    ...readdirSync(path.join(root, "docs"))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `docs/${name}`),
  );
  assert.deepEqual(
    needed.filter((file) => !installed.files.includes(file)),
    [],
  );
});

test("source maps hold the text of this library only, not that of packages which are part of it", () => {
  const dist = path.join(installed.library, "dist");
  const maps = readdirSync(dist).filter((name) => name.endsWith(".js.map"));
  assert.ok(maps.length > 20);
  const foreign = maps.flatMap((name) => {
    const { sources, sourcesContent } = JSON.parse(readFileSync(path.join(dist, name), "utf8"));
    return sources.filter((source, i) => sourcesContent[i] && !/^(\.\.\/)+(js|pkg)\//.test(source)).map((source) => `${name}: ${source}`);
  });
  assert.deepEqual(foreign, []);
});

test("publint finds nothing to mend", async () => {
  const { messages } = await publint({ pkgDir: installed.library, pack: false });
  assert.deepEqual(messages, []);
});

test("are-the-types-wrong finds nothing wrong", async () => {
  await run(process.execPath, [script("@arethetypeswrong/cli/dist/index.js"), installed.tarball, "--profile", "esm-only"], root);
});

test("TypeScript projects of either kind of resolution compile against its types, libraries checked", async () => {
  const project = installed.project("types");
  const main = [
    'import { load, type Store } from "threadkeep";',
    'import { load as loadSlim } from "threadkeep/slim";',
    'import { load as loadStatic } from "threadkeep/static";',
    "export const all: Array<typeof load> = [load, loadSlim, loadStatic];",
    'import { checkStore, scriptedModel, type CaseReport, type ScriptedModel } from "threadkeep/testing";',
    "export const loading: Promise<void> = load();",
    "export const check = (open: () => Store): Promise<CaseReport[]> => checkStore(open);",
    'export const model: ScriptedModel = scriptedModel(["Hello", { calls: [{ name: "add" }] }, ({ lastText }) => ({ text: lastText })]);',
  ];
  writeFileSync(path.join(project, "main.ts"), main.join("\n"));
  for (const resolution of [
    ["esnext", "bundler"],
    ["nodenext", "nodenext"],
  ]) {
    const options = ["--strict", "--noEmit", "--target", "es2022", "--module", resolution[0], "--moduleResolution", resolution[1]];
    await run(process.execPath, [path.join(root, "node_modules/typescript/bin/tsc"), ...options, "main.ts"], project);
  }
});

test("an app with Preact compiles against the types of the components, libraries checked, and has one Preact", async () => {
  const project = installed.project("preact");
  // Beside the package, as a package manager puts it.
  cpSync(path.join(root, "node_modules/preact"), path.join(installed.library, "../preact"), { recursive: true });
  const main = [
    "/** @jsxImportSource preact */",
    'import { ChatView, changesOf, defaultLabels, Diff, type Task, useSnapshot } from "threadkeep/preact";',
    'import type { Thread } from "threadkeep/thread";',
    'import "threadkeep/preact.css";',
    "export const App = ({ thread }: { thread: Thread }) => (",
    "  <main title={useSnapshot(thread).title ?? defaultLabels.user}>",
    "    <ChatView thread={thread} labels={{ send: 'Go' }} empty={<p>Empty</p>} />",
    "    {changesOf({}).map(({ path, ...change }) => <Diff key={path} {...change} />)}",
    "  </main>",
    ");",
    "export const done = ({ status }: Task): boolean => status === 'done';",
  ];
  writeFileSync(path.join(project, "main.tsx"), main.join("\n"));
  const options = ["--strict", "--noEmit", "--target", "es2022", "--module", "nodenext", "--jsx", "react-jsx", "--types", ""];
  await run(process.execPath, [path.join(root, "node_modules/typescript/bin/tsc"), ...options, "main.tsx"], project);
  const { build } = await import("esbuild");
  const { metafile } = await build({
    absWorkingDir: project,
    entryPoints: ["main.tsx"],
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    splitting: true,
    outdir: "out",
    logLevel: "silent",
  });
  const inputs = Object.keys(metafile.inputs);
  assert.ok(inputs.some((file) => file.endsWith("threadkeep/dist/preact.js")));
  assert.ok(!inputs.some((file) => file.endsWith("threadkeep/dist/chat.js")));
  const copies = inputs.filter((file) => file.includes("node_modules/preact/dist/")).map((file) => path.basename(file));
  assert.deepEqual(copies, [...new Set(copies)]);
  assert.ok(copies.length > 0);
});

test("a stack trace names the functions of the library, and with its source maps their files and lines", async () => {
  const project = installed.project("stack");
  writeFileSync(
    path.join(project, "main.mjs"),
    'import { LLM } from "threadkeep";\ntry {\n  new LLM({ model: "" });\n} catch (error) {\n  console.log(error.stack);\n}\n',
  );
  const plain = await run(process.execPath, ["main.mjs"], project);
  assert.match(plain, /at invalidOptions .*\n.*at checked .*\n.*at .*reading/s);
  assert.doesNotMatch(plain, /:1:\d{3,}/);
  assert.match(await run(process.execPath, ["--enable-source-maps", "main.mjs"], project), /at checked .*js\/llm\/llm\.ts:\d+/);
});
