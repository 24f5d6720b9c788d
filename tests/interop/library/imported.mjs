// Every conversation that the SDK wrote for the fixtures: it comes in, is shown, leaves as it came, and is carried on here and there.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Conversation, memoryStore } from "../../../dist/index.js";
import { fixtures } from "../conversations.mjs";
import { eventsOf, open, scripted } from "../../support/chat.mjs";
import { eventsAmong, exported, filesOf, membersOf, packed, unpacked } from "../../support/files.mjs";
import { endOf } from "../../support/ended.mjs";

export const { conversations } = JSON.parse(readFileSync(path.join(fixtures, "index.json"), "utf8"));

/** Damage that an import refuses: a file of another conversation may be a mistake. */
export const refused = { "other-id": "archive_invalid" };
/** Damage that is mended: the SDK opens none of these, or loses something. */
const mended = new Set(["gap", "torn-event", "empty-event", "torn-state", "torn-tail", "dangling-head"]);
/** Settings that change with every conversation that is carried on, or that are the host's. */
const ownSettings = new Set([
  "agent",
  "execution_status",
  "last_user_message_id",
  "leaf_event_id",
  "head_is_empty",
  "stats",
  "persistence_dir",
]);

/** Tests of each; `sdk()` is the session or null, `place` a directory for what the SDK is to read. */
export function importedConversations(sdk, place) {
  for (const entry of conversations) {
    const name = `${entry.scenario} ${entry.id}`;
    if (entry.scenario in refused) test(`${name} is refused and leaves nothing behind`, () => isRefused(entry));
    else {
      test(`${name} leaves as it came`, (t) => leavesAsItCame(t, entry, sdk, place));
      test(`${name} is carried on here and by the SDK`, (t) => isCarriedOn(t, entry, sdk, place));
    }
  }
  test("fields that no SDK knows stay in place", (t) => keepsWhatNobodyKnows(t, sdk, place));
}

/** A later version of the SDK, or a host, may have more to say. */
async function keepsWhatNobodyKnows(t, sdk, place) {
  const entry = conversations.find(({ scenario }) => scenario === "every-setting");
  const files = filesOf(path.join(fixtures, entry.directory));
  const strange = '"later":{"n":[1.50,1E2,-0.0,null],"s":"\\u00e9\\/"}';
  const state = String(files.get("base_state.json"));
  files.set("base_state.json", state.replace('"agent":{"llm":{', `${strange},"agent":{${strange},"llm":{${strange},`));
  files.set("notes/from a host.txt", Buffer.from([0, 255, 10]));
  const model = await scripted(t, [{ text: "Carried on." }]);
  const store = memoryStore();
  const [{ id }] = await Conversation.importZip(packed(entry.id, files), { store });
  const conversation = await open(t, { model, store, conversationId: id });
  await goOn(conversation, "Go on.");
  const zip = await exported(conversation);
  const after = unpacked(zip);
  keepsPythonsSettings(files.get("base_state.json"), after.get("base_state.json"));
  assert.ok(String(after.get("base_state.json")).includes(`"llm":{${strange},`));
  assert.deepEqual(after.get("notes/from a host.txt"), files.get("notes/from a host.txt"));
  await t.test("the SDK opens it all the same", { skip: !sdk() && "no SDK" }, async () => {
    const answer = await sdk().check(write(place, entry, zip));
    assert.deepEqual([answer.ok, answer.base_state_lost], [true, ["later", "agent.later", "agent.llm.later"]]);
  });
}

async function isRefused(entry) {
  const store = memoryStore();
  await assert.rejects(Conversation.importZip(zipOf(entry), { store }), { code: refused[entry.scenario] });
  assert.deepEqual(await Conversation.list({ store }), []);
}

async function leavesAsItCame(t, entry, sdk, place) {
  const before = filesOf(path.join(fixtures, entry.directory));
  const { conversation, store } = await imported(t, entry, await scripted(t, []));
  const [info] = await Conversation.list({ store });
  assert.equal(info.id, conversation.id);
  assert.equal(info.eventCount, conversation.events.length);
  assert.equal(conversation.access, "writer");

  const wasRunning = entry.execution_status === "running";
  const zip = await exported(conversation);
  const after = unpacked(zip);
  const kept = new Map([...after].filter(([name]) => !name.startsWith("quarantine/")));
  if (!mended.has(entry.scenario)) {
    assert.deepEqual(
      [...after.keys()].filter((name) => name.startsWith("quarantine/")),
      [],
    );
    keepsFiles(before, kept, entry.id);
    const files = [...kept.keys()].filter((name) => !before.has(name));
    assert.ok(wasRunning ? files.every((name) => name.startsWith("events/")) : files.length === 0, files.join());
  }
  const events = [...eventsAmong(kept).values()];
  assert.deepEqual(
    await eventsOf(conversation),
    events.map((text) => JSON.parse(text)),
  );
  if (!mended.has(entry.scenario) && !wasRunning) {
    assert.equal(String(after.get("base_state.json")), portable(String(before.get("base_state.json")), entry.id));
    assert.deepEqual(conversation.state, JSON.parse(before.get("base_state.json")));
    assert.equal(info.executionStatus, entry.execution_status);
    assert.deepEqual(
      (await conversation.pendingActions()).map(({ id }) => id),
      entry.unmatched_actions,
    );
  }
  reportsWhatCannotRun(conversation);

  await t.test("the SDK reads it with the same meaning", { skip: !sdk() && "no SDK" }, async () => {
    const answer = await sdk().check(write(place, entry, zip), { cipher: entry.cipher });
    if (mended.has(entry.scenario) || wasRunning) return assert.deepEqual([answer.refused, answer.opens], [[], true]);
    for (const key of [
      "ok",
      "opens",
      "refused",
      "respelled",
      "base_state_lost",
      "execution_status",
      "kinds",
      "active_branch",
      "view",
      "unmatched_actions",
    ]) {
      assert.deepEqual(answer[key], entry[key], key);
    }
    const expected = JSON.parse(readFileSync(path.join(fixtures, `${entry.directory}.expected.json`), "utf8"));
    for (const key of Object.keys(expected)) assert.deepEqual(answer[key], expected[key], key);
  });
}

async function isCarriedOn(t, entry, sdk, place) {
  const before = filesOf(path.join(fixtures, entry.directory));
  const replies = [
    { text: "Carried on." },
    {
      text: "Let me see.",
      calls: [
        { name: "add", arguments: { a: 20, b: 22 } },
        { name: "terminal", arguments: { command: "ls" } },
      ],
    },
    { text: "It is 42." },
  ];
  // The stored condenser may ask for a summary.
  const model = await scripted(t, ({ tools }) => (tools ? replies.shift() : { text: "What happened so far." }));
  const { conversation } = await imported(t, entry, model);
  if (entry.execution_status === "waiting_for_confirmation")
    await assert.rejects(conversation.sendMessage("Go on."), { code: "invalid_state" });
  assert.deepEqual(endOf(await goOn(conversation, "Go on.")), { status: "finished", finalResponse: "Carried on." });
  assert.deepEqual(endOf(await goOn(conversation, "What is 20 + 22?")), { status: "finished", finalResponse: "It is 42." });
  model.check();
  assert.deepEqual(replies, []);

  const added = (await conversation.events.slice(-9)).filter(({ kind }) => kind !== "Condensation").slice(-6);
  assert.deepEqual(
    added.map(({ kind }) => kind),
    ["MessageEvent", "ActionEvent", "ActionEvent", "AgentErrorEvent", "ObservationEvent", "MessageEvent"],
  );
  const [, , call, failure, result] = added;
  assert.equal(call.action, undefined);
  assert.match(failure.error, /terminal/);
  assert.equal(result.observation.content[0].text, "42");

  const zip = await exported(conversation);
  const after = unpacked(zip);
  if (!mended.has(entry.scenario)) {
    keepsFiles(before, after, entry.id);
    keepsPythonsSettings(before.get("base_state.json"), after.get("base_state.json"));
  }
  await t.test("the SDK carries it on", { skip: !sdk() && "no SDK" }, async () => {
    const target = write(place, entry, zip);
    const answer = await sdk().check(target, { cipher: entry.cipher });
    assert.deepEqual(answer.refused, entry.opens && !mended.has(entry.scenario) ? entry.refused : []);
    assert.deepEqual([answer.opens, answer.base_state_lost], [true, []]);
    const resumed = await sdk().resume(target, "Done.", { cipher: entry.cipher });
    if (!entry.resume.ok && !mended.has(entry.scenario)) return assert.equal(resumed.ok, false);
    assert.ok(resumed.ok, resumed.error);
    assert.deepEqual(resumed.new_kinds.slice(0, 2), ["MessageEvent", "MessageEvent"]);
    assert.equal(resumed.execution_status, "finished");
  });
}

/** Rejects the calls that wait, sends this message, and approves every call that the policy asks about. */
async function goOn(conversation, message) {
  await conversation.sendMessage(message, { pending: "reject" });
  let result = await conversation.run();
  while (result.status === "waiting_for_confirmation") result = await conversation.run();
  return result;
}

/** The fixture in a store of its own, opened with the tools of a page. */
async function imported(t, entry, model) {
  const store = memoryStore();
  const [{ id, outcome }] = await Conversation.importZip(zipOf(entry), { store });
  assert.equal(outcome, "created");
  assert.equal(id.replaceAll("-", ""), entry.id);
  return { conversation: await open(t, { model, store, conversationId: id }), store };
}

const zipOf = ({ id, directory }) => packed(id, filesOf(path.join(fixtures, directory)));

function write(place, { id }, zip) {
  const file = path.join(place, `${id}-${writes++}.zip`);
  writeFileSync(file, zip);
  return file;
}

let writes = 0;

/** The two things about a base state that are not as they are stored when it leaves. */
/** All files but the base state are as before; the conversation of a sub-agent names the directory of its parent. */
function keepsFiles(before, after, id) {
  for (const [name, content] of before) {
    if (name === "base_state.json") continue;
    const nested = /^(subagents\/\w+)\/base_state\.json$/.exec(name)?.[1];
    assert.equal(String(after.get(name)), nested ? portable(String(content), `${id}/${nested}`) : String(content), name);
  }
}

const portable = (text, id) => text.replace(/"persistence_dir":"[^"]*"/, `"persistence_dir":"workspace/conversations/${id}"`);

/** All that Python set stays as it was written, but for the model that answers here. */
function keepsPythonsSettings(before, after) {
  const [theirs, ours] = [membersOf(before), membersOf(after)];
  const { api_key: key, model, base_url } = JSON.parse(theirs.get("agent")).llm ?? {};
  // A key that cannot be read is kept, with whose it is: requests go to another server here.
  const isKept = String(key).startsWith("gAAAAA");
  if (isKept) {
    const kept = { ...JSON.parse(theirs.get("agent_state")), api_key_server: { model, ...(base_url && { base_url }) } };
    assert.deepEqual(JSON.parse(ours.get("agent_state")), kept);
  }
  for (const [name, value] of theirs) {
    if (!ownSettings.has(name) && !(isKept && name === "agent_state")) assert.equal(ours.get(name), value, name);
  }
  const [agent, ourAgent] = [membersOf(theirs.get("agent")), membersOf(ours.get("agent"))];
  assert.deepEqual([...ourAgent.keys()], [...agent.keys()]);
  for (const [name, value] of agent) if (name !== "llm") assert.equal(ourAgent.get(name), value, `agent.${name}`);
}

function reportsWhatCannotRun({ state, warnings }) {
  const { agent } = state;
  const answer = (code) =>
    warnings
      .filter((warning) => warning.code === code)
      .map(({ message }) => message)
      .join();
  const builtIn = { InvokeSkillTool: "invoke_skill", SwitchLLMTool: "switch_llm", VisionInspectTool: "inspect_image_with_vision" };
  const missing = (agent.tools ?? []).map(({ name }) => name);
  missing.push(...(agent.include_default_tools ?? []).flatMap((name) => builtIn[name] ?? []));
  for (const name of missing) assert.ok(answer("tools_unavailable").includes(name), name);
  if (missing.length === 0) assert.equal(answer("tools_unavailable"), "");
  const settings = {
    "MCP servers": Object.keys(agent.mcp_config ?? {}).length > 0,
    condenser: !["NoOpCondenser", "LLMSummarizingCondenser", "PipelineCondenser"].includes(agent.condenser?.kind ?? "NoOpCondenser"),
    critic: agent.critic !== undefined,
    "security analyzer": /"(GraySwan|ToolShield)/.test(JSON.stringify(state.security_analyzer)),
    hooks: state.hook_config !== undefined,
  };
  for (const [name, isThere] of Object.entries(settings)) assert.equal(answer("settings_unavailable").includes(name), isThere, name);
}
