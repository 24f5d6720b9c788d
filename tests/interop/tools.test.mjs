// The tools on files here and those of the SDK, called in the same random sequences.
import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { cases } from "../tools/cases.mjs";
import { sequence } from "../tools/commands.mjs";
import { TestWorkspace, definitions, testFiles } from "../tools/place.mjs";
import { sdkForTests } from "./session.mjs";
import { sdkVersions } from "./setup.mjs";
import { isNewest, onlyFor } from "./versions.mjs";
import { amount } from "../support/explored.mjs";

const sequences = amount(100);
const tools = ["file_editor", "task_tracker", "grep", "glob", "apply_patch", "list_directory"];
const scratch = realpathSync(mkdtempSync(path.join(tmpdir(), "threadkeep-tools-")));
before(() => (process.env.TZ = "UTC"));
const sdk = sdkForTests();
after(() => rmSync(scratch, { recursive: true }));

/** The results of calls here, in the form of a stored observation. */
async function runHere({ root, files, calls }) {
  const workspace = new TestWorkspace(root, files);
  const more = testFiles();
  const tools = definitions({ workingDir: root, isTransactional: true });
  workspace.setTimes(0);
  const answers = [];
  for (const [index, [name, args]] of calls.entries()) {
    const { action, execute } = tools[name];
    const { content, isError = false, fields } = await execute(args, { workspace, files: more, signal: new AbortController().signal });
    const parts = typeof content === "string" ? [{ type: "text", text: content }] : content;
    answers.push({ action: action(args), observation: { content: parts, is_error: isError, ...fields } });
    workspace.setTimes(index + 1);
  }
  const tasks = more.contents.get("TASKS.json");
  return { answers, files: Object.fromEntries([...workspace.contents].sort()), tasks: tasks ? new TextDecoder().decode(tasks) : null };
}

/** Whether the SDK reads a file as what it is: text in UTF-8. Its guess is wrong for some texts, above all short ones. */
function isGuessedRight({ action, guess, guess_after }) {
  if (/\.(png|jpg|zip|gz)$/i.test(action?.path)) return true;
  return [guess, guess_after].every((each) => !each || (/^utf[-_]8([-_]sig)?$/i.test(each.encoding) && !each.binary));
}

/** The action and the observation in the form that both are compared in; only documented differences are removed. */
function comparable({ action, observation }, [tool, args]) {
  const { content, ...fields } = bare(observation);
  let texts = content.map(({ text, image_urls }) => text ?? image_urls.join());
  if (tool === "grep") texts = texts.map((text) => text.replace(/^(The pattern is no regular expression of Python): .*/s, "$1"));
  // If several files are missing, Python names any of them.
  if (tool === "apply_patch") texts = texts.map((text) => text.replace(/^(There is no file ).*/, "$1"));
  // 1.58.0 numbers other lines: see docs/differences.md.
  if (tool === "file_editor" && isNewest)
    texts = texts.map((text) => text.replace(/((?:^|\n)(?:The lines of|Edited|Undid) [^\n]*:\n)[^]*/, "$1"));
  if (tool === "list_directory") {
    // The times of directories, and the order in which their contents are listed, are those of a file system.
    fields.entries = fields.entries.map((entry) => (entry.is_directory ? { ...entry, modified_time: null } : entry));
    if (args.recursive) {
      fields.entries.sort((one, other) => (one.path < other.path ? -1 : 1));
      const isClipped = texts[0].includes("\n[The middle is left out here");
      texts = [isClipped ? texts[0].split("\n")[0] : texts[0].split("\n").sort().join("\n")];
    }
  }
  return { action: bare(action), texts, names: Object.keys(fields).join(" "), ...fields };
}

function bare({ kind, ...fields }) {
  return fields;
}

/** Makes the calls in Python and here, and compares every result and the files at the end. */
async function compare(runs) {
  const encoded = (files) =>
    Object.fromEntries(Object.entries(files).map(([name, content]) => [name, Buffer.from(content).toString("base64")]));
  const answer = await sdk().ask({
    command: "tools",
    sequences: runs.map(({ root, home, files, calls }) => ({ root, home, calls, files: encoded(files) })),
  });
  assert.ok(answer.ok, answer.error);
  const counts = { compared: 0, cut: 0, succeeded: {} };
  for (const [index, run] of runs.entries()) {
    const here = await runHere(run);
    const there = answer.runs[index];
    const end = there.answers.findIndex((each) => !isGuessedRight(each));
    for (const [step, theirs] of there.answers.slice(0, end < 0 ? undefined : end).entries()) {
      const [call, ours] = [run.calls[step], here.answers[step]];
      const place = `${run.name}, call ${step}: ${JSON.stringify(call).slice(0, 500)}`;
      if (theirs.raised) assert.ok(ours.observation.is_error, `${place}: ${theirs.raised}`);
      else assert.deepEqual(comparable(ours, call), comparable(theirs, call), place);
      counts.compared += 1;
      if (!ours.observation.is_error) counts.succeeded[call[0]] = (counts.succeeded[call[0]] ?? 0) + 1;
    }
    if (end >= 0) counts.cut += 1;
    else {
      assert.deepEqual(encoded(here.files), there.files, `files of ${run.name}`);
      assert.equal(here.tasks, there.tasks, run.name);
    }
  }
  return counts;
}

const placed = (folder) => ({ root: path.join(scratch, folder, "workspace"), home: path.join(scratch, folder, "home") });

for (const tool of tools) {
  test(`${tool}: ${sequences} random sequences of calls have the same results`, async (t) => {
    if (!sdk()) return t.diagnostic("no SDK to ask");
    const runs = Array.from({ length: sequences }, (_, seed) => {
      const place = placed(`${tool}-${seed}`);
      return { name: `sequence ${seed}`, ...place, ...sequence(seed, place.root, tool) };
    });
    const { compared, succeeded, cut } = await compare(runs);
    t.diagnostic(
      `${compared} calls compared, ${succeeded[tool]} of ${tool} without an error; ${cut} sequences ended early, at a text whose encoding the SDK guesses wrong`,
    );
    assert.ok(cut <= sequences * 0.25, `${cut} sequences ended early`);
  });
}

test("limits, rare content and inexact patches have the same results", async (t) => {
  if (!sdk()) return t.diagnostic("no SDK to ask");
  const runs = cases("/")
    .map(({ name }) => {
      const place = placed(name);
      return { ...place, ...cases(place.root).find((one) => one.name === name) };
    })
    .filter(({ isChangedLater }) => !(isChangedLater && isNewest));
  const { compared, cut } = await compare(runs);
  t.diagnostic(`${compared} calls compared, ${cut} of ${runs.length} sequences ended early`);
});

test("the parameters of the tools are those of the SDK", async (t) => {
  if (!sdk()) return t.diagnostic("no SDK to ask");
  const { schemas } = await sdk().ask({ command: "tools", sequences: [] });
  const here = definitions({ workingDir: "/workspace", isTransactional: true });
  const plain = (schema) =>
    JSON.parse(JSON.stringify(schema, (name, value) => (name === "description" && typeof value === "string" ? undefined : value)));
  for (const [name, schema] of Object.entries(schemas)) {
    const expected = plain(schema);
    // Python refuses a negative number without saying so in the schema.
    if (name === "file_editor") expected.properties.insert_line.minimum = 0;
    assert.deepEqual(plain(here[name].parameters), expected, name);
  }
});

const needsAllCases = onlyFor(sdkVersions[0], "other versions do not get every case");

test("each sentence that stands in the place of the SDK's was needed", needsAllCases, async (t) => {
  if (!sdk()) return t.diagnostic("no SDK to ask");
  const { unused } = await sdk().ask({ command: "tools", sequences: [] });
  assert.deepEqual(unused, []);
});
