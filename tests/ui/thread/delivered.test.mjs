// Results of a page's tools in a conversation on an agent server: they come in messages of the user, and are shown at their calls.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fromSource } from "../../support/bundled.mjs";

const { Transcript } = await fromSource("ui/thread/transcript.ts");

const image = { type: "image", image_urls: ["data:image/png;base64,AA=="] };
const text = (text) => ({ type: "text", text });
const says = (id, source, ...content) => ({ kind: "MessageEvent", id, source, llm_message: { role: source, content } });
const call = (id) => ({
  kind: "ActionEvent",
  id,
  source: "agent",
  thought: [],
  action: { kind: "ClientAction_count", number: 1 },
  tool_name: "count",
  tool_call_id: `call-${id}`,
  tool_call: { name: "count", arguments: '{"number":1}' },
  security_risk: "LOW",
});
const note = (id) => ({
  kind: "ObservationEvent",
  id: `note-${id}`,
  source: "environment",
  action_id: id,
  tool_call_id: `call-${id}`,
  tool_name: "count",
  observation: { kind: "ClientToolObservation", content: [text("Tool call dispatched to client.")], is_error: false },
});
const line = (id, how) => `The call ${id} of the tool count ${how}:\n`;

function loaded(...events) {
  const transcript = new Transcript();
  for (const event of events) transcript.load(event);
  return transcript;
}
const toolsOf = ({ messages }) => messages.flatMap(({ parts }) => parts.filter(({ type }) => type === "tool"));
const inShort = ({ messages }) =>
  messages.map(({ role, parts }) => `${role}: ${parts.map((part) => part.text ?? `${part.toolName} ${part.state}`).join(" | ")}`);

const asked = [says("m", "user", text("Count")), call("a"), call("b"), call("c"), note("a"), note("b"), note("c")];

test("a call that a server has noted goes on until its result is delivered", () => {
  const transcript = loaded(...asked, says("w", "agent", text("I wait.")));
  // A log of another program may have no more of it.
  assert.deepEqual(inShort(transcript), ["user: Count", "assistant: count done | count done | count done | I wait."]);
  transcript.setCalls({ waiting: new Set(["b"]), begun: new Set(), risks: {}, isRunning: true });
  assert.deepEqual(
    toolsOf(transcript).map(({ state, output }) => [state, output]),
    [
      ["running", null],
      ["waiting", null],
      ["running", null],
    ],
  );
  transcript.load(says("n", "user", text("Never mind")));
  assert.deepEqual(
    toolsOf(transcript).map(({ state }) => state),
    ["done", "waiting", "done"],
  );
});

test("results are shown at their calls, and their message is none of the user's words", () => {
  const results = says(
    "r",
    "user",
    text(`${line("a", "has this result")}{"next":2}`),
    text(`${line("b", "has failed")}no more`),
    text(`${line("c", "has this result")}`),
    image,
  );
  const transcript = loaded(...asked, results, says("d", "agent", text("Two.")));
  assert.deepEqual(inShort(transcript), ["user: Count", "assistant: count done | count error | count done | Two."]);
  const [first, second, third] = toolsOf(transcript);
  assert.deepEqual([first.value, first.output, first.error], [{ next: 2 }, [text('{"next":2}')], null]);
  assert.deepEqual([second.value, second.error], [undefined, "no more"]);
  assert.deepEqual(third.output, [image]);
  // A link to the result leads to the call.
  assert.ok(transcript.messages[1].eventIds.includes("r"));
});

test("a rejection is one", () => {
  const transcript = loaded(...asked, says("r", "user", text(`${line("a", "was rejected by the user")}Not that.`)));
  assert.deepEqual(
    toolsOf(transcript).map(({ state, error }) => [state, error]),
    [
      ["rejected", "Not that."],
      ["done", null],
      ["done", null],
    ],
  );
});

test("results that wait for the server are not shown as a message that waits", () => {
  const transcript = loaded(...asked);
  transcript.addSent(says("q", "user", text(`${line("a", "has this result")}2`)));
  assert.equal(transcript.messages.length, 2);
  transcript.addSent(says("p", "user", text("And then?")));
  assert.equal(transcript.messages.at(-1).state, "queued");
});

test("such a result of a call on an earlier page is a call without its arguments", () => {
  const transcript = loaded(says("r", "user", text(`${line("a", "has this result")}2`)), says("d", "agent", text("Two.")));
  assert.deepEqual(inShort(transcript), ["assistant: count done | Two."]);
});

test("words of the user that only look so stay the user's", () => {
  const own = text(`${line("z", "has this result")}2`);
  assert.deepEqual(inShort(loaded(...asked.slice(0, 2), says("r", "user", own))).at(-1), `user: ${own.text}`);
  // And with other words in front.
  assert.equal(loaded(...asked, says("r", "user", text("Look:"), text(`${line("a", "has this result")}2`))).messages.length, 3);
});
