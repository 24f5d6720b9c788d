// Which steps of an answer are one line, and what it says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { agent, done, notice, reasoning, text, tool, user } from "../../browser/pages/fake-thread.mjs";
import { fromSource } from "../../support/bundled.mjs";

const [{ rowsWithSteps, shownRows, toggleSteps }, { defaultLabels }] = await Promise.all(
  ["ui/chat/messages/steps.ts", "ui/chat/labels.ts"].map(fromSource),
);

const look = () => done("file_editor", { command: "view", path: "a.ts" }, "1", { kind: "FileEditorObservation" });
const change = () =>
  done("file_editor", { command: "create", path: "a.ts" }, "made", {
    kind: "FileEditorObservation",
    path: "a.ts",
    prev_exist: false,
    old_content: null,
    new_content: "1",
  });
const byDefault = {};

/** A letter for each row: a line with the number of its steps, a step in it, and another row. */
const drawn = (rows) => rows.map(({ steps, line }) => (steps ? `line of ${steps.length}` : line ? "step" : "row"));
const shown = (messages, visualizer = byDefault, open = new Set()) => drawn(shownRows(rowsWithSteps(messages, visualizer), open, null));
const answer = (...parts) => [agent([...parts, text("So.")])];

test("three and more small steps in a row are one line", () => {
  assert.deepEqual(shown(answer(reasoning("Hm."), look(), look())), ["line of 3", "row"]);
  assert.deepEqual(shown(answer(reasoning("Hm."), look())), ["row", "row", "row"], "two are no more than their line would be");
  assert.deepEqual(shown(answer(look(), look(), text("Then."), look())), ["row", "row", "row", "row", "row"], "a text is between them");
  assert.deepEqual(shown([...answer(look(), look()), user("And?"), ...answer(look(), look())]).includes("line of 4"), false);
});

test("the last step stays, for it is what happens now", () => {
  assert.deepEqual(shown([agent([look(), look(), look()])]), ["row", "row", "row"]);
  assert.deepEqual(shown([agent([look(), look(), look(), look()])]), ["line of 3", "row"]);
  assert.deepEqual(shown([agent([look(), look(), look(), tool({ state: "running" })])]), ["line of 3", "row"]);
});

test("what waits, failed, was skipped or is to be seen is never folded away", () => {
  const shows = { output: [{ type: "image", image_urls: ["data:,"] }] };
  const others = [
    ...["streaming", "waiting", "ready", "running", "interrupted", "error", "rejected"].map((state) => tool({ state })),
    tool(shows),
    tool({ subagent: [user("Look")] }),
    change(),
    reasoning("Hm.", "streaming"),
    notice("pause", "Paused"),
    { type: "error", code: "llm_rate_limit", text: "a pause" },
    { type: "image", url: "data:," },
  ];
  for (const other of others) {
    const rows = shown(answer(look(), look(), look(), other, look(), look(), look()));
    assert.deepEqual(rows, ["line of 3", "row", "line of 3", "row"], JSON.stringify(other));
  }
});

test("a view of the page's own is not folded away, and what the page leaves out is not counted", () => {
  const visualize = (part) => (part.type === "reasoning" ? null : part.toolName === "weather" ? "Sun" : undefined);
  assert.deepEqual(shown(answer(look(), look(), tool({ toolName: "weather" }), look()), { visualize }), Array(5).fill("row"));
  assert.deepEqual(shown(answer(look(), reasoning("Hm."), look(), look()), { visualize }), ["line of 3", "row"]);
  assert.deepEqual(shown(answer(look(), reasoning("Hm."), look()), { visualize }), Array(4).fill("row"));
  const fails = () => {
    throw new Error("a bug of the page");
  };
  assert.deepEqual(shown(answer(look(), look(), look()), { visualize: fails }), ["line of 3", "row"]);
});

test("a part is shown to the page's visualizer once, however often its message grows", () => {
  let count = 0;
  const visualizer = { visualize: () => void count++ };
  const parts = [look(), look(), look()];
  for (const end of ["S", "So", "So."]) rowsWithSteps([agent([...parts, text(end)])], visualizer);
  assert.equal(count, 3);
});

test("a line opens and closes, and a step that is read keeps it open", () => {
  const parts = [look(), look(), look()];
  const rows = rowsWithSteps(answer(...parts), byDefault);
  const open = new Set();
  const now = (focused = null) => drawn(shownRows(rows, open, focused)).filter((row) => row === "step").length;
  toggleSteps(rows[0], rows, open);
  assert.equal(now(), 3);
  toggleSteps(rows[0], rows, open);
  assert.equal(now(), 0);
  assert.equal(now(parts[1].actionId), 3, "the focus is on it");
  assert.equal(now(), 3, "and has been");
  toggleSteps(rows[0], rows, open);
  assert.equal(now(), 0);
  open.add(parts[2].actionId);
  assert.equal(now(), 3, "its details are unfolded");
  toggleSteps(rows[0], rows, open);
  assert.equal(now(), 0, "they are folded with it");
});

test("the line says what was done, in the order of the first of each kind", () => {
  const { steps, stepOf } = defaultLabels;
  assert.equal(steps(3, ["read a file", "searched"]), "3 steps: read a file, searched");
  assert.deepEqual(["file_editor", "grep", "terminal", "get_time", "constructor"].map(stepOf), [
    "read a file",
    "searched",
    "ran a command",
    "used get time",
    "used constructor",
  ]);
});
