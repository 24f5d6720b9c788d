// A stored chat with threadkeep: its store is in IndexedDB, its loop in the page.
import { Agent, Conversation, LLM } from "threadkeep";
import { openThread } from "threadkeep/thread";
import { answersWith, count, draw, isFilling, textOf } from "./page.js";

const agent = new Agent({ llm: new LLM({ model: "openai/scripted", baseUrl: "/v1", apiKey: "sk-0123456789abcdef" }) });
const conversationId = "5c1f64d2-3f0b-4c57-9a52-0f4f4d4a7a01";

if (isFilling) {
  const conversation = await Conversation.open({ agent, conversationId });
  for (let n = 0; n < count; n++) {
    await conversation.sendMessage(`Question ${n}`);
    await conversation.run();
  }
  await conversation.close();
  globalThis.isFilled = true;
} else {
  const thread = openThread({ agent, conversationId });
  const isAnswered = () => !thread.getSnapshot().isRunning && thread.getSnapshot().messages.at(-1)?.role === "assistant";
  const show = () => draw(thread.getSnapshot().messages.map(textOf));
  thread.subscribe(show);
  show();
  answersWith(async (text) => {
    await thread.send(text);
    if (isAnswered()) return;
    await new Promise((resolve) => thread.subscribe(() => isAnswered() && resolve()));
  });
}
