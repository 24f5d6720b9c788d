// From events to messages: with every log that the SDK wrote, and with events made here.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fromSource } from "../../support/bundled.mjs";
import { storedConversations } from "./logs.mjs";

const { Transcript } = await fromSource("ui/thread/transcript.ts");
const { cutMarks } = await fromSource("ui/thread/cut-marks.ts");
const all = storedConversations();
const scenario = (wanted) => all.find(({ name }) => name === wanted);

/** The messages as a reader sees them, in short. */
const seen = (messages) => messages.map(({ role, parts }) => `${role}: ${parts.map(inShort).join(" | ")}`);
function inShort(part) {
  if (part.type === "tool") return `${part.toolName} ${part.state}`;
  if (part.type === "notice") return `(${part.notice})`;
  return part.type === "text" ? part.text : `[${part.type}]`;
}

function loaded(events) {
  const transcript = new Transcript();
  for (const event of events) transcript.load(event);
  return transcript;
}

let number = 0;
let last;
/** An event that follows the last one. */
function event(kind, fields = {}) {
  const id = `event-${++number}`;
  const made = { kind, id, timestamp: "2026-01-31T09:15:02.123456", source: "agent", ...(last && { parent_id: last }), ...fields };
  last = id;
  return made;
}
const says = (text, source = "agent") =>
  event("MessageEvent", { source, llm_message: { role: source, content: [{ type: "text", text }] } });
const calls = (name, fields = {}) =>
  event("ActionEvent", {
    thought: [],
    action: { kind: "X", data: { a: 1 } },
    tool_name: name,
    tool_call_id: `call-${number + 1}`,
    tool_call: { name, arguments: '{"a":1}' },
    security_risk: "UNKNOWN",
    ...fields,
  });
const resultOf = ({ id, tool_call_id, tool_name }, text = "ok", fields = {}) =>
  event("ObservationEvent", {
    action_id: id,
    tool_call_id,
    tool_name,
    observation: { kind: "Y", content: [{ type: "text", text }], is_error: false, ...fields },
  });
const streams = (content, message_id) => ({ kind: "StreamingDeltaEvent", content, message_id });

test("every log of the SDK: no message or event is lost, and open calls are those that the SDK finds", () => {
  assert.ok(all.length > 80);
  for (const { name, events, open } of all) {
    const { messages } = loaded(events);
    const ids = messages.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length, name);
    const users = events.filter(({ kind, source }) => kind === "MessageEvent" && source === "user");
    assert.deepEqual(
      messages.filter(({ role }) => role === "user").map(({ id }) => id),
      users.map(({ id }) => id),
      name,
    );
    const places = messages.flatMap(({ eventIds }) => eventIds).map((id) => events.findIndex((event) => event.id === id));
    assert.deepEqual(
      places,
      [...places].sort((one, other) => one - other),
      name,
    );
    assert.ok(
      messages.every(({ id, eventIds }) => id === eventIds[0]),
      name,
    );
    const unfinished = messages
      .flatMap(({ parts }) => parts)
      .filter((part) => part.type === "tool" && part.state === "ready" && part.actionId);
    const speech = events
      .filter(({ kind, action }) => kind === "ActionEvent" && ["FinishAction", "ThinkAction"].includes(action?.kind))
      .map(({ id }) => id);
    const invalid = events.filter(({ kind, action }) => kind === "ActionEvent" && !action).map(({ id }) => id);
    assert.deepEqual(
      unfinished.map(({ actionId }) => actionId).filter((id) => !invalid.includes(id)),
      open.filter((id) => !speech.includes(id)),
      name,
    );
  }
});

test("every log of the SDK: an event changes the last message only, and there only what it is about", () => {
  for (const { name, events } of all) {
    const transcript = new Transcript();
    let before = transcript.messages;
    for (const event of events) {
      transcript.load(event);
      const { messages } = transcript;
      const kept = messages.filter((message) => before.includes(message)).length;
      assert.ok(kept >= before.length - 1, `${name}: ${event.kind}`);
      const [was, is] = [before.at(-1), messages[before.length - 1]];
      if (was) assert.ok(was.parts.filter((part) => !is.parts.includes(part)).length <= 1, `${name}: ${event.kind}`);
      assert.equal(transcript.messages, messages);
      before = messages;
    }
    assert.deepEqual(before, loaded(events).messages, name);
  }
});

test("a branch that is read again keeps every object", () => {
  for (const { name, events } of all) {
    const [before, after] = [loaded(events), loaded(structuredClone(events))];
    const messages = before.messages;
    after.adopt(before);
    assert.equal(after.messages.length, messages.length, name);
    after.messages.forEach((message, at) => assert.equal(message, messages[at], name));
  }
  const { events } = scenario("sdk-1.43.1/tools");
  const tail = loaded(events.slice(8));
  const parts = tail.messages.flatMap(({ parts }) => parts.filter(({ actionId }) => actionId !== null));
  const whole = loaded(structuredClone(events));
  whole.adopt(tail);
  const now = whole.messages.flatMap(({ parts }) => parts);
  assert.ok(parts.length > 3 && parts.every((part) => now.includes(part)), "earlier events keep the parts of later ones");
});

test("conversations of the SDK as a reader sees them", () => {
  const shown = (name) => seen(loaded(scenario(name).events).messages);
  assert.deepEqual(shown("sdk-1.43.1/simple"), ["user: Hi", "assistant: Hello!", "user: Are you there?", "assistant: Still here."]);
  assert.deepEqual(shown("sdk-1.43.1/parallel-calls"), [
    "user: Think hard",
    "assistant: Three at once. | [reasoning] | [reasoning] | [reasoning] | [reasoning] | [reasoning] | The same twice. | [reasoning] | [reasoning] | Done.",
  ]);
  assert.deepEqual(shown("sdk-1.43.1/tools"), [
    "user: Write 2 facts",
    "assistant: Let me think. | [reasoning] | file_editor done | terminal done | task_tracker done | file_editor done | terminal done | task_tracker done | Done: 2 facts.",
    "user: Thanks",
    "assistant: You are welcome.",
  ]);
  assert.deepEqual(shown("sdk-1.43.1/rejected"), ["user: Do it", "assistant: May I? | terminal rejected | [reasoning] | Then not."]);
  assert.deepEqual(shown("sdk-1.43.1/interrupted"), ["user: Sleep", "assistant: Sleeping. | terminal error | (interrupt)"]);
  assert.deepEqual(shown("sdk-1.43.1/model-error"), ["user: Hi", "assistant: Hello.", "user: Still there?", "assistant: [error]"]);
  assert.deepEqual(shown("sdk-1.43.1/invalid-arguments"), [
    "user: Think",
    "assistant: Missing. | think error | think error | think error | I give up.",
  ]);
  assert.deepEqual(shown("sdk-1.43.1/reasoning").at(-1), "assistant: [reasoning] | Closing. | Done thinking.");
  assert.deepEqual(shown("sdk-1.43.1/images").slice(0, 3), [
    "user: What is this? | [image]",
    "assistant: A pixel.",
    "user: [image] | [image] | And these two?",
  ]);
  assert.equal(shown("sdk-1.43.1/condensed")[13], "assistant: (condensation) | 6.");
  const [call] = loaded(scenario("sdk-1.43.1/rejected").events).messages[1].parts.filter(({ type }) => type === "tool");
  assert.equal(typeof call.error, "string");
  assert.equal(call.output, null);
});

test("an answer that streams is one message with one id, and its stored event takes its place", () => {
  const transcript = loaded([says("Hi", "user")]);
  const [user] = transcript.messages;
  transcript.live({ kind: "StreamingDeltaEvent", reasoning_content: "Hm", message_id: "m-1" });
  assert.deepEqual(transcript.messages[1].parts, [{ type: "reasoning", text: "Hm", state: "streaming" }]);
  transcript.live(streams("Hel", "m-1"));
  transcript.live(streams("lo", "m-1"));
  const [, answer] = transcript.messages;
  assert.equal(transcript.messages[1], answer, "the same until the next piece");
  assert.deepEqual([answer.id, answer.state], ["m-1", "streaming"]);
  assert.deepEqual(answer.parts, [
    { type: "reasoning", text: "Hm", state: "done" },
    { type: "text", text: "Hello", state: "streaming" },
  ]);
  const stored = { ...says("Hello", "agent"), id: "m-1" };
  last = stored.id;
  assert.equal(transcript.append(stored), true);
  const [sameUser, done] = transcript.messages;
  assert.deepEqual(
    [sameUser === user, done.id, done.state, done.parts],
    [true, "m-1", "done", [{ type: "text", text: "Hello", state: "done" }]],
  );
  transcript.live(streams("late", "m-1"));
  assert.equal(transcript.messages[1], done, "a piece that comes after the event changes nothing");
});

/** A piece of a call. The first one has a name. */
const writes = (piece, message_id, { index = 0, id, name } = {}) => ({
  kind: "StreamingDeltaEvent",
  message_id,
  tool_calls: [{ index, ...(id && { id }), function: { ...(name && { name }), arguments: piece } }],
});
const toolsOf = ({ messages }) => messages.at(-1).parts.filter(({ type }) => type === "tool");

test("a call is a part while it is written, and its event takes its place", () => {
  const transcript = loaded([says("Hi", "user")]);
  transcript.live(streams("Two files.", "m-4"));
  transcript.live(writes("", "m-4", { id: "call-a", name: "file_editor" }));
  const [begun] = toolsOf(transcript);
  assert.deepEqual(
    [begun.toolCallId, begun.toolName, begun.actionId, begun.state, begun.args, begun.argsText],
    ["call-a", "file_editor", null, "streaming", {}, ""],
  );
  const json =
    '{"summary": "Write a", "command": "create", "path": "/a", "n": [1, {"x": "}"}], "file_text": "one\\ntw\\u00f6 \\ud83d\\ude00"}';
  const texts = [];
  for (const piece of json) {
    transcript.live(writes(piece, "m-4"));
    const [{ args, argsText }] = toolsOf(transcript);
    assert.equal(argsText, json.slice(0, argsText.length));
    texts.push(args.file_text);
  }
  for (const [at, text = ""] of texts.entries()) assert.ok((texts[at + 1] ?? text).startsWith(text), text);
  transcript.live(writes('{"command"', "m-4", { index: 1, id: "call-b", name: "file_editor" }));
  const [one, two] = toolsOf(transcript);
  assert.deepEqual(one.args, { command: "create", path: "/a", n: [1, { x: "}" }], file_text: "one\ntwö 😀" });
  assert.deepEqual([one.summary, one.argsText, two.args], ["Write a", json, {}]);
  assert.equal(transcript.messages[1].parts[0].state, "done", "the text before a call is complete");
  const first = { ...calls("file_editor", { thought: [{ type: "text", text: "Two files." }], tool_call_id: "call-a" }), id: "m-4" };
  last = first.id;
  const second = calls("file_editor", { tool_call_id: "call-b" });
  transcript.append(first);
  assert.deepEqual(
    toolsOf(transcript).map(({ toolCallId, state }) => `${toolCallId} ${state}`),
    ["call-a ready", "call-b streaming"],
    "the second call stays until its event comes",
  );
  transcript.append(second);
  assert.deepEqual(
    toolsOf(transcript).map(({ toolCallId, state, actionId }) => [toolCallId, state, actionId]),
    [
      ["call-a", "ready", "m-4"],
      ["call-b", "ready", second.id],
    ],
  );
  assert.equal(transcript.messages[1].state, "done");
});

test("`finish` and `think` are text and reasoning while they are written, too", () => {
  const transcript = loaded([says("Hi", "user")]);
  transcript.live(writes('{"thought": "Hm', "m-5", { id: "t", name: "think" }));
  transcript.live(writes("", "m-5", { index: 1, id: "f", name: "finish" }));
  assert.deepEqual(transcript.messages[1].parts, [{ type: "reasoning", text: "Hm", state: "streaming" }]);
  transcript.live(writes('{"message": "Do', "m-5", { index: 1 }));
  transcript.live(writes("ne.", "m-5", { index: 1 }));
  assert.deepEqual(transcript.messages[1].parts[1], { type: "text", text: "Done.", state: "streaming" });
});

test("calls without an id, or with one that is taken, have ids of their own", () => {
  const transcript = loaded([says("Hi", "user"), calls("look", { tool_call_id: "call_0" })]);
  for (const [index, id] of [
    [0, undefined],
    [1, "call_0"],
    [2, "x"],
    [3, "x"],
  ])
    transcript.live(writes("{", "m-6", { index, id, name: "look" }));
  const ids = toolsOf(transcript).map(({ toolCallId }) => toolCallId);
  assert.equal(new Set(ids).size, 5, ids.join());
});

test("an answer that begins anew has the calls of the new attempt only", () => {
  const transcript = loaded([says("Hi", "user")]);
  transcript.live(writes('{"a":1', "m-7", { id: "a", name: "look" }));
  transcript.live({ kind: "StreamingDeltaEvent", message_id: "m-7" });
  assert.deepEqual(seen(transcript.messages), ["user: Hi"]);
  transcript.live(writes('{"b":2}', "m-7", { id: "b", name: "look" }));
  assert.deepEqual(
    toolsOf(transcript).map(({ toolCallId, args }) => [toolCallId, args]),
    [["b", { b: 2 }]],
  );
  transcript.append(
    event("MessageEvent", { source: "environment", llm_message: { role: "user", content: [{ type: "text", text: "No such tool." }] } }),
  );
  assert.deepEqual(toolsOf(transcript), [], "a call that cannot be read is answered with a note");
});

test("arguments are read as they come: no more work for a long text in many pieces", async () => {
  const { GrowingArguments } = await fromSource("ui/thread/growing-arguments.ts");
  const read = (text, size) => {
    const growing = new GrowingArguments();
    for (let at = 0; at < text.length; at += size) growing.push(text.slice(at, at + size));
    return growing.args;
  };
  const value = { t: 'a\n"b" \\ \u0007 é😀', n: -1.5e3, o: { x: ["]", '\\"', {}] }, f: false, z: null, __proto__x: 1, e: "" };
  for (const json of [JSON.stringify(value), JSON.stringify(value, null, 2)])
    for (const size of [1, 2, 3, 7, 1_000]) assert.deepEqual(read(json, size), value);
  for (const [json, known] of [
    ["", {}],
    ['{"a": tru', {}],
    ['{"a": true', {}],
    ['{"a": true,', { a: true }],
    ['{"a": "x\\', { a: "x" }],
    ['{"a": "x\\u00', { a: "x" }],
    ['{"a": [1, 2', {}],
    ['{"a": nonsense, "b": "c"}', {}],
    ['{"__proto__": "p', JSON.parse('{"__proto__": "p"}')],
    ["not JSON", {}],
  ])
    assert.deepEqual(read(json, 1), known, json);
});

test("pieces of an answer that is given up disappear", () => {
  const attempt = (give) => {
    const transcript = loaded([says("Hi", "user")]);
    transcript.live(streams("Hel", "m-2"));
    assert.equal(transcript.messages.length, 2);
    give(transcript);
    return seen(transcript.messages);
  };
  assert.deepEqual(
    attempt((transcript) => transcript.live({ kind: "WaitingEvent", attempt: 1, seconds: 2, why: "network", message: "" })),
    ["user: Hi"],
  );
  assert.deepEqual(
    attempt((transcript) => transcript.append(event("InterruptEvent", { source: "user" }))),
    ["user: Hi", "assistant: (interrupt)"],
  );
  assert.deepEqual(
    attempt((transcript) => transcript.append(event("ConversationErrorEvent", { code: "X", detail: "Y" }))),
    ["user: Hi", "assistant: [error]"],
  );
  // Another attempt has another id.
  assert.deepEqual(
    attempt((transcript) => transcript.live(streams("Good", "m-3"))),
    ["user: Hi", "assistant: Good"],
  );
});

test("open reasoning of an item that the SDK has stored is shown", () => {
  const answer = says("5", "agent");
  answer.llm_message.responses_reasoning_item = { id: "rs_1", summary: [], content: ["Adding.", "Both."] };
  assert.deepEqual(loaded([says("2 + 3?", "user"), answer]).messages[1].parts, [
    { type: "reasoning", text: "Adding.\nBoth.", state: "done" },
    { type: "text", text: "5", state: "done" },
  ]);
});

test("an answer has the sources that it names, and says what its server did", () => {
  const answered = (item, kind = "MessageEvent") => {
    last = undefined;
    const hi = says("Hi", "user");
    if (kind === "MessageEvent") {
      const answer = says("Yes [1].", "agent");
      answer.llm_message.responses_reasoning_item = item;
      return loaded([hi, answer]).messages[1].parts;
    }
    const fields = { tool_name: "finish", action: { kind: "FinishAction", message: "Yes [1]." }, thought: [], tool_call_id: "c" };
    return loaded([hi, event(kind, { source: "agent", ...fields, responses_reasoning_item: item })]).messages[1].parts;
  };
  const kept = {
    sources: [{ url: "https://a.example", title: "A" }, { url: "https://b.example" }],
    work: [{ name: "web_search", detail: "Rust" }, { name: "code" }],
  };
  const sources = [
    { url: "https://a.example", title: "A" },
    { url: "https://b.example", title: null },
  ];
  const text = { type: "text", text: "Yes [1].", state: "done" };
  const inShort = (parts) => parts.map((part) => (part.type === "notice" ? `${part.notice}: ${part.text}` : part));
  const json = JSON.stringify(kept);
  for (const kind of ["MessageEvent", "ActionEvent"]) {
    const parts = answered({ summary: [], encrypted_content: json }, kind);
    assert.deepEqual(inShort(parts), ["server: web_search: Rust", "server: code", { ...text, sources }]);
  }
  for (const item of [
    null,
    { id: "rs_1", summary: [], encrypted_content: json },
    { summary: [], encrypted_content: "{" },
    { summary: [], encrypted_content: '{"sources":7,"work":{"a":1}}' },
    { summary: [], encrypted_content: '{"sources":[null,{"url":"javascript:alert(1)"},{"url":"https://"},{"url":7}],"work":[{"name":7}]}' },
  ])
    assert.deepEqual(inShort(answered(item)), [text], JSON.stringify(item));
  const many = Array.from({ length: 300 }, (_, at) => ({ url: `https://a.example/${at}` }));
  assert.equal(answered({ summary: [], encrypted_content: JSON.stringify({ sources: many }) })[0].sources.length, 100);
});

test("an answer that was cut off is incomplete, whether it is stored or a draft", () => {
  const hi = says("Hi", "user");
  const partial = says("Good");
  partial.extended_content = [{ type: "text", text: "[This answer was stopped here.]" }];
  const stopped = loaded([hi]);
  stopped.live(streams("Go", partial.id));
  stopped.append(partial);
  stopped.append(event("InterruptEvent", { source: "user" }));
  assert.deepEqual(seen(stopped.messages), ["user: Hi", "assistant: Good | (interrupt)"]);
  assert.deepEqual([stopped.messages[1].id, stopped.messages[1].parts[0].state], [partial.id, "incomplete"]);

  const cut = (mark, ...texts) => {
    last = hi.id;
    const answer = says("", "agent");
    answer.llm_message.content = texts.map((text) => ({ type: "text", text }));
    answer.extended_content = [{ type: "text", text: mark }];
    return loaded([hi, answer]).messages[1].parts;
  };
  const incomplete = { type: "text", text: "Goo", state: "incomplete" };
  for (const [mark, reason] of cutMarks) assert.deepEqual(cut(mark, "Goo"), [{ ...incomplete, reason }]);
  assert.deepEqual(cut("[Another program’s words.]", "Goo"), [incomplete]);
  // Its limit was used up by thoughts.
  assert.deepEqual(cut([...cutMarks].find(([mark]) => /thoughts/.test(mark))[0]), [{ ...incomplete, text: "", reason: "length" }]);

  last = hi.id;
  const left = loaded([hi]);
  left.setDraft(streams("Goo", "m-1"));
  assert.deepEqual(seen(left.messages), ["user: Hi", "assistant: Goo"]);
  assert.deepEqual([left.messages[1].id, left.messages[1].state, left.messages[1].parts[0].state], ["m-1", "done", "incomplete"]);
  left.setDraft(streams("Goo", "m-1"));
  const next = loaded([hi]);
  next.adopt(left);
  assert.deepEqual(seen(next.messages), ["user: Hi", "assistant: Goo"]);
  next.setDraft(null);
  assert.deepEqual(seen(next.messages), ["user: Hi"], "its branch was left");
  left.live(streams("Well", "m-2"));
  assert.deepEqual(seen(left.messages), ["user: Hi", "assistant: Well"], "the model answers again");
  left.setDraft(streams("Goo", "m-1"));
  assert.deepEqual(seen(left.messages), ["user: Hi", "assistant: Well"]);
  left.endAnswer();
  left.setDraft(streams("Goo", "m-1"));
  left.append(says("Never mind", "user"));
  assert.deepEqual(seen(left.messages), ["user: Hi", "user: Never mind"]);
});

test("a call goes through its stages, and only its own part changes", () => {
  const call = [];
  const transcript = loaded([says("Hi", "user"), says("Let me see."), (call[0] = calls("look")), (call[1] = calls("pay"))]);
  const states = () => transcript.messages[1].parts.slice(1).map(({ state }) => state);
  const set = (fields) => transcript.setCalls({ waiting: new Set(), begun: new Set(), risks: {}, isRunning: false, ...fields });
  assert.deepEqual(states(), ["ready", "ready"]);
  set({ waiting: new Set([call[1].id]), risks: { [call[1].id]: "HIGH" } });
  assert.deepEqual([...states(), transcript.messages[1].parts[2].risk], ["ready", "waiting", "HIGH"]);
  set({ isRunning: true, begun: new Set([call[0].id]) });
  assert.deepEqual(states(), ["running", "running"]);
  const before = transcript.messages;
  set({ isRunning: true, begun: new Set([call[0].id]) });
  assert.equal(transcript.messages, before, "nothing has changed");
  transcript.live({ kind: "ToolProgressEvent", tool_call_id: call[0].tool_call_id, tool_name: "look", text: "half" });
  assert.equal(transcript.messages[1].parts[1].progress, "half");
  assert.equal(transcript.messages[1].parts[2], before[1].parts[2]);
  set({ begun: new Set([call[0].id]) });
  assert.deepEqual(states(), ["interrupted", "ready"]);
  transcript.append(resultOf(call[0], "seen", { found: 7 }));
  transcript.append(
    event("UserRejectObservation", { action_id: call[1].id, tool_call_id: call[1].tool_call_id, tool_name: "pay", rejection_reason: "No" }),
  );
  const [, look, pay] = transcript.messages[1].parts;
  assert.deepEqual(
    [look.state, look.progress, look.output, look.result, look.args],
    ["done", null, [{ type: "text", text: "seen" }], { kind: "Y", is_error: false, found: 7 }, { a: 1 }],
  );
  assert.deepEqual([pay.state, pay.error, pay.output], ["rejected", "No", null]);
});

test("events of other programs: unreadable, unknown, with fields that nobody expects", () => {
  const strange = [
    { kind: "UnreadableEvent", id: "u", file: "f", why: "it is not JSON" },
    event("FromTheFutureEvent"),
    event("ActionEvent", { tool_name: "x", tool_call: null }),
    event("MessageEvent", { llm_message: { content: [null] } }),
    event("ObservationEvent", { action_id: 3, observation: null }),
    event("MessageEvent", { source: "user", llm_message: { content: "as a text" } }),
    event("SecurityAnalysisEvent", { risks: null }),
    event("ACPToolCallEvent", { tool_call_id: "a", title: "Edit", status: "pending" }),
    event("ACPToolCallEvent", { tool_call_id: "a", title: "Edit", status: "completed", content: [{ type: "text", text: "ok" }] }),
  ];
  assert.deepEqual(seen(loaded(strange).messages), [
    "assistant: (unreadable) | (other) | x ready | (unreadable) | (unreadable)",
    "user: as a text",
    "assistant: Edit done",
  ]);
});

test("an event that does not follow the last one is left to a new reading of the branch", () => {
  const first = says("Hi", "user");
  const transcript = loaded([first, says("Hello")]);
  const before = transcript.messages;
  assert.equal(transcript.append({ ...says("Other"), parent_id: first.id }), false);
  assert.equal(transcript.append({ ...says("Root", "user"), parent_id: "__root__" }), false);
  assert.equal(transcript.messages, before);
});

test("the messages of a sub-agent are in the call that has started it", () => {
  const question = says("Hi", "user");
  const task = calls("task");
  const transcript = loaded([question, task]);
  const hears = (event, path = ["task_00000001"]) => transcript.live({ kind: "SubagentEvent", path, event });
  const inner = (kind, fields) => ({ kind, id: `inner-${++number}`, source: "agent", ...fields });
  hears(inner("MessageEvent", { source: "user", sender: task.id, llm_message: { content: "Do it" } }));
  hears(streams("Doing", "inner-answer"));
  const action = inner("ActionEvent", { tool_name: "task", tool_call_id: "t", tool_call: { arguments: "{}" }, action: { kind: "X" } });
  hears(action);
  hears(inner("MessageEvent", { source: "user", sender: action.id, llm_message: { content: "Deeper" } }), [
    "task_00000001",
    "task_00000001",
  ]);
  const shown = () => transcript.messages.at(-1).parts[0];
  assert.deepEqual(seen(shown().subagent), ["user: Do it", "assistant: task running"]);
  assert.deepEqual(seen(shown().subagent[1].parts[0].subagent), ["user: Deeper"]);
  transcript.append(resultOf(task));
  assert.deepEqual([shown().state, shown().subagent.length], ["done", 2]);
});

test("a summary has what it replaces, also of an earlier summary, and more of it with earlier messages", () => {
  const condenses = (ids, fields = {}) => event("Condensation", { forgotten_event_ids: ids, summary: "S", ...fields });
  const [hi, hello, ask, call] = [says("Hi", "user"), says("Hello"), says("Look", "user"), calls("look")];
  const answer = resultOf(call);
  const [more, last] = [says("More", "user"), says("Yes")];
  const first = condenses([hello.id, ask.id, call.id, answer.id]);
  const second = condenses([`${first.id}-summary`, more.id]);
  const noticeIn = (transcript) => transcript.messages.flatMap(({ parts }) => parts).findLast(({ type }) => type === "notice");
  const whole = loaded([hi, hello, ask, call, answer, first, more, last, second]);
  const summaries = whole.messages.flatMap(({ parts }) => parts).filter(({ type }) => type === "notice");
  assert.deepEqual(seen(summaries[0].forgotten), ["assistant: Hello", "user: Look", "assistant: look done"]);
  assert.deepEqual(seen(summaries[1].forgotten), ["assistant: (condensation)", "user: More"]);
  assert.equal(summaries[1].forgotten[0].parts[0], summaries[0], "and under the earlier one what that has replaced");
  assert.equal(seen(whole.messages).length, 6, "all of it stays where it was");

  const tail = loaded([ask, call, answer, first]);
  assert.deepEqual(seen(noticeIn(tail).forgotten), ["user: Look", "assistant: look done"]);
  const earlier = loaded([hi, hello, ask, call, answer, first]);
  earlier.adopt(tail);
  assert.equal(noticeIn(earlier).forgotten.length, 3);
});

test("a message names the skills that it has activated", () => {
  const skilled = event("MessageEvent", { source: "user", activated_skills: ["haiku", 7], llm_message: { content: "A haiku" } });
  assert.deepEqual(
    loaded([skilled, says("Late autumn")]).messages.map(({ skills }) => skills),
    [["haiku"], []],
  );
});

test("a long conversation: each event costs as much as its message is long", () => {
  const transcript = new Transcript();
  /** Milliseconds for a hundred turns: the fastest of some, because the machine does other things too. */
  const turns = (rounds) =>
    Math.min(
      ...Array.from({ length: rounds }, () => {
        const started = performance.now();
        for (let at = 0; at < 100; at++) {
          transcript.load(says("Question", "user"));
          transcript.load(says("Answer"));
        }
        return performance.now() - started;
      }),
    );
  turns(10);
  const early = turns(10);
  turns(230);
  const late = turns(10);
  assert.ok(late < 5 * early + 1, `${late} ms after 50,000 events, ${early} ms before`);
  assert.equal(transcript.messages.length, 52_000);
});

test("a failure has the code with which its run has rejected, whichever program has stored it", () => {
  const codeOf = (code, detail = "") => {
    const transcript = loaded([event("ConversationErrorEvent", { code, detail })]);
    const [part] = transcript.messages[0].parts;
    assert.equal(part.storedCode, code);
    return part.code;
  };
  assert.equal(codeOf("LLMAuthenticationError", "the provider refused the API key (HTTP 401)"), "llm_auth");
  assert.equal(codeOf("LLMAuthenticationError", "the stored key of this model is encrypted and cannot be read; open"), "key_locked");
  assert.equal(codeOf("LLMRateLimitError", "the account at the provider has no credit or quota left (HTTP 429)"), "llm_auth");
  assert.equal(codeOf("LLMServiceUnavailableError", "the connection to the provider failed: x"), "network");
  assert.equal(codeOf("LLMServiceUnavailableError", "litellm.ServiceUnavailableError: x"), "llm_unavailable");
  assert.deepEqual(
    ["MaxIterationsReached", "MaxBudgetReached", "FinalAnswerInvalid"].map((name) => codeOf(name)),
    ["limit_reached", "limit_reached", "limit_reached"],
  );
  assert.equal(codeOf("store_quota"), "store_quota");
  assert.deepEqual(
    ["KeyError", "APIError", "Some Error", ""].map((name) => codeOf(name)),
    ["unknown", "unknown", "unknown", "unknown"],
  );
  assert.equal(codeOf("KeyError", null), "unknown");
});

test("the files of a message are those that its added texts name, and nothing else", () => {
  const file = { path: "attachments/a.csv", name: "a.csv", media_type: "text/csv", size: 8 };
  const named = (fields) => ({ type: "text", text: `Attached file: ${JSON.stringify(fields)}\nIts text:\na,b\n` });
  const added = [
    { type: "text", text: "It rains." },
    named(file),
    named({ ...file, size: "8" }),
    { type: "text", text: `Attached file: ${JSON.stringify({ ...file, name: "b.pdf" })}\nIts text was not read: the PDF is broken.` },
    { type: "text", text: "Attached file: {no JSON}" },
    { type: "text", text: `See:\n${named(file).text}` },
    null,
  ];
  const { messages } = loaded([{ ...says("Look", "user"), extended_content: added }, says("I see.")]);
  assert.deepEqual(messages[0].attachments, [
    { path: "attachments/a.csv", name: "a.csv", mediaType: "text/csv", size: 8, note: null },
    { path: "attachments/a.csv", name: "b.pdf", mediaType: "text/csv", size: 8, note: "Its text was not read: the PDF is broken." },
  ]);
  assert.deepEqual(messages[0].parts, [{ type: "text", text: "Look", state: "done" }]);
  assert.deepEqual(messages[1].attachments, []);
});
