// The app of docs/get-started.md, built by Vite from the packed package: how many files a server gets, and how large they are together.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { before, test } from "node:test";
import { wasms } from "../../scripts/wasms.mjs";
import { blocks } from "../support/documented.mjs";
import { installedPackage } from "./installed.mjs";

/** Bytes by the names of the files. */
let built;
before(async () => {
  const [element, main] = blocks("docs/get-started.md");
  const project = (await installedPackage()).project("ten-minutes");
  mkdirSync(path.join(project, "src"));
  writeFileSync(path.join(project, "src/main.js"), main);
  writeFileSync(path.join(project, "index.html"), `<!doctype html>\n${element}<script type="module" src="/src/main.js"></script>\n`);
  const { build } = await import("vite");
  await build({ root: project, configFile: false, logLevel: "error" });
  const dist = path.join(project, "dist");
  const files = readdirSync(dist, { recursive: true }).filter((name) => statSync(path.join(dist, name)).isFile());
  built = new Map(files.map((name) => [name, statSync(path.join(dist, name)).size]));
});

const names = () => [...built.keys()];

test("each wasm is there once, and no copy of it inside JavaScript", () => {
  assert.equal(names().filter((name) => name.endsWith(".wasm")).length, wasms.length);
  assert.deepEqual(
    names().filter((name) => name.includes("-inline")),
    [],
  );
});

test("it has few files: those of functions that it does not use are left out", () => {
  assert.ok(names().length <= 28, names().join("\n"));
  assert.deepEqual(
    names().filter((name) => /\/(mirror|search|stores|terminal|tools)-(?!worker)/.test(name)),
    [],
  );
});
