// A chat with one tool. The address names the conversation, so a reload opens it again, also in the middle of a call.
import { Agent, LLM, tool } from "threadkeep";
import "threadkeep/chat";

const rollDice = tool({
  name: "roll_dice",
  description: "Rolls dice with six sides.",
  parameters: { type: "object", properties: { count: { type: "integer", minimum: 1, maximum: 9 } }, required: ["count"] },
  // The user is asked before each call.
  annotations: { title: "Roll dice", destructiveHint: true },
  execute: ({ count }) => Array.from({ length: Number(count) }, () => 1 + Math.floor(Math.random() * 6)).join(" "),
});

const chat = document.querySelector("threadkeep-chat");
if (location.hash) chat.setAttribute("conversation-id", location.hash.slice(1));
chat.addEventListener("conversation-open", ({ detail }) => (location.hash = detail.conversationId));

// Dice in place of numbers. Everything else has the view of the library.
chat.visualizer = (part) => {
  if (part.type !== "tool" || part.toolName !== "roll_dice" || part.state !== "done") return undefined;
  return part.output[0].text.replace(/[1-6]/g, (side) => String.fromCodePoint(0x267f + Number(side)));
};

// A relay of the page's own server, which adds the key: nobody can read it from the page.
chat.options = { agent: new Agent({ llm: new LLM({ model: "openai/gpt-5-mini", baseUrl: "/v1", apiMode: "chat" }), tools: [rollDice] }) };
