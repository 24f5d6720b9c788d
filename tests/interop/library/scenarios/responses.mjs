// Conversations over the Responses API: reasoning that only the provider reads, calls with the ids of their items.
import assert from "node:assert/strict";
import { tool } from "../../../../dist/index.js";
import { withoutMarks } from "./endings.mjs";
import { add, eventsOf, note, pixel, say, sum } from "../../../support/chat.mjs";

const begin = ["SystemPrompt", "Message"];
const over = (scenario, llm = {}) => ({ llm: { model: "openai/gpt-5", apiMode: "responses", ...llm }, ...scenario });

export const responses = {
  "over Responses: reasoning, three calls at once and a word": over({
    replies: [
      { reasoning: "Three sums.", text: "Adding.", calls: [sum(1, 2), sum(3, 4), sum(1, 2)] },
      { reasoning: "All there.", text: "3, 7 and 3." },
    ],
    kinds: [...begin, "Action", "Action", "Action", "Observation", "Observation", "Observation", "Message"],
    play: async ({ conversation }) => {
      await say(conversation, "Add them.");
      const events = await eventsOf(conversation);
      const [first, second] = events.slice(2, 4);
      // The word between has an id, for which the SDK has no place: all is kept in an item that the SDK does not send.
      const { encrypted_content, ...item } = first.responses_reasoning_item;
      assert.deepEqual([item, second.responses_reasoning_item], [{ summary: ["Three sums."] }, undefined]);
      const items = JSON.parse(encrypted_content).items.map(({ type, id }) => [type, id]);
      assert.deepEqual(items.slice(0, 3), [
        ["reasoning", "rs_1"],
        ["message", "msg_1"],
        ["function_call", "fc_1_1"],
      ]);
      const { id, responses_item_id: itemId, origin } = second.tool_call;
      assert.deepEqual([id, itemId, origin], ["call_1_2", undefined, "responses"]);
    },
  }),
  "over Responses: two rounds of calls and another message": over({
    replies: [
      { reasoning: "First.", calls: [sum(1, 2)] },
      { text: "Then:", calls: [sum(3, 4)] },
      { text: "7." },
      { reasoning: "Kind.", text: "You are welcome." },
    ],
    kinds: [...begin, "Action", "Observation", "Action", "Observation", "Message", "Message", "Message"],
    play: async ({ conversation }) => {
      await say(conversation, "Add.");
      await say(conversation, "Thanks.");
    },
  }),
  "over Responses: in one piece": over(
    {
      replies: [{ reasoning: "One.", calls: [sum(1, 2)] }, { text: "3." }],
      kinds: [...begin, "Action", "Observation", "Message"],
    },
    { stream: false },
  ),
  "over Responses: invalid calls among valid ones": over({
    tools: [add, note],
    replies: [
      {
        reasoning: "All.",
        text: "All at once.",
        calls: [sum(1, 2), { name: "nowhere", arguments: { x: 1 } }, { name: "add", arguments: '{"a": 1, "b"' }, sum(3, 4)],
      },
      { text: "Some went wrong." },
    ],
    kinds: [...begin, "Action", "Action", "Action", "Action", "AgentError", "AgentError", "Observation", "Observation", "Message"],
  }),
  "over Responses: the call ids of an earlier answer again": over({
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
  }),
  "over Responses: a picture and words of a tool": over({
    tools: [
      tool({
        name: "look",
        description: "Shows something.",
        parameters: { type: "object", properties: {} },
        execute: () => ({
          content: [
            { type: "text", text: "See:" },
            { type: "image", image_urls: [pixel] },
          ],
        }),
      }),
    ],
    forgiven: /which is not an open call/, // a second result
    replies: [{ reasoning: "Look.", calls: [{ name: "look", arguments: {} }] }, { text: "A dot." }],
    kinds: [...begin, "Action", "Observation", "Message"],
  }),
  "over Responses: nothing but reasoning, up to the limit": over({
    forgiven: /followed by nothing/,
    // The messages of the user are one here.
    compared: (input) => withoutMarks(input).flatMap(({ content }) => content),
    replies: [{ reasoning: "Hm…", finish: "length" }],
    kinds: [...begin, "Message"],
  }),
  "over Responses: begun over Chat Completions": over({
    llm: {},
    replies: [
      { reasoning: "Shown.", text: "Adding.", calls: [sum(1, 2)] },
      { text: "3." },
      { reasoning: "Hidden.", calls: [sum(3, 4)] },
      { text: "7." },
    ],
    kinds: [...begin, "Action", "Observation", "Message", "Message", "Action", "Observation", "Message"],
    goesOn: { model: "openai/gpt-5", apiMode: "responses" },
    play: async ({ conversation, open }) => {
      await say(conversation, "Add.");
      await conversation.close();
      const other = await open({ conversationId: conversation.id, llm: { model: "openai/gpt-5", apiMode: "responses" } });
      await say(other, "And again.");
      return other;
    },
  }),
};
