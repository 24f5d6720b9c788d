// The packed package outside of pages: Node, Bun and Deno, and test runners.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { before, test } from "node:test";
import { root } from "../../scripts/process.mjs";
import { notChecked } from "../../scripts/testing/perform.mjs";
import { converse } from "./conversations.mjs";
import { installedPackage, run } from "./installed.mjs";
import { binary, script } from "./tools.mjs";

let installed;
before(async () => (installed = await installedPackage()));

const runtimes = [
  { name: `Node ${process.version}`, program: process.execPath, args: [] },
  { name: "Node 22", program: binary("node22"), args: [] },
  { name: "Bun", program: binary("bun"), args: ["run"] },
  { name: "Deno", program: binary("deno"), args: ["run", "--allow-all", "--no-lock"] },
];
for (const { name, program, args } of runtimes) {
  test(name, async () => {
    if (!program) return console.log(`${notChecked}${name}: there is no package with it for this platform`);
    const project = installed.project(name.replace(/\W+/g, "-"), { template: "node" });
    await converse(name, async (baseUrl) => JSON.parse(await run(program, [...args, "main.mjs", baseUrl], project)).answer);
  });
}

test("the suite for stores of one's own finds a broken one out", async () => {
  const project = installed.project("store");
  const main = [
    'import { checkStore } from "threadkeep/testing";',
    'const broken = new Proxy({}, { get: (_, name) => (name === "then" ? undefined : async () => { throw new Error(`${String(name)} is broken`); }) });',
    "const reports = await checkStore(() => broken);",
    "console.log(JSON.stringify({ cases: reports.length, failed: reports.filter((report) => report.failure).length }));",
  ];
  writeFileSync(path.join(project, "main.mjs"), main.join("\n"));
  const { cases, failed } = JSON.parse(await run(process.execPath, ["main.mjs"], project));
  assert.ok(cases > 10);
  assert.equal(failed, cases);
});

/** The tests of the documentation, which are for vitest. */
function documentedTests() {
  const blocks = [...readFileSync(path.join(root, "docs/testing.md"), "utf8").matchAll(/```js\n([^]*?)```/g)].map(([, code]) => code);
  return blocks.filter((code) => code.includes('from "vitest"'));
}

test("vitest, with the tests of docs/testing.md", async () => {
  const project = installed.project("vitest");
  const tests = documentedTests();
  assert.ok(tests.length > 0);
  for (const [i, code] of tests.entries()) writeFileSync(path.join(project, `documented-${i}.test.js`), code);
  const printed = await run(process.execPath, [script("vitest/vitest.mjs"), "run", "--root", project, "--reporter=json"], project);
  const { success, numPassedTests } = JSON.parse(printed);
  assert.ok(success && numPassedTests >= tests.length, printed);
});

test("jest, with the same tests", async () => {
  const project = installed.project("jest");
  for (const [i, code] of documentedTests().entries())
    writeFileSync(path.join(project, `documented-${i}.test.js`), code.replace('from "vitest"', 'from "@jest/globals"'));
  const args = ["--experimental-vm-modules", "--no-warnings", script("jest/bin/jest.js"), "--rootDir", project, "--transform={}", "--json"];
  const printed = await run(process.execPath, args, project);
  const { success, numPassedTests } = JSON.parse(printed);
  assert.ok(success && numPassedTests > 0, printed);
});
