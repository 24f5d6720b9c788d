// Conversations with tool calls, good and bad.
import assert from "node:assert/strict";
import { tool } from "../../../../dist/index.js";
import { add, eventsOf, note, pixel, say, sum } from "../../../support/chat.mjs";

const begin = ["SystemPrompt", "Message"];

/** A tool without arguments that gives `output`, or does what `output` does. */
const giving = (output, name = "give") =>
  tool({
    name,
    description: "Gives something.",
    parameters: { type: "object", properties: {} },
    execute: typeof output === "function" ? output : () => output,
  });
const give = { name: "give", arguments: {} };
const given = (output) => ({
  tools: [giving(output)],
  replies: [{ calls: [give] }, { text: "Got it." }],
  kinds: [...begin, "Action", "Observation", "Message"],
});

export const calls = {
  "three calls at once": {
    replies: [{ text: "Adding.", calls: [sum(1, 2), sum(3, 4), sum(1, 2)] }, { text: "3, 7 and 3." }],
    kinds: [...begin, "Action", "Action", "Action", "Observation", "Observation", "Observation", "Message"],
  },
  "calls that end in another order": {
    agent: { toolConcurrencyLimit: 2 },
    tools: [giving(async () => (await new Promise((resolve) => setImmediate(resolve)), "late"), "late"), add],
    replies: [{ calls: [{ name: "late", arguments: {} }, sum(1, 2)] }, { text: "Both." }],
    kinds: [...begin, "Action", "Action", "Observation", "Observation", "Message"],
    play: async ({ conversation }) => {
      await say(conversation, "Both, please.");
      assert.deepEqual(
        (await conversation.events.slice(4, 6)).map((event) => event.tool_name),
        ["add", "late"],
      );
    },
  },
  "two rounds of calls and another message": {
    replies: [{ calls: [sum(1, 2)] }, { text: "Then:", calls: [sum(3, 4)] }, { text: "7." }, { text: "You are welcome." }],
    kinds: [...begin, "Action", "Observation", "Action", "Observation", "Message", "Message", "Message"],
    play: async ({ conversation }) => {
      await say(conversation, "Add.");
      await say(conversation, "Thanks.");
    },
  },
  "invalid calls among valid ones": {
    replies: [
      {
        text: "All at once.",
        calls: [
          sum(1, 2),
          { name: "nowhere", arguments: { x: 1 } },
          sum(3, 4),
          { name: "add", arguments: '{"a": 1, "b"' },
          { name: "add", arguments: { a: "one" } },
        ],
      },
      { text: "Some went wrong." },
    ],
    kinds: [
      ...begin,
      "Action",
      "Action",
      "Action",
      "Action",
      "Action",
      "AgentError",
      "AgentError",
      "AgentError",
      "Observation",
      "Observation",
      "Message",
    ],
  },
  "an unknown tool alone": {
    replies: [{ calls: [{ name: "nowhere", arguments: {} }] }, { text: "There is none." }],
    kinds: [...begin, "Action", "AgentError", "Message"],
  },
  "arguments that are not JSON": {
    replies: [{ calls: [{ name: "add", arguments: "{'a': 1}" }] }, { text: "Sorry." }],
    kinds: [...begin, "Action", "AgentError", "Message"],
  },
  // The third error of one tool in a row makes the stuck detector say a word to the model.
  "arguments that are a list, a string, and nothing": {
    replies: [
      {
        calls: [
          { name: "add", arguments: "[1, 2]" },
          { name: "add", arguments: '"1"' },
          { name: "add", arguments: "" },
        ],
      },
      { text: "Sorry." },
    ],
    kinds: [...begin, "Action", "Action", "Action", "AgentError", "AgentError", "AgentError", "Message", "Message"],
  },
  "the call ids of an earlier answer again": {
    replies: [
      { calls: [{ ...sum(1, 2), id: "call" }] },
      {
        calls: [
          { ...sum(3, 4), id: "call" },
          { ...sum(5, 6), id: "call" },
        ],
      },
      { text: "Done." },
    ],
    kinds: [...begin, "Action", "Observation", "Action", "Action", "Observation", "Observation", "Message"],
  },
  "a risk, a summary, a null and a list in a string": {
    replies: [
      { calls: [{ name: "note", arguments: { security_risk: "LOW", summary: "Keep it.", text: "x", tags: '["a", "b"]', more: null } }] },
      { text: "Kept." },
    ],
    kinds: [...begin, "Action", "Observation", "Message"],
    play: async ({ conversation }) => {
      await say(conversation, "Keep x.");
      const { action, summary } = await conversation.events.at(2);
      assert.deepEqual([action.data, summary], [{ text: "x", tags: ["a", "b"], more: null }, "Keep it."]);
    },
  },
  "numbers of every spelling": {
    tools: [tool({ name: "count", description: "Counts.", parameters: { type: "object", properties: {} }, execute: (args) => args })],
    replies: [
      { calls: [{ name: "count", arguments: '{"a":1.0,"b":1e400,"c":-0.0,"d":12345678901234567890123,"e":1E2,"f":0.1}' }] },
      { text: "Counted." },
    ],
    kinds: [...begin, "Action", "Observation", "Message"],
  },
  "keys of every kind in the arguments": {
    tools: [tool({ name: "keep", description: "Keeps.", parameters: { type: "object", properties: {} }, execute: () => "kept" })],
    replies: [
      {
        calls: [
          {
            name: "keep",
            arguments: { kind: "MCPToolAction", data: { data: 1 }, "": "", "ä\u2028": [null, { kind: null }], __proto__x: true },
          },
        ],
      },
      { text: "Kept." },
    ],
    kinds: [...begin, "Action", "Observation", "Message"],
  },
  "a tool that throws": {
    tools: [
      giving(() => {
        throw new Error("out of paper \ud83d");
      }),
    ],
    replies: [{ calls: [give] }, { text: "It failed." }],
    kinds: [...begin, "Action", "AgentError", "Message"],
  },
  "a tool that throws nothing, and one that throws an object": {
    tools: [
      giving(() => Promise.reject()),
      giving(() => {
        throw { reason: 1 };
      }, "give2"),
    ],
    replies: [{ calls: [give, { name: "give2", arguments: {} }] }, { text: "They failed." }],
    kinds: [...begin, "Action", "Action", "AgentError", "AgentError", "Message"],
  },
  "a tool that reports an error": given({ content: [{ type: "text", text: "no such page" }], isError: true }),
  "a tool that gives a value": given({ n: [1, 2.5, null, "ü"], "": {} }),
  "a tool that gives an image": given({ content: [{ type: "image", image_urls: [pixel] }] }),
  "a tool that gives text and images": given({
    content: [
      { type: "text", text: "Two:" },
      { type: "image", image_urls: [pixel, "https://example.test/a.png"] },
    ],
    isError: true,
  }),
  "a tool that gives nothing": { ...given(() => undefined), forgiven: /has no text|empty content|no content/ },
  "a tool that gives an empty text": { ...given(""), forgiven: /has no text|empty content|no content/ },
  "a tool that gives no content": { ...given({ content: [] }), forgiven: /has no text|empty content|no content/ },
  "a tool that gives 60 000 characters": given("😀ü".repeat(30_000)),
  "a tool that gives half a megabyte": given("line\r\n".repeat(90_000)),
  "a tool that gives halves of surrogate pairs": given("\ud83d and \ude00 and 😀"),
  "a tool that gives content with more keys than the SDK knows": given({
    content: [{ type: "text", text: "x", annotations: { audience: [] }, cache_prompt: true }],
  }),
  "a tool that gives control characters": given("\u0000\u0001\u001f\u007f\u0085\u2028\u2029\ufeff\ufffe\uffff\b\f\v\u001b[31m"),
  "finish with a call before it and calls behind it": {
    replies: [
      { calls: [sum(1, 2), { name: "finish", arguments: { message: "Finished." } }, sum(3, 4), { name: "nowhere", arguments: {} }] },
    ],
    kinds: [...begin, "Action", "Action", "Action", "Action", "AgentError", "AgentError", "Observation", "Observation"],
    play: async ({ conversation }) => {
      const { status, finalResponse } = await say(conversation, "Finish.");
      assert.deepEqual([status, finalResponse], ["finished", "Finished."]);
    },
  },
  "finish without its message": {
    replies: [{ calls: [{ name: "finish", arguments: {} }] }, { calls: [{ name: "finish", arguments: { message: "Now." } }] }],
    kinds: [...begin, "Action", "AgentError", "Action", "Observation"],
  },
  "a thought": {
    replies: [{ calls: [{ name: "think", arguments: { thought: "Hm \ud83d\ude00 \u2028" } }] }, { text: "I thought." }],
    kinds: [...begin, "Action", "Observation", "Message"],
  },
  "a tool with a schema of every kind": {
    tools: [
      note,
      tool({
        name: "Every-Thing_64",
        description: "Does \ud83d \u0000 everything.",
        parameters: {
          type: "object",
          $defs: { point: { type: "object", properties: { x: { type: "number", default: 1.5 } } } },
          properties: {
            at: { $ref: "#/$defs/point" },
            "ö\u2028": { anyOf: [{ type: "string", pattern: "^\\p{L}" }, { type: "null" }] },
            summary: { type: "string" },
          },
          additionalProperties: false,
        },
        annotations: { title: "Everything", readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
        needsApproval: false,
        execute: () => "done",
      }),
    ],
    replies: [{ calls: [{ name: "Every-Thing_64", arguments: { at: { x: 1 }, summary: "mine" } }] }, { text: "Done." }],
    kinds: [...begin, "Action", "Observation", "Message"],
  },
  "calls side by side": {
    tools: [add, note],
    replies: [
      { calls: [sum(1, 2), { name: "note", arguments: { text: "a" } }, { name: "note", arguments: { text: "b" } }] },
      { text: "Done." },
    ],
    kinds: [...begin, "Action", "Action", "Action", "Observation", "Observation", "Observation", "Message"],
    agent: { toolConcurrencyLimit: 3 },
    play: async ({ conversation }) => {
      await say(conversation, "All of it.");
      const called = (await eventsOf(conversation)).filter(({ kind }) => kind === "ActionEvent").map(({ tool_call_id: id }) => id);
      assert.equal(new Set(called).size, 3);
    },
  },
};
