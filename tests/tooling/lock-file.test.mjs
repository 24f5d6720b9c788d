// `npm ci` refuses a lock file without the packages of other systems, and so does a newcomer on one of them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/process.mjs";

/** Whether a package at `place` of node_modules finds `name`, beside itself or in a folder above. */
function isFound(packages, place, name) {
  for (let folder = place; ; folder = folder.slice(0, Math.max(folder.lastIndexOf("/node_modules/"), 0))) {
    if (packages[`${folder}${folder && "/"}node_modules/${name}`]) return true;
    if (!folder) return false;
  }
}

test("package-lock.json holds each package that a locked one names, for every system", () => {
  const { packages } = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8"));
  const missing = Object.entries(packages).flatMap(([place, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !isFound(packages, place, name))
      .map((name) => `${place} needs ${name}`),
  );
  assert.deepEqual(missing, []);
});
