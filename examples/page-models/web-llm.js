// A model that WebLLM runs in the page, behind the option `fetch` of `LLM`.
import { CreateMLCEngine } from "@mlc-ai/web-llm";
import { LLM } from "threadkeep";
import { answer, textOf } from "./shared.js";

const engine = await CreateMLCEngine("Llama-3.1-8B-Instruct-q4f32_1-MLC");

async function webLLM(_url, { body, signal }) {
  const messages = JSON.parse(body).messages.map((message) => ({ ...message, content: textOf(message.content) }));
  signal.addEventListener("abort", () => engine.interruptGenerate());
  const chunks = await engine.chat.completions.create({ messages, stream: true, stream_options: { include_usage: true } });
  return answer(() => chunks);
}

export const llm = new LLM({ model: "llama-3.1-8b", baseUrl: "/web-llm", nativeToolCalling: false, fetch: webLLM });
