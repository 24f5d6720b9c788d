// Calls that wait on one side and are decided about on the other.
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { Conversation, memoryStore } from "../../../dist/index.js";
import { fixtures } from "../conversations.mjs";
import { eventsOf, open, scripted } from "../../support/chat.mjs";
import { exported, filesOf, packed, unpacked, write } from "../../support/files.mjs";
import { conversations } from "./imported.mjs";

const thought = { name: "think", arguments: { thought: "hm" } };
const finish = { name: "finish", arguments: { message: "Done here." } };
const sum = { name: "add", arguments: { a: 1, b: 2 } };

export function decidedElsewhere(sdk, place) {
  const tests = {
    "what waits here is approved in Python": approvedInPython,
    "what was edited here is run in Python as it was edited": editedHere,
    "what waits here is rejected in Python": rejectedInPython,
    "what waits in Python is rejected here": (t, sdk, place) => waitedInPython(t, sdk, place, "rejectPendingActions"),
    "what waits in Python is approved here": (t, sdk, place) => waitedInPython(t, sdk, place, "run"),
  };
  for (const [name, play] of Object.entries(tests)) {
    test(name, (t) => (sdk() ? play(t, sdk(), place) : t.skip("no SDK")));
  }
}

/** A conversation whose calls wait, and its directory. */
async function waitingHere(t, place, calls, more = () => {}) {
  const model = await scripted(t, [{ text: "Let me.", calls }]);
  const store = memoryStore();
  const conversation = await open(t, { model, store, confirmationPolicy: { kind: "AlwaysConfirm" } });
  await conversation.sendMessage("Go on.");
  assert.equal((await conversation.run()).status, "waiting_for_confirmation");
  await more(conversation);
  const directory = path.join(place, "decided", conversation.id.replaceAll("-", ""));
  write(directory, unpacked(await exported(conversation)));
  await conversation.close();
  return { conversation, store, directory, model };
}

async function approvedInPython(t, sdk, place) {
  const waiting = await waitingHere(t, place, [thought, finish]);
  const answer = await sdk.decide(waiting.directory, "approve", "Done.", { in_place: true });
  assert.deepEqual([answer.execution_status, answer.new_kinds], ["finished", ["ObservationEvent", "ObservationEvent"]]);
  const back = await bringBack(t, waiting);
  assert.deepEqual([back.executionStatus, await back.finalResponse(), await back.pendingActions()], ["finished", "Done here.", []]);
}

async function editedHere(t, sdk, place) {
  const waiting = await waitingHere(t, place, [thought, finish], async (conversation) => {
    const [, { id }] = await conversation.pendingActions();
    await conversation.editAction(id, { message: "As I say." });
  });
  const answer = await sdk.decide(waiting.directory, "approve", "Done.", { in_place: true });
  assert.deepEqual([answer.execution_status, answer.new_kinds], ["finished", ["ObservationEvent", "ObservationEvent"]]);
  assert.equal(await (await bringBack(t, waiting)).finalResponse(), "As I say.");
}

async function rejectedInPython(t, sdk, place) {
  const waiting = await waitingHere(t, place, [sum, sum]);
  const answer = await sdk.decide(waiting.directory, "reject", "Then not.", { in_place: true });
  assert.ok(answer.ok, answer.error);
  assert.deepEqual(answer.new_kinds, ["UserRejectObservation", "UserRejectObservation", "MessageEvent"]);
  const back = await bringBack(t, waiting);
  assert.deepEqual([back.executionStatus, await back.finalResponse(), await back.pendingActions()], ["finished", "Then not.", []]);
}

/** Python's copy in place of the one that is stored. */
async function bringBack(t, { conversation, store, directory, model }) {
  const [{ id, outcome }] = await Conversation.importZip(packed(conversation.id, filesOf(directory)), { store });
  assert.equal(outcome, "continued");
  return open(t, { model, store, conversationId: id });
}

async function waitedInPython(t, sdk, place, decision) {
  const entry = conversations.find(({ scenario }) => scenario === "waiting");
  const store = memoryStore();
  const [{ id }] = await Conversation.importZip(packed(entry.id, filesOf(path.join(fixtures, entry.directory))), { store });
  const model = await scripted(t, [{ text: "All right." }]);
  const conversation = await open(t, { model, store, conversationId: id });
  assert.equal(conversation.executionStatus, "waiting_for_confirmation");
  const waiting = await conversation.pendingActions();
  assert.ok(waiting.length > 0);
  const before = conversation.events.length;
  await conversation[decision]();
  if (decision !== "run") await conversation.run();
  assert.deepEqual([conversation.executionStatus, await conversation.pendingActions()], ["finished", []]);
  const answers = (await eventsOf(conversation)).slice(before, -1);
  // Of the tools of the SDK only think and finish are here.
  const ran = (name) => (name === "think" ? "ObservationEvent" : "AgentErrorEvent");
  const expected = waiting.map((action) => [decision === "run" ? ran(action.tool_name) : "UserRejectObservation", action.tool_call_id]);
  assert.deepEqual(
    answers.map((event) => [event.kind, event.tool_call_id]),
    expected,
  );
  const directory = path.join(place, `decided-${decision}`, entry.id);
  write(directory, unpacked(await exported(conversation)));
  const answer = await sdk.check(directory);
  assert.deepEqual([answer.refused, answer.unmatched_actions], [[], []]);
  const resumed = await sdk.resume(directory);
  assert.ok(resumed.ok, resumed.error);
}
