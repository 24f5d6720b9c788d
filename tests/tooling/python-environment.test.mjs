// Pythons for tests, which have in common what all their files of requirements name.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { ofTheSdk, parted } from "../support/python-environment.mjs";

test("what files of requirements share is their names, versions and hashes, and their options are in both parts", (context) => {
  const folder = mkdtempSync(path.join(tmpdir(), "threadkeep-requirements-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const fileOf = (name, ...entries) => {
    const file = path.join(folder, name);
    writeFileSync(file, `${["--only-binary :all:", "", ...entries].join("\n")}\n`);
    return file;
  };
  const [same, hashed, others] = ["same==1 \\\n    --hash=a \\\n    --hash=b", "hashed==1 \\\n    --hash=a", "hashed==1 \\\n    --hash=b"];
  const [one, two] = [fileOf("one.txt", same, hashed, "mine==1"), fileOf("two.txt", "yours==2", same, others)];
  const entries = (text) => text.split(/\n+(?=\S)/).map((entry) => entry.trimEnd());
  const { common, own } = parted(one, [one, two]);
  assert.deepEqual(entries(common), ["--only-binary :all:", same]);
  assert.deepEqual(entries(own), ["--only-binary :all:", hashed, "mine==1"]);
  assert.deepEqual([parted(one, []).common, entries(parted(one, []).own)], [undefined, entries(readFileSync(one, "utf8"))]);
});

test("the Pythons with the SDK share one part, and each package is in one part of each", () => {
  const packages = (text) => text.match(/^[a-z0-9]\S*==\S+/gim);
  const parts = ofTheSdk.map((file) => ({ file, ...parted(file, ofTheSdk) }));
  for (const { file, common, own } of parts) {
    assert.equal(common, parts[0].common, file);
    assert.deepEqual([...packages(common), ...packages(own)].sort(), packages(readFileSync(file, "utf8")).sort(), file);
  }
});
