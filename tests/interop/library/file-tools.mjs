// Conversations with the tools on files go from here to Python and back: logs, task list and files.
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { Conversation, applyPatch, fileEditor, glob, grep, listDirectory, memoryStore, taskTracker } from "../../../dist/index.js";
import { fixtures } from "../conversations.mjs";
import { eventsOf, open, say, scripted } from "../../support/chat.mjs";
import { exported, filesOf, packed, unpacked, write } from "../../support/files.mjs";
import { conversations } from "./imported.mjs";
import { endOf } from "../../support/ended.mjs";

const tools = () => [fileEditor(), taskTracker(), grep(), glob(), listDirectory(), applyPatch()];
const kinds = ["FileEditor", "TaskTracker", "Grep", "Glob", "ListDirectory", "ApplyPatch"];

export function fileToolsBothWays(sdk, place) {
  test("tools on files go on in Python with the same files, and come back", (t) => goThereAndBack(t, sdk(), place));
  for (const scenario of ["tools", "file-editor", "file-tools"]) {
    test(`${scenario} from Python goes on here with the same tools`, (t) => comesFromPython(t, scenario));
  }
}

/** The observations of the last answers, and their texts. */
async function observed(conversation, count) {
  const events = (await eventsOf(conversation)).filter(({ kind }) => kind === "ObservationEvent");
  return events.slice(-count).map(({ observation }) => observation);
}

const texts = (observations) => observations.map(({ content }) => content.map(({ text }) => text).join(""));

async function goThereAndBack(t, sdk, place) {
  const patch = "*** Begin Patch\n*** Update File: plan.md\n@@\n-- row\n+- sail\n*** Add File: src/boat.py\n+print('boat')\n*** End Patch";
  const plan = [
    { title: "Find a boat", status: "done" },
    { title: "Säil", notes: "⛵" },
  ];
  const calls = [
    ["file_editor", { command: "create", path: "/workspace/plan.md", file_text: "# Plan\n\n- row\n" }],
    ["task_tracker", { command: "plan", task_list: plan }],
    ["apply_patch", { patch }],
    ["file_editor", { command: "str_replace", path: "/workspace/plan.md", old_str: "# Plan", new_str: "# The plan" }],
    ["grep", { pattern: "sail" }],
    ["glob", { pattern: "**/*.py" }],
    ["list_directory", {}],
    ["file_editor", { command: "view", path: "/workspace/missing" }],
  ];
  const store = memoryStore();
  const script = [{ calls: calls.map(([name, args]) => ({ name, arguments: args })) }, { text: "Done." }];
  const model = await scripted(t, () => script.shift());
  const first = await open(t, { model, store, tools: tools() });
  assert.deepEqual(endOf(await say(first, "Make a plan.")), { status: "finished", finalResponse: "Done." });
  const observations = await observed(first, calls.length);
  assert.deepEqual([...new Set(observations.map(({ kind }) => kind))].sort(), kinds.map((kind) => `${kind}Observation`).sort());
  assert.deepEqual(
    observations.map(({ is_error }) => is_error),
    [...Array(7).fill(false), true],
  );
  assert.deepEqual(texts(observations)[4].split("\n")[1], "/workspace/plan.md");
  assert.deepEqual(
    first.state.agent.tools.map(({ name }) => name),
    tools().map(({ name }) => name),
  );

  // Without the files of the workspace, what they were before is not exported either.
  const without = [...unpacked(await exported(first)).keys()].filter((name) => !name.startsWith("events/"));
  assert.deepEqual(without.sort(), ["TASKS.json", "base_state.json"]);
  const files = unpacked(await exported(first, { workspace: true }));
  assert.equal(String(files.get("workspace/src/boat.py")), "print('boat')");
  assert.ok(["workspace/plan.md", "workspace/src/boat.py", "file_versions/current"].every((name) => files.has(name)));
  await first.close();
  if (!sdk) return t.diagnostic("no SDK to ask");
  const directory = path.join(place, "file-tools", first.id.replaceAll("-", ""));
  write(directory, files);
  const there = await sdk.resume(directory, "Read in Python.", {
    in_place: true,
    calls: [
      ["task_tracker", {}],
      ["file_editor", { command: "view", path: "{workspace}/plan.md" }],
      ["grep", { pattern: "boat" }],
      ["apply_patch", { patch: patch.replace("- row", "- sail").replace("+- sail", "+- swim").replace("src/boat.py", "src/fish.py") }],
    ],
  });
  assert.ok(there.ok, there.error);
  assert.equal(there.results[0], "# Task List\n\n1. ✅ Find a boat\n\n2. ⏳ Säil\n   ⛵");
  assert.match(there.results[1], /\n {5}1\t# The plan\n {5}2\t\n {5}3\t- sail\n/);
  assert.match(there.results[2], /\{workspace\}\/src\/boat\.py/);
  assert.equal(there.results[3], "Done!");
  assert.equal(there.files["plan.md"], "# The plan\n\n- swim\n");

  const [{ id, outcome, warnings }] = await Conversation.importZip(packed(first.id, filesOf(directory)), { store });
  assert.deepEqual([outcome, warnings], ["continued", []]);
  const second = await open(t, { model, store, conversationId: id, tools: tools() });
  const read = await observed(second, 4);
  assert.deepEqual(
    read.map(({ kind }) => kind),
    ["TaskTrackerObservation", "FileEditorObservation", "GrepObservation", "ApplyPatchObservation"],
  );
  // Python has left alone what the files were at earlier events.
  const message = (await second.events.slice()).find(({ kind, source }) => kind === "MessageEvent" && source === "user");
  const then = await (await second.workspace.at(message.id)).list("");
  assert.deepEqual(
    then.map(({ path }) => path),
    ["src"],
  );
  assert.equal((await second.workspace.history()).isComplete, true);
  // The files are where Python had them last.
  assert.equal(second.workspace.workingDir, path.join(directory, "workspace"));
  script.push(
    {
      calls: [
        { name: "task_tracker", arguments: {} },
        { name: "file_editor", arguments: { command: "undo_edit", path: path.join(directory, "workspace/plan.md") } },
      ],
    },
    { text: "As it was." },
  );
  assert.deepEqual(endOf(await say(second, "Undo it.")), { status: "finished", finalResponse: "As it was." });
  const [list, undone] = await observed(second, 2);
  assert.deepEqual(list.task_list, [
    { title: "Find a boat", notes: "", status: "done" },
    { title: "Säil", notes: "⛵", status: "todo" },
  ]);
  assert.equal(undone.new_content, "# Plan\n\n- sail\n");
  model.check();
}

async function comesFromPython(t, scenario) {
  const entry = conversations.find((one) => one.scenario === scenario);
  const store = memoryStore();
  const [{ id }] = await Conversation.importZip(packed(entry.id, filesOf(path.join(fixtures, entry.directory))), { store });
  const directory = JSON.parse(filesOf(path.join(fixtures, entry.directory)).get("base_state.json")).workspace.working_dir;
  const calls = [
    ["file_editor", { command: "create", path: `${directory}/here.txt`, file_text: "here\n" }],
    ["grep", { pattern: "HERE" }],
    ["task_tracker", {}],
  ];
  const model = await scripted(t, [{ calls: calls.map(([name, args]) => ({ name, arguments: args })) }, { text: "Done." }]);
  const conversation = await open(t, { model, store, conversationId: id, tools: tools() });
  assert.equal(conversation.workspace.workingDir, directory);
  if (conversation.state.execution_status === "waiting_for_confirmation") await conversation.rejectPendingActions("Later.");
  assert.deepEqual(endOf(await say(conversation, "Go on.")), { status: "finished", finalResponse: "Done." });
  const [created, found, tasks] = await observed(conversation, calls.length);
  assert.deepEqual(created, {
    content: [{ cache_prompt: false, type: "text", text: `Created ${directory}/here.txt.` }],
    is_error: false,
    command: "create",
    path: `${directory}/here.txt`,
    prev_exist: false,
    new_content: "here\n",
    kind: "FileEditorObservation",
  });
  assert.deepEqual(found.matches, [`${directory}/here.txt`]);
  assert.equal(tasks.kind, "TaskTrackerObservation");
}
