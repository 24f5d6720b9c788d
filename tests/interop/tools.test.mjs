// The tools on files here and those of the SDK, called in the same random sequences.
import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { sequence } from "../tools/commands.mjs";
import { TestWorkspace, definitions, testFiles } from "../tools/place.mjs";
import { openSdk } from "./session.mjs";
import { isNewest } from "./versions.mjs";

const sequences = Number(process.env.THREADKEEP_TOOL_SEQUENCES ?? 200);
const tools = ["file_editor", "task_tracker", "grep", "glob", "apply_patch", "list_directory"];
const scratch = realpathSync(mkdtempSync(path.join(tmpdir(), "threadkeep-tools-")));
let sdk;

before(async () => {
  process.env.TZ = "UTC";
  sdk = await openSdk();
}, { timeout: 900_000 });
after(() => {
  rmSync(scratch, { recursive: true });
  return sdk?.close();
});

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
  return { answers, files: Object.fromEntries(workspace.contents), tasks: tasks ? new TextDecoder().decode(tasks) : null };
}

/** Whether the SDK reads a file as what it is: text in UTF-8. Its guess is wrong for some texts, above all short ones. */
function isGuessedRight({ guess, guess_after }) {
  return [guess, guess_after].every((each) => !each || (/^utf[-_]8$/i.test(each.encoding) && !each.binary));
}

/** Text of an error that names a temporary file in Python. */
function withoutTemporaryNames(text) {
  return text.replace(/'([^']*)\/\.[^/']*\.tmp'/g, "'$1'");
}

/** The action and the observation in the form that both are compared in; only documented differences are removed. */
function comparable({ action, observation, raised }, [tool, args]) {
  if (raised) return { action: bare(action), isError: true };
  const { content, ...fields } = bare(observation);
  let texts = content.map(({ text, image_urls }) => text ?? image_urls);
  if (tool === "grep" && /^Invalid regex pattern: /.test(texts[0])) texts = ["Invalid regex pattern"];
  // If several files are missing, Python names any of them.
  if (tool === "apply_patch") texts = texts.map((text) => text.replace(/^(Delete File Error: Missing File: ).*/, "$1"));
  if (tool === "file_editor") texts = texts.map(withoutTemporaryNames);
  if (tool === "file_editor" && isNewest) texts = texts.map((text) => text.replace(/Here's the result of running [^]*/, ""));
  if (tool === "list_directory") {
    // The times of directories, and the order in which their contents are listed, are those of a file system.
    fields.entries = fields.entries.map((entry) => (entry.is_directory ? { ...entry, modified_time: null } : entry));
    if (args.recursive) fields.entries.sort((one, other) => (one.path < other.path ? -1 : 1));
  }
  return { action: bare(action), texts, names: Object.keys(fields).join(" "), ...fields };
}

function bare({ kind, ...fields }) {
  return fields;
}

for (const tool of tools) {
  test(`${tool}: ${sequences} random sequences of calls have the same results`, async (t) => {
    if (!sdk) return t.diagnostic("no SDK to ask");
    const all = Array.from({ length: sequences }, (_, seed) => {
      const root = path.join(scratch, tool, String(seed), "workspace");
      return { seed, root, home: path.join(scratch, tool, String(seed), "home"), ...sequence(seed, root, tool) };
    });
    const asked = all.map(({ root, home, files, calls }) => ({ root, home, calls, files: Object.fromEntries(Object.entries(files).map(([name, content]) => [name, Buffer.from(content).toString("base64")])) }));
    const { ok, error, runs } = await sdk.ask({ command: "tools", sequences: asked });
    assert.ok(ok, error);
    let [compared, cut] = [0, 0];
    for (const [index, run] of all.entries()) {
      const here = await runHere(run);
      const there = runs[index];
      let isCut = false;
      for (const [step, answer] of there.answers.entries()) {
        if (!isGuessedRight(answer)) {
          isCut = true;
          break;
        }
        const call = run.calls[step];
        const [ours, theirs] = [comparable(here.answers[step], call), comparable(answer, call)];
        if (theirs.isError) assert.ok(here.answers[step].observation.is_error, `${run.seed}/${step}: ${answer.raised}`);
        else assert.deepEqual(ours, theirs, `sequence ${run.seed}, call ${step}: ${JSON.stringify(call)}`);
        compared += 1;
      }
      if (isCut) cut += 1;
      else {
        const text = (contents, of) => Object.fromEntries(Object.entries(contents).map(([name, content]) => [name, of(content)]).sort());
        assert.deepEqual(text(here.files, (content) => Buffer.from(content).toString()), text(there.files, (content) => Buffer.from(content, "base64").toString()), `files of sequence ${run.seed}`);
        assert.equal(here.tasks, there.tasks);
      }
    }
    t.diagnostic(`${compared} calls compared; ${cut} of ${sequences} sequences ended early, at a text whose encoding the SDK guesses wrong`);
    assert.ok(cut <= sequences * (tool === "file_editor" ? 0.4 : 0.2), `${cut} sequences ended early`);
  });
}
