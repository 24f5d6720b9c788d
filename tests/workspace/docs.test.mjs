// The examples of docs/workspace.md are run, and its limits are those of the code.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import * as library from "../../dist/index.js";
import { fromSource } from "../support/bundled.mjs";
import { createModel } from "../support/model.mjs";
import { examplesIn, runExample } from "../support/documented.mjs";

const documentation = readFileSync(path.resolve(import.meta.dirname, "../../docs/workspace.md"), "utf8");
const examples = examplesIn(documentation);

test("the examples do what they say", async () => {
  assert.equal(examples.length, 9);
  const llm = new library.LLM({ model: "openai/m", fetch: createModel(() => ({ text: "Hello." })).fetch });
  const names = {
    ...library,
    agent: new library.Agent({ llm }),
    store: library.memoryStore(),
    elsewhere: library.memoryStore(),
    button: {},
    output: {},
  };
  const results =
    "conversation, plan, entries, size, message, attached, preview, scratch, shared, other, folder, custom, files, changed, paths, planThen, differences, versions, bytes, since, isComplete";
  const flat = readFileSync(path.resolve(import.meta.dirname, "../../examples/own-workspace/flat.js"), "utf8").replaceAll("export ", "");
  const code = examples.map((example) => example.replace(/^import .* from ".\/flat.js";\n/, `${flat}\n`));
  const found = await runExample(code.join("\n"), names, `{ ${results} }`);
  assert.equal(found.plan, "# Plan\n");
  assert.deepEqual(found.entries.map(({ path, type }) => [path, type]).sort(), [
    ["data.bin", "file"],
    ["notes", "directory"],
  ]);
  assert.equal(found.size, 3);
  const [, shown] = /```\n(Attached file: [^]*?)\n```/.exec(documentation);
  assert.equal(found.message.extended_content[0].text.trimEnd(), shown);
  assert.deepEqual(
    found.attached.map(({ path }) => path),
    ["attachments/report.csv"],
  );
  assert.deepEqual(found.preview, { form: "text", note: null });
  assert.deepEqual(
    (await found.other.workspace.list("")).map(({ path }) => path),
    ["README.md"],
  );
  assert.equal(found.shared.workingDir, "/workspace");
  // Node has neither a private file system nor folders.
  await assert.rejects(found.shared.list(""), { code: "store_unavailable" });
  await assert.rejects(names.button.onclick(), { code: "store_unavailable" });
  assert.deepEqual([...found.files.keys()], ["a.txt"]);
  await assert.rejects(found.custom.workspace.read("b.txt"), { code: "not_found" });
  assert.deepEqual(found.changed, ["written notes/todo.md", "removed data.bin"]);
  assert.equal(found.planThen, "# Plan\n");
  assert.deepEqual(found.differences, [{ path: "notes/plan.md", type: "changed" }]);
  assert.deepEqual([found.versions, found.bytes, found.since, found.isComplete], [2, 7, null, true]);
  assert.deepEqual(found.paths.sort(), ["notes/plan.md", "notes/todo.md"]);
});

test("the limits are those of the documentation", async () => {
  const { mostChangedBytes, mostExportedBytes, mostFileBytes, mostFiles } = await fromSource("workspace/limits.ts");
  const [, table] = /\n\| limit \| \|\n\|---\|---\|\n([^]*?)\n\n/.exec(documentation);
  const values = table.split("\n").map((row) => row.split("|")[2].trim());
  assert.deepEqual(values, [
    `${mostFileBytes >> 20} MiB`,
    mostFiles.toLocaleString("en"),
    `${mostChangedBytes >> 20} MiB`,
    `${mostChangedBytes >> 20} MiB`,
    `${mostExportedBytes >> 30} GiB`,
  ]);
});
