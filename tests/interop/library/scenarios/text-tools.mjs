// Conversations with a model that calls its tools in text.
import assert from "node:assert/strict";
import { eventsOf, say } from "../../../support/chat.mjs";
import { marked } from "../prompt-marks.mjs";

const begin = ["SystemPrompt", "Message"];
const llm = { nativeToolCalling: false };
const call = (name, parameters) =>
  [`<function=${name}>`, ...Object.entries(parameters).map(([key, value]) => `<parameter=${key}>${value}</parameter>`), ""].join("\n");

export const textTools = {
  "thoughts called in text": {
    llm,
    tools: [],
    compared: marked,
    replies: [
      { text: `I think first.\n\n${call("think", { thought: "one & <two>" })}` },
      { text: call("think", { thought: "\nthree\n four\n" }) },
      { text: "Thought through." },
    ],
    kinds: [...begin, "Action", "Observation", "Action", "Observation", "Message"],
  },
  // Python has no such tool, so that there the calls go on natively: see docs/differences.md.
  "host tool called in text": {
    llm,
    compared: () => [],
    replies: [{ text: call("add", { a: 1, b: 2 }) }, { text: "3." }],
    kinds: [...begin, "Action", "Observation", "Message"],
  },
  "calls in text that cannot be read": {
    llm,
    tools: [],
    compared: marked,
    replies: [{ text: call("nowhere", { x: 1 }) }, { text: call("think", {}) }, { text: "I cannot." }],
    kinds: [...begin, "Message", "Message", "Message"],
    play: async ({ conversation }) => {
      await say(conversation, "Please do it.");
      const reported = (await eventsOf(conversation)).slice(2, 4).map(({ llm_message: { content } }) => content[0].text);
      assert.match(reported[0], /there is no function 'nowhere'/);
      assert.match(reported[1], /these parameters are missing: thought/);
    },
  },
};
