// Conversations with an agent context.
import { tool } from "../../../../dist/index.js";
import { say } from "../../../support/chat.mjs";

const touch = tool({
  name: "touch",
  description: "Touches a file.",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  execute: ({ path }) => `Touched ${path}.`,
});

const agentContext = {
  skills: [
    { name: "house", content: "Be kind.\n" },
    {
      name: "weather",
      content: "It rains in Bergen.\n",
      trigger: { type: "keyword", keywords: ["weather"] },
      source: "https://skills.test/weather/SKILL.md",
    },
    // The question with which the SDK goes on.
    {
      name: "past",
      content: "Tell the truth.",
      trigger: { type: "keyword", keywords: ["so far"] },
      isAgentskillsFormat: true,
      description: "How to speak about the past",
    },
    {
      name: "report",
      content: "Write about ${topic}.",
      trigger: { type: "task", triggers: ["/report"] },
      inputs: [{ name: "topic", description: "What about" }],
    },
    {
      name: "sailing",
      content: "Mind the tide.",
      isAgentskillsFormat: true,
      description: "How to sail",
      license: "MIT",
      metadata: { a: "b" },
      allowedTools: ["touch"],
    },
    { name: "rule", content: "Notes are short.", trigger: { type: "path", paths: ["*.txt"] } },
  ],
  systemMessageSuffix: "Answer in English.",
  userMessageSuffix: "Please.",
  disabledSkills: ["rowing"],
  currentDatetime: "2026-01-01T12:00:00",
};

const calls = ["Action", "Observation", "Action", "Observation"];

export const skills = {
  "skills that are triggered and opened": {
    replies: [
      { calls: [{ name: "invoke_skill", arguments: { name: "sailing" } }] },
      { calls: [{ name: "touch", arguments: { path: "a.txt" } }] },
      { text: "Done." },
      { text: "Done." },
    ],
    kinds: ["SystemPrompt", "Message", ...calls, "Message", "Message", "Message"],
    tools: [touch],
    agent: { agentContext },
    async play({ conversation }) {
      await say(conversation, "What is the weather?");
      await say(conversation, "/report on the weather");
    },
  },
  "a context and no message": {
    replies: [],
    kinds: [],
    tools: [],
    agent: { agentContext: { ...agentContext, memoryContext: "The user sails." } },
    play() {},
    // The SDK has its own sentences in the system prompt.
    compared: (messages) => messages.slice(1),
  },
  "a context without skills": {
    replies: [{ text: "Done." }],
    kinds: ["SystemPrompt", "Message", "Message"],
    agent: { agentContext: { userMessageSuffix: "Please." } },
  },
};
