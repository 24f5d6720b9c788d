// The program of docs/format.md, run as it stands for a conversation with each tool of the library.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import {
  LLM,
  applyPatch,
  fetchTool,
  fileEditor,
  glob,
  grep,
  inspectImage,
  listDirectory,
  memoryStore,
  switchLLM,
  taskTool,
  taskTracker,
  terminal,
} from "../../dist/index.js";
import { root } from "../../scripts/process.mjs";
import { add, open, say, scripted } from "../support/chat.mjs";
import { exported, unpacked } from "../support/files.mjs";
import { python } from "./setup.mjs";

const call = (name, args, more = {}) => ({
  tools: [more.tool],
  replies: [{ calls: [{ name, arguments: args }] }, ...(more.replies ?? [])],
});
/** The model of the case that is played. */
let answering;
const other = new LLM({ model: "openai/gpt-4o-mini", usageId: "other", fetch: (...request) => answering.fetch(...request) });

/** By name, an agent with the tool and the answers of its model, which calls it. */
const cases = {
  file_editor: call("file_editor", { command: "create", path: "/workspace/a.txt", file_text: "a\n" }, { tool: fileEditor() }),
  task_tracker: call("task_tracker", { command: "plan", task_list: [{ title: "Tidy", status: "todo" }] }, { tool: taskTracker() }),
  grep: call("grep", { pattern: "a" }, { tool: grep() }),
  glob: call("glob", { pattern: "*.txt" }, { tool: glob() }),
  list_directory: call("list_directory", { dir_path: "/workspace" }, { tool: listDirectory() }),
  apply_patch: call("apply_patch", { patch: "*** Begin Patch\n*** Add File: b.txt\n+b\n*** End Patch" }, { tool: applyPatch() }),
  terminal: call("terminal", { command: "echo a" }, { tool: terminal() }),
  fetch: call(
    "fetch",
    { url: "https://pages.test/" },
    {
      tool: fetchTool({
        allow: ["https://pages.test"],
        fetch: async () => new Response("A page.", { headers: { "content-type": "text/plain" } }),
      }),
    },
  ),
  inspect_image_with_vision: call(
    "inspect_image_with_vision",
    { image_index: 0, question: "What is it?" },
    { tool: inspectImage({ llm: other }) },
  ),
  switch_llm: call("switch_llm", { profile_name: "other", reason: "It is enough." }, { tool: switchLLM({ profiles: { other } }) }),
  task: call("task", { prompt: "Count." }, { tool: taskTool(), replies: [{ text: "One." }] }),
  "a tool of the page": call("add", { a: 1, b: 2 }, { tool: add }),
  "a structured answer": {
    tools: [],
    agent: { finalAnswer: { type: "object", properties: { city: { type: "string" } }, required: ["city"] } },
    replies: [{ calls: [{ name: "finish", arguments: { message: "It is Bern.", city: "Bern" } }] }],
  },
};
const page = readFileSync(path.join(root, "docs/format.md"), "utf8");
const [program] = [...page.matchAll(/^```python\n(.*?)^```$/gms)].map(([, code]) => code);
const place = mkdtempSync(path.join(os.tmpdir(), "threadkeep-python-page-"));
let launcher;

before(async () => {
  launcher = await python();
  if (!launcher.argv && process.env.CI) throw new Error(launcher.reason);
});
after(() => rmSync(place, { recursive: true, force: true }));

test("every tool of the library is tried", () => {
  const tools = readFileSync(path.join(root, "docs/tools.md"), "utf8");
  const names = [...tools.matchAll(/^## `(.*)`$/gm)].map(([, name]) => name);
  assert.deepEqual(
    names.filter((name) => !(name in cases)),
    [],
  );
});

// One process for all conversations: importing the SDK takes seconds. The program is complete for each of them.
const runner = `
import json, os, sys, traceback
program, *places = json.load(sys.stdin)
for place in places:
    os.chdir(place)
    try:
        exec(compile(program, "format.md", "exec"), {"__name__": "__main__"})
        error = None
    except BaseException:
        error = traceback.format_exc()
    with open("result.json", "w") as file:
        json.dump(error, file)
`;

test("format.md: a conversation with any tool of the library goes on in Python", async (t) => {
  if (!launcher.argv) return t.skip(launcher.reason);
  for (const [name, { tools, agent, replies }] of Object.entries(cases)) {
    const model = await scripted(t, [...replies, { text: "Done." }, { text: "Done." }]);
    answering = model;
    const conversation = await open(t, { model, store: memoryStore(), tools, agent });
    const { status } = await say(conversation, "Please do it.");
    assert.equal(status, "finished", name);
    const folder = path.join(place, name, "workspace/conversations", conversation.id.replaceAll("-", ""));
    for (const [file, content] of unpacked(await exported(conversation))) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), content);
    }
  }
  // What the SDK asks is its own affair.
  const model = await scripted(t, () => ({ text: "I carried on." }), { checks: false });
  const env = { ...launcher.env, OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: model.baseUrl, OPENAI_API_BASE: model.baseUrl };
  const child = spawn(launcher.argv[0], [...launcher.argv.slice(1), "-c", runner], { env });
  child.stdin.end(JSON.stringify([program, ...Object.keys(cases).map((name) => path.join(place, name))]));
  const [, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  for (const name of Object.keys(cases)) {
    await t.test(name, () => {
      const result = path.join(place, name, "result.json");
      assert.equal(JSON.parse(readFileSync(result, "utf8")), null, errors.slice(-2000));
      const folder = path.join(place, name, "workspace/conversations");
      const [id] = readdirSync(folder);
      const { execution_status } = JSON.parse(readFileSync(path.join(folder, id, "base_state.json"), "utf8"));
      const events = readdirSync(path.join(folder, id, "events"))
        .filter((file) => file.endsWith(".json"))
        .sort();
      const last = readFileSync(path.join(folder, id, "events", events.at(-1)), "utf8");
      assert.deepEqual([execution_status, /I carried on\./.test(last)], ["finished", true], last);
    });
  }
});
