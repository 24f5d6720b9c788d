// The demo page is a customer: it imports what a user of the package can import, and nothing else of this repository.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { parseAst } from "rolldown/parseAst";
import { root } from "../../scripts/process.mjs";

const page = path.join(root, "www");
const { exports, devDependencies } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
const entries = Object.keys(exports).map((subpath) => path.posix.join("threadkeep", subpath));

/** The names that a file imports, also types, and what its style sheets import. */
function importsOf(file, text) {
  if (file.endsWith(".css")) return [...text.matchAll(/@import\s+(?:url\()?["']([^"']+)/g)].map(([, name]) => name);
  const names = [];
  const visit = (node) => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node !== "object" || node === null) return;
    if (/^(Import|Export(All|Named))Declaration$|^(ImportExpression|TSImportType)$/.test(node.type) && node.source)
      names.push(node.source.value ?? "an import whose name is computed");
    Object.values(node).forEach(visit);
  };
  visit(parseAst(text, { lang: file.endsWith("x") ? "tsx" : "ts" }).body);
  return names;
}

/** Whether the page may import `name` in `file`: a file of its own, an entry of the package, or another package. */
function isAllowed(file, name) {
  if (name.startsWith(".")) return !path.relative(page, path.resolve(page, path.dirname(file), name)).startsWith("..");
  if (/^threadkeep(\/|$)/.test(name)) return entries.includes(name);
  return Object.keys(devDependencies).some((dependency) => name === dependency || name.startsWith(`${dependency}/`));
}

const wrongIn = (file, text) => importsOf(file, text).filter((name) => !isAllowed(file, name));

test("the page imports its own files, entries of the package by their names, and other packages", () => {
  const files = readdirSync(page, { recursive: true }).filter((file) => /\.(tsx?|css)$/.test(file) && !file.startsWith("dist"));
  const found = files.map((file) => ({ file, text: readFileSync(path.join(page, file), "utf8") }));
  assert.ok(found.flatMap(({ file, text }) => importsOf(file, text)).filter((name) => name === "threadkeep/preact").length > 3);
  assert.deepEqual(
    found.flatMap(({ file, text }) => wrongIn(file, text).map((name) => `www/${file} imports ${name}`)),
    [],
  );
});

test("an import of the library's sources is refused, in whatever way it is written", () => {
  const wrong = [
    'import { a } from "../../js/ui/chat/context.js";',
    'import type { A } from "../../js/ui/chat/context.js";',
    'import "../../dist/index.js";',
    'export * from "../../js/entries/index.js";',
    'const a = () => import("../../js/ui/chat/context.js");',
    'let a: import("../../js/ui/chat/context.js").Chat;',
    'import "threadkeep/dist/index.js";',
    'import "some-package-that-nobody-installs";',
  ];
  for (const text of wrong) assert.equal(wrongIn("thread/chat.tsx", text).length, 1, text);
  assert.deepEqual(wrongIn("style.css", '@import "../js/ui/chat/styles/base.css";'), ["../js/ui/chat/styles/base.css"]);
  const right = 'import { a } from "../shell/dom.ts";\nimport "threadkeep/preact";\nimport "preact/hooks";';
  assert.deepEqual(wrongIn("thread/chat.tsx", right), []);
});
