// Runs an agent on the store.
import { Agent, Conversation, LLM } from "threadkeep";
import { opfsStore } from "./opfs-store.js";

// Not awaited here: messages that come before the listener below exists would be lost.
const opening = opfsStore("conversations");
let conversation;

addEventListener("message", async ({ data: { conversationId, text, baseUrl } }) => {
  const agent = new Agent({ llm: new LLM({ model: "openai/scripted-model", baseUrl }) });
  try {
    conversation ??= await Conversation.open({ agent, store: await opening, conversationId });
    await conversation.sendMessage(text);
    for await (const event of conversation.run()) postMessage(event);
    postMessage({ kind: "done", id: conversation.id });
  } catch (error) {
    postMessage({ kind: "failed", text: error.message });
  }
});
