// The demo's view of a log: what is on the active branch, where others part from it, and what a condensation folds away.
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { buildSync } from "esbuild";
import { root } from "../../scripts/process.mjs";

const load = async (file) => {
  const { outputFiles } = buildSync({ entryPoints: [path.join(root, "www", file)], bundle: true, write: false, format: "esm" });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
};
const { lengthBefore, partings } = await load("thread/branches.ts");
const { timeline } = await load("thread/timeline.ts");

const message = (id, source = "user", parent_id) => ({ id, kind: "MessageEvent", source, parent_id, llm_message: { content: [{ type: "text", text: id }] } });
const call = (id, llm_response_id, parent_id) => ({ id, kind: "ActionEvent", source: "agent", parent_id, llm_response_id, tool_name: "roll_dice", tool_call_id: `call-${id}`, action: { kind: "RollAction" } });
const result = (id, action_id, kind = "ObservationEvent") => ({ id, kind, action_id, tool_call_id: `call-${action_id}`, observation: { kind: "RollObservation", content: [] } });
const other = (after, first, leaf, place, calls = []) => ({ after, first, leaf, place, calls });
const shape = (items) => items.map((item) => (item.type === "condensed" ? [item.key, shape(item.items)] : item.key));

test("an event that follows an earlier one cuts off what came after that", () => {
  const branch = [message("a"), message("b", "agent", "a"), message("c", "user", "b")];
  const before = (parent, known = []) => lengthBefore(branch, message("new", "user", parent), (id) => known.includes(id));
  assert.equal(before("c"), 3);
  assert.equal(before("a"), 1);
  assert.equal(before("__root__"), 0);
  assert.equal(before(undefined), 3, "old logs have no parent ids");
  assert.equal(before("unreadable"), 3);
  assert.equal(before("left", ["left"]), null, "its branch is another one");
});

test("versions are in the order in which they were begun, and the newest branch represents those that begin alike", () => {
  const branch = [message("a"), message("b2", "agent", "a"), message("c")];
  const first = message("b1", "agent");
  const others = [other("a", message("b3", "agent"), "leaf3", 9), other("a", first, "leaf1", 1), other("a", first, "leaf1-newer", 1), other("gone", message("x"), "leafx", 4)];
  const found = partings(branch, others, true, (id) => ({ b2: 5 })[id]);
  assert.deepEqual(found.map(({ shown, versions, changed }) => [shown.id, versions, changed]), [["b2", ["leaf1-newer", null, "leaf3"], []]]);
});

test("a branch from the beginning parts there, once that is loaded, and one without a continuation here at the end", () => {
  const branch = [message("a2")];
  const others = [other(null, message("a1"), "leaf1", 0), other("a2", message("b", "agent"), "leaf2", 2)];
  const found = (isComplete) => partings(branch, others, isComplete, () => 1).map(({ shown, versions }) => [shown?.id, versions]);
  assert.deepEqual(found(true), [["a2", ["leaf1", null]], [undefined, ["leaf2", null]]]);
  assert.deepEqual(found(false), [[undefined, ["leaf2", null]]]);
  assert.deepEqual(shape(timeline(branch, partings(branch, others, true, () => 1))), ["parting-null", "a2", "parting-a2"]);
});

test("a call that the user changed is shown as it was, and is no version to return to", () => {
  const branch = [message("a"), call("b2", "answer", "a")];
  const before = call("b1", "answer", "a");
  const [parting] = partings(branch, [other("a", before, "rejected", 1, [before])], true, () => 3);
  assert.deepEqual([parting.versions, parting.changed], [[null], [before]]);
  assert.deepEqual(timeline(branch, [parting]).map(({ type }) => type), ["message", "changed", "call"]);
});

test("a condensation folds what it forgets, with what stood in between, and a later one the earlier", () => {
  const condensation = (id, forgotten_event_ids) => ({ id, kind: "Condensation", forgotten_event_ids, summary: "…" });
  const log = [message("a"), call("b"), result("b-result", "b"), { id: "pause", kind: "PauseEvent" }, message("c"), condensation("first", ["b", "b-result", "c"]), message("d", "agent")];
  assert.deepEqual(shape(timeline(log)), ["a", ["first", ["b", "pause", "c"]], "d"]);
  const longer = [...log, message("e"), condensation("second", ["first-summary", "d"])];
  assert.deepEqual(shape(timeline(longer)), ["a", ["second", [["first", ["b", "pause", "c"]], "d"]], "e"]);
  assert.deepEqual(shape(timeline([message("e"), condensation("second", ["d"]), message("f")])), ["e", ["second", []], "f"], "the forgotten events are on an earlier page");
});

test("an answer can be forked at its end, and only the last one be given again", () => {
  const finish = { ...call("finish", "answer"), action: { kind: "FinishAction", message: "Done." }, tool_name: "finish" };
  const log = [message("a"), message("b", "agent"), message("c"), finish, { ...result("done", "finish"), observation: { kind: "FinishObservation" } }];
  const ends = timeline(log).map(({ key, end, isLast }) => [key, end, isLast]);
  assert.deepEqual(ends, [["a", undefined, undefined], ["b", "b", undefined], ["c", undefined, undefined], ["finish", "done", true]]);
  assert.deepEqual(timeline([...log, message("d")]).map(({ isLast }) => isLast ?? false), [false, false, false, false, false]);
});
