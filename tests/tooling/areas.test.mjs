// The areas of js/: which area may use which, that no files import each other in a circle, and that the entries beside the core
// use it as everybody else does; and the folders of tests/ with their names. ARCHITECTURE.md has a drawing.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { parseAst } from "rolldown/parseAst";
import { root } from "../../scripts/process.mjs";

/** Each area and those that it uses, from the top to the bottom. An area uses only areas below it. */
const areas = {
  entries: [
    "conversation",
    "mirror",
    "plugins",
    "subagents",
    "agent",
    "formats",
    "mcp",
    "tools",
    "search",
    "control",
    "tool",
    "secrets",
    "llm",
    "workspace",
    "server",
    "store",
    "events",
    "wasm",
    "input",
  ],
  "ui/preact": ["ui/conversations", "ui/control", "ui/files", "ui/model", "ui/chat"],
  "ui/conversations": ["ui/chat", "ui/thread", "threadkeep"],
  "ui/control": ["ui/chat", "threadkeep"],
  "ui/files": ["ui/chat", "ui/thread", "threadkeep"],
  "ui/assistant-ui": ["ui/react", "ui/thread", "threadkeep"],
  "ui/ai-sdk": ["ui/thread", "threadkeep"],
  "ui/react": ["ui/thread", "threadkeep"],
  "ui/model": ["ui/chat", "ui/thread", "threadkeep"],
  "ui/chat": ["ui/thread", "threadkeep"],
  "ui/devtools": ["ui/thread", "threadkeep"],
  "ui/pdf": ["threadkeep"],
  "ui/thread": ["threadkeep"],
  testing: ["threadkeep", "pkg"],
  conversation: [
    "plugins",
    "subagents",
    "agent",
    "formats",
    "mcp",
    "control",
    "tool",
    "secrets",
    "llm",
    "workspace",
    "server",
    "store",
    "events",
    "wasm",
    "input",
    "pkg",
  ],
  plugins: ["agent", "formats", "mcp", "tools", "control", "python-regex", "store", "events", "wasm", "input", "pkg"],
  subagents: ["agent", "tools", "tool", "llm", "events", "input", "pkg"],
  agent: ["formats", "mcp", "tool", "llm", "events", "wasm", "input"],
  mirror: ["formats", "store", "wasm", "input", "pkg"],
  formats: ["llm", "workspace", "store", "events", "wasm", "input", "pkg"],
  mcp: ["tool", "secrets", "llm", "python-regex", "store", "events", "wasm", "input", "pkg"],
  tools: ["tool", "llm", "workspace", "python-regex", "events", "wasm", "input"],
  search: ["tool", "store", "events", "wasm", "input"],
  control: ["python-regex", "events", "wasm", "input"],
  tool: ["secrets", "llm", "workspace", "store", "events", "wasm", "input"],
  secrets: ["llm", "events", "wasm", "input", "pkg"],
  llm: ["store", "events", "wasm", "input"],
  workspace: ["server", "store", "wasm", "input", "pkg"],
  server: ["input"],
  "python-regex": [],
  store: ["events", "wasm", "input", "pkg"],
  events: ["input"],
  wasm: ["input", "pkg"],
  input: ["pkg"],
};
/** The public API by its name, and what wasm-bindgen generates: neither is a folder of js/. */
const outside = ["threadkeep", "pkg"];

const sources = path.join(root, "js");
const files = readdirSync(sources, { recursive: true })
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".d.ts"))
  .sort();
const imports = new Map(files.map((file) => [file, importsOf(file)]));

/** The imports of a file, of types too: { name, target, isType }. A `target` is a file of js/, or "threadkeep" or "pkg". */
function importsOf(file) {
  const found = [];
  const add = ({ value: name }, isType) => {
    const target = targetOf(file, name);
    if (target !== undefined) found.push({ name, target, isType });
  };
  const areTypes = (list, kind) => list?.length > 0 && list.every((each) => each[kind] === "type");
  const visit = (node) => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node !== "object" || node === null) return;
    if (node.type === "ImportDeclaration") return add(node.source, node.importKind === "type" || areTypes(node.specifiers, "importKind"));
    if (/^Export(All|Named)Declaration$/.test(node.type) && node.source)
      return add(node.source, node.exportKind === "type" || areTypes(node.specifiers, "exportKind"));
    if (node.type === "ImportExpression" && node.source.type === "Literal") add(node.source, false);
    if (node.type === "TSImportType") add(node.source, true);
    Object.values(node).forEach(visit);
  };
  visit(parseAst(readFileSync(path.join(sources, file), "utf8"), { lang: file.endsWith("x") ? "tsx" : "ts" }).body);
  return found;
}

function targetOf(file, name) {
  if (name === "threadkeep") return name;
  if (!name.startsWith(".")) return undefined;
  const target = path.normalize(path.join(path.dirname(file), name));
  if (target.startsWith("../pkg/")) return "pkg";
  const candidates = [".ts", ".tsx", ".d.ts"].map((ending) => target.replace(/\.js$/, ending));
  return [target, ...candidates].find((each) => existsSync(path.join(sources, each))) ?? target;
}

function areaOf(file) {
  if (outside.includes(file)) return file;
  const [folder, inner] = file.split("/");
  return folder === "ui" ? `ui/${inner}` : folder;
}

/** Imports between areas: { file, name, from, to }. */
const edges = files
  .flatMap((file) => imports.get(file).map(({ name, target }) => ({ file, name, from: areaOf(file), to: areaOf(target) })))
  .filter(({ from, to }) => from !== to);

test("every file is in an area, and the areas are in order", () => {
  assert.deepEqual([...new Set(files.map(areaOf))].sort(), Object.keys(areas).sort());
  const order = [...Object.keys(areas), ...outside];
  for (const [area, below] of Object.entries(areas)) {
    for (const other of below) assert.ok(order.indexOf(other) > order.indexOf(area), `${area} uses ${other}, which is not below it`);
  }
});

test("tests are in a folder named as the area that they test", () => {
  // Tests of more than one area.
  const across = [
    "demo",
    "docs",
    "interop",
    "kills",
    "packaging",
    "proxy",
    "tooling",
    "browser/docs",
    "browser/examples",
    "browser/tooling",
  ];
  const tests = readdirSync(path.join(root, "tests"), { recursive: true })
    .map((file) => file.split(path.sep).join("/"))
    .filter((file) => file.endsWith(".test.mjs") && !file.includes("node_modules/"));
  assert.ok(tests.length > 100);
  const folders = new Set(tests.map((file) => /^(browser\/)?(ui\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? file));
  const strange = [...folders].filter((folder) => !across.includes(folder) && !(folder.replace(/^browser\//, "") in areas));
  assert.deepEqual(strange, []);
});

test("an area uses only what the table says, and the table says no more", () => {
  const wrong = edges.filter(({ from, to }) => !areas[from]?.includes(to)).map(({ file, name }) => `js/${file} imports ${name}`);
  assert.deepEqual(wrong, []);
  const used = new Set(edges.map(({ from, to }) => `${from} -> ${to}`));
  const unused = Object.entries(areas)
    .flatMap(([area, below]) => below.map((other) => `${area} -> ${other}`))
    .filter((edge) => !used.has(edge));
  assert.deepEqual(unused, []);
});

test("no file imports itself through others, neither code nor types, at once or later", () => {
  const state = new Map();
  const circles = [];
  const visit = (file, way) => {
    if (state.get(file) === "done") return;
    if (state.get(file) === "open") return circles.push([...way.slice(way.indexOf(file)), file].join(" -> "));
    state.set(file, "open");
    for (const { target } of imports.get(file) ?? []) if (imports.has(target)) visit(target, [...way, file]);
    state.set(file, "done");
  };
  for (const file of files) visit(file, []);
  assert.deepEqual(circles, []);
});

test("a file of types loads nothing", () => {
  const loading = files
    .filter((file) => path.basename(file) === "types.ts")
    .flatMap((file) =>
      imports
        .get(file)
        .filter(({ isType }) => !isType)
        .map(({ name }) => `js/${file} imports ${name}`),
    );
  assert.deepEqual(loading, []);
});
