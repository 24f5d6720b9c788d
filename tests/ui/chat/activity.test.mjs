// What the chat says the agent is doing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fromSource } from "../../support/bundled.mjs";

const [{ activityOf }, { defaultLabels }] = await Promise.all(["ui/chat/messages/activity.ts", "ui/chat/labels.ts"].map(fromSource));

const said = { role: "user", state: "done", parts: [{ type: "text", text: "Hello", state: "done" }] };
const answer = (parts, state = "done") => ({ role: "assistant", state, parts });
const growing = (part) => ({ messages: [said, answer([part], "streaming")] });
const call = (summary, state = "running") => ({ type: "tool", toolName: "look", summary, args: {}, state });

/** The words for a snapshot, in which a run is under way. */
function words(fields) {
  const running = { phase: "open", isRunning: true, isCondensing: false, isSilent: false, status: "running", home: "here" };
  const activity = activityOf({ ...running, waiting: null, approvals: [], messages: [said], ...fields }, defaultLabels);
  return activity && `${activity.words}${activity.isWaiting ? " …" : ""}`;
}

test("what the agent is doing is said in words", () => {
  assert.equal(words({}), "Asking the model …");
  assert.equal(words({ status: "idle" }), "Working …", "a run that begins asks nobody yet");
  assert.equal(words(growing({ type: "text", text: "Hel", state: "streaming" })), "Writing");
  assert.equal(words({ messages: [said, answer([call("Look around")])] }), "Running: Look around …");
  assert.equal(words({ messages: [said, answer([call("One"), call("Two"), call("Three", "done")])] }), "Running 2 calls …");
  assert.equal(words({ messages: [said, answer([call("One", "done")])] }), "Asking the model …");
  assert.equal(words({ isCondensing: true }), "Summarizing earlier messages …");
  assert.equal(
    words({ isCondensing: true, isRunning: false, status: "finished" }),
    "Summarizing earlier messages …",
    "also for condense()",
  );
  assert.equal(words({ home: "server" }), "Waiting for the agent server …");
});

test("messages that the agent has not read say nothing about it", () => {
  const queued = { ...said, state: "queued" };
  assert.equal(words({ messages: [said, answer([call("Look around")]), queued] }), "Running: Look around …");
});

test("what is said elsewhere is not said twice", () => {
  const waiting = { kind: "WaitingEvent", attempt: 1, seconds: 5, why: "offline", message: "offline" };
  for (const fields of [
    { waiting },
    { waiting, isCondensing: true },
    { isSilent: true },
    { status: "paused" },
    { approvals: [{ actionId: "a" }] },
    { isRunning: false, status: "finished" },
    { phase: "closed", isRunning: false },
    growing({ type: "reasoning", text: "Hm", state: "streaming" }),
    growing(call("Look around", "streaming")),
  ])
    assert.equal(words(fields), null, JSON.stringify(fields));
});
