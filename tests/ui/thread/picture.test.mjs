// Which messages are kept for the next page. What decides whether they are shown is tested in pages: tests/browser/ui/thread.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fromSource } from "../../support/bundled.mjs";
import { storedConversations } from "./logs.mjs";

const { lastOf } = await fromSource("ui/thread/picture.ts");
const { Transcript } = await fromSource("ui/thread/transcript.ts");

const most = 64_000;
const bytes = (messages) => Buffer.byteLength(JSON.stringify(messages));
const text = (length) => ({ type: "text", text: "ü".repeat(length / 2), state: "done" });
const tool = (state, more = {}) => ({ type: "tool", toolName: "look", state, subagent: [], ...more });
const message = (id, ...parts) => ({ id, role: "assistant", parts, state: "done", eventIds: [id], versions: null });

test("as many of the last messages are kept as have room, each as a whole", () => {
  const all = Array.from({ length: 100 }, (_, n) => message(`${n}`, text(3000)));
  const kept = lastOf(all);
  assert.ok(bytes(kept) <= most && bytes(kept) > most - 4000, `${bytes(kept)} bytes`);
  assert.deepEqual(kept, all.slice(-kept.length));
  assert.deepEqual(lastOf(all.slice(0, 3)), all.slice(0, 3));
  assert.deepEqual(lastOf([]), []);
});

test("of one long message the end is kept, and of a part that is too long nothing", () => {
  const parts = Array.from({ length: 100 }, () => text(3000));
  const [kept, ...others] = lastOf([message("before", text(10)), message("long", ...parts)]);
  assert.deepEqual(others, []);
  assert.equal(kept.id, "long");
  assert.ok(kept.parts.length > 10 && bytes([kept]) <= most);
  assert.deepEqual(lastOf([message("before", text(10)), message("long", text(most))]), []);
});

test("calls that wait or are under way are left out, and what is read beside the branch", () => {
  const open = ["streaming", "waiting", "ready", "running", "interrupted"].map((state) => tool(state));
  const done = ["done", "error", "rejected"].map((state) => tool(state, { subagent: [message("x", text(10))] }));
  const versions = { index: 0, ids: ["a", "b"] };
  const notice = { type: "notice", notice: "condensation", text: "…", event: {}, forgotten: [message("y", text(10))] };
  assert.deepEqual(lastOf([{ ...message("1", ...open, ...done, notice), versions }, message("2", ...open)]), [
    message("1", tool("done"), tool("error"), tool("rejected"), { ...notice, forgotten: [] }),
  ]);
});

for (const { name, events } of storedConversations())
  test(`${name}: what is kept can be stored, and is the end of what is shown`, () => {
    const transcript = new Transcript();
    for (const event of events) transcript.load(event);
    const kept = structuredClone(lastOf(transcript.stored));
    assert.ok(bytes(kept) <= most);
    const ids = transcript.stored.map(({ id }) => id);
    assert.deepEqual(
      kept.map(({ id }) => id),
      ids.filter((id) => kept.some((message) => message.id === id)),
    );
  });
