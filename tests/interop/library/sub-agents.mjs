// Sub-agents and structured answers, on the way between the page and Python.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Conversation, memoryStore, taskTool } from "../../../dist/index.js";
import { eventsOf, open, say, scripted } from "../../support/chat.mjs";
import { exported, filesOf, packed, unpacked, write } from "../../support/files.mjs";

const hex = (id) => id.replaceAll("-", "");

export function subAgentsBothWays(sdk, place) {
  test("a conversation with sub-agents is continued at both levels in Python, and comes back", (t) =>
    sdk() ? tasksGoThereAndBack(t, sdk(), place) : t.skip("no SDK"));
  test("a structured answer is read on both sides", (t) => (sdk() ? answersGoThereAndBack(t, sdk(), place) : t.skip("no SDK")));
}

async function tasksGoThereAndBack(t, sdk, place) {
  const store = memoryStore();
  const task = (prompt, more) => ({ calls: [{ name: "task", arguments: { prompt, ...more } }] });
  const model = await scripted(t, [
    task("Count."),
    { text: "one" },
    { text: "It is one." },
    task("Go on.", { resume: "task_00000001" }),
    { text: "five" },
    { text: "It is five." },
  ]);
  const tools = [taskTool()];
  const first = await open(t, { model, store, tools });
  assert.equal((await say(first, "Have it counted.")).finalResponse, "It is one.");
  const child = Object.values(first.state.agent_state.subagent_tasks)[0].conversation;
  const directory = path.join(place, "sub-agents", hex(first.id));
  write(directory, unpacked(await exported(first)));
  await first.close();

  const nested = path.join(directory, "subagents", hex(child));
  for (const one of [directory, nested]) {
    const { ok, error, refused, kinds } = await sdk.check(one);
    assert.deepEqual([ok, error, refused ?? []], [true, undefined, []], one);
    assert.ok(kinds, one);
  }
  // The parent starts a sub-agent of its own in Python, whose reply is the second one.
  const resumed = await sdk.resume(directory, "From Python.", {
    in_place: true,
    calls: [
      ["task", { prompt: "Count further." }],
      ["finish", { message: "two" }],
    ],
  });
  assert.ok(resumed.ok, resumed.error);
  assert.match(
    resumed.request.messages.map(({ content }) => JSON.stringify(content)).join(),
    /Task ID: task_00000001[^]*one[^]*Task ID: task_00000001[^]*two/,
  );
  assert.equal(readdirSync(path.join(directory, "subagents")).length, 2);
  const inner = await sdk.resume(nested, "three", { in_place: true });
  assert.ok(inner.ok, inner.error);

  const [imported, ...others] = await Conversation.importZip(packed(first.id, filesOf(directory)), { store });
  assert.deepEqual([imported.id, imported.outcome, imported.warnings, others], [first.id, "continued", [], []]);
  const children = (await Conversation.list({ store, subagents: true })).filter(({ parentId }) => parentId === first.id);
  assert.equal(children.length, 2);
  assert.ok(children.some(({ id, eventCount }) => id === child && eventCount > 3));
  const second = await open(t, { model, store, tools, conversationId: first.id });
  await second.setConfirmationPolicy({ kind: "NeverConfirm" });
  const results = (await eventsOf(second)).filter(({ observation }) => observation?.kind === "TaskObservation");
  assert.deepEqual(
    results.map(({ observation: { task_id, status, content } }) => [task_id, status, content[0].text]),
    [
      ["task_00000001", "completed", "one"],
      ["task_00000001", "completed", "two"],
    ],
  );
  // Here the first task is still known, and its sub-agent has read what Python added.
  assert.equal((await say(second, "Go on counting.")).finalResponse, "It is five.");
  assert.match(JSON.stringify(model.requests.at(-2).body.messages), /Count\..*one.*three.*Go on\./);
}

async function answersGoThereAndBack(t, sdk, place) {
  const store = memoryStore();
  const finalAnswer = {
    type: "object",
    properties: { city: { type: "string" }, degrees: { type: "integer" } },
    required: ["city", "degrees"],
  };
  const finish = (args) => ({ calls: [{ name: "finish", arguments: args }] });
  const model = await scripted(t, [finish({ message: "Mild.", city: "Bern", degrees: 12 })]);
  const first = await open(t, { model, store, tools: [], agent: { finalAnswer } });
  await say(first, "What is the weather?");
  const directory = path.join(place, "final-answer", hex(first.id));
  write(directory, unpacked(await exported(first)));
  await first.close();
  const { ok, error } = await sdk.check(directory);
  assert.ok(ok, error);
  // The SDK's own agent has the tool with the schema: it refuses the first answer.
  const calls = [
    ["finish", { message: "Cold.", city: "Oslo", degrees: "cold" }],
    ["finish", { message: "Cold.", city: "Oslo", degrees: -3 }],
  ];
  const resumed = await sdk.resume(directory, "This is not asked for.", { in_place: true, calls });
  assert.ok(resumed.ok, resumed.error);
  assert.match(JSON.stringify(resumed.request.messages), /response_schema validation failed/);
  await Conversation.importZip(packed(first.id, filesOf(directory)), { store });
  const second = await open(t, { model, store, tools: [], agent: { finalAnswer }, conversationId: first.id });
  assert.deepEqual(await second.finalAnswer(), { city: "Oslo", degrees: -3 });
  assert.deepEqual(second.warnings, []);
}
