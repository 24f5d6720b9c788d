// Conversations over Anthropic Messages: thoughts with their signatures, and those that only the provider reads.
import assert from "node:assert/strict";
import { tool } from "../../../../dist/index.js";
import { add, eventsOf, note, pixel, say, sum } from "../../../support/chat.mjs";

const begin = ["SystemPrompt", "Message"];
const claude = { model: "anthropic/claude-sonnet-4-5-20250929", apiMode: "anthropic" };
const over = (scenario, llm = {}) => ({ llm: { ...claude, ...llm }, ...scenario });

export const anthropic = {
  "over Anthropic: thoughts, three calls at once and a word": over({
    replies: [
      { redacted: "b3BhcXVl", reasoning: "Three sums.", text: "Adding.", calls: [sum(1, 2), sum(3, 4), sum(1, 2)] },
      { reasoning: "All there.", text: "3, 7 and 3." },
    ],
    kinds: [...begin, "Action", "Action", "Action", "Observation", "Observation", "Observation", "Message"],
    play: async ({ conversation, model }) => {
      await say(conversation, "Add them.");
      const events = await eventsOf(conversation);
      const [first, second] = events.slice(2, 4);
      const blocks = [
        { type: "redacted_thinking", data: "b3BhcXVl" },
        { type: "thinking", thinking: "Three sums.", signature: "c2lnbmVk0" },
      ];
      assert.deepEqual([first.thinking_blocks, second.thinking_blocks], [blocks, []]);
      assert.deepEqual(
        [first.reasoning_content, first.tool_call.id, first.tool_call.arguments],
        ["Three sums.", "toolu_1_1", '{"a": 1, "b": 2}'],
      );
      assert.deepEqual(model.requests[1].body.messages[1].content.slice(0, 2), blocks);
      assert.equal(model.requests[1].headers["x-api-key"], "sk-scripted");
    },
  }),
  "over Anthropic: two rounds of calls and another message": over({
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
  "over Anthropic: a model that thinks as much as it likes, in one piece": over(
    {
      replies: [{ reasoning: "One.", calls: [sum(1, 2)] }, { text: "3." }],
      kinds: [...begin, "Action", "Observation", "Message"],
    },
    { model: "anthropic/claude-opus-4-8", stream: false },
  ),
  "over Anthropic: calls that cannot be made": over({
    tools: [add, note],
    replies: [
      { reasoning: "All.", text: "All at once.", calls: [sum(1, 2), { name: "nowhere", arguments: { x: 1 } }, sum(3, 4)] },
      { text: "One went wrong." },
    ],
    kinds: [...begin, "Action", "Action", "Action", "AgentError", "Observation", "Observation", "Message"],
  }),
  "over Anthropic: a picture and words of a tool": over({
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
    replies: [{ reasoning: "Look.", calls: [{ name: "look", arguments: {} }] }, { text: "A dot." }],
    kinds: [...begin, "Action", "Observation", "Message"],
  }),
  "over Anthropic: begun over Chat Completions": over({
    llm: { model: "openai/gpt-4o" },
    replies: [
      { text: "Adding.", calls: [{ ...sum(1, 2), id: "call.1|fc:2" }] },
      { text: "3." },
      { reasoning: "Again.", calls: [sum(3, 4)] },
      { text: "7." },
    ],
    kinds: [...begin, "Action", "Observation", "Message", "Message", "Action", "Observation", "Message"],
    goesOn: claude,
    play: async ({ conversation, open }) => {
      await say(conversation, "Add.");
      await conversation.close();
      const other = await open({ conversationId: conversation.id, llm: claude });
      await say(other, "And again.");
      return other;
    },
  }),
};
