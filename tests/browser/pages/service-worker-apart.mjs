// A service worker with the entry for pages, which loads parts when they are needed.
import { Agent, Conversation, LLM, memoryStore, tool } from "/threadkeep/index.js";

addEventListener("install", () => skipWaiting());
addEventListener("message", (event) => event.waitUntil(answer(event)));

async function answer({ ports: [port] }) {
  const tools = [tool({ name: "roll", description: "Rolls.", parameters: { type: "object" }, execute() {} })];
  const opening = Conversation.open({ agent: new Agent({ llm: new LLM({ model: "openai/m" }), tools }), store: memoryStore() });
  port.postMessage(
    await opening.then(
      () => "opened",
      ({ code, message }) => `${code}: ${message}`,
    ),
  );
}
