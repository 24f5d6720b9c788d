// The same two tasks with each library: an agent's run with so many calls of a tool, and an answer in many pieces. Each
// function takes the `fetch` to use, and returns the model's last text.
import { createOpenAI } from "@ai-sdk/openai";
import * as agents from "@openai/agents";
import * as ai from "ai";
import OpenAI from "openai";
import * as threadkeep from "../dist/index.js";
import { found } from "./scripted-fetch.mjs";

const baseURL = "https://model.invalid/v1";
const apiKey = "sk-0123456789abcdef";
const instructions = "You are a helpful assistant.";
const parameters = { type: "object", properties: { query: { type: "string" } }, required: ["query"], additionalProperties: false };
const description = "Looks something up.";
agents.setTracingDisabled(true);

/** Runs an agent with each library. */
export const runs = {
  async threadkeep(fetch, steps) {
    const { Agent, Conversation, LLM, memoryStore, tool } = threadkeep;
    const lookUp = tool({ name: "look_up", description, parameters, execute: () => found });
    const llm = new LLM({ model: "openai/gpt-4o", baseUrl: baseURL, apiKey, fetch });
    const conversation = await Conversation.open({
      agent: new Agent({ llm, tools: [lookUp], systemPrompt: instructions }),
      store: memoryStore(),
      maxIterationPerRun: steps + 2,
      stuckDetection: false,
    });
    await conversation.sendMessage("Go");
    const { finalResponse } = await conversation.run();
    await conversation.close();
    return finalResponse;
  },
  async ai(fetch, steps) {
    const result = ai.streamText({
      model: createOpenAI({ baseURL, apiKey, fetch }).chat("gpt-4o"),
      tools: { look_up: ai.tool({ description, inputSchema: ai.jsonSchema(parameters), execute: async () => found }) },
      system: instructions,
      prompt: "Go",
      stopWhen: ai.stepCountIs(steps + 2),
    });
    await result.consumeStream();
    return result.text;
  },
  async "OpenAI Agents"(fetch, steps) {
    const lookUp = agents.tool({ name: "look_up", description, parameters, strict: true, execute: async () => found });
    const model = new agents.OpenAIChatCompletionsModel(new OpenAI({ baseURL, apiKey, fetch }), "gpt-4o");
    const agent = new agents.Agent({ name: "Agent", instructions, model, tools: [lookUp] });
    const result = await agents.run(agent, "Go", { stream: true, maxTurns: steps + 2 });
    await result.completed;
    return result.finalOutput;
  },
};

/** The arguments of a call while they are written, and how many pieces they came in. */
export async function readArguments(fetch) {
  const { Agent, Conversation, LLM, memoryStore } = threadkeep;
  const llm = new LLM({ model: "openai/gpt-4o", baseUrl: baseURL, apiKey, fetch });
  const conversation = await Conversation.open({ agent: new Agent({ llm }), store: memoryStore() });
  await conversation.sendMessage("Go");
  let text = "";
  for await (const event of conversation.run())
    if (event.kind === "StreamingDeltaEvent") for (const call of event.tool_calls ?? []) text += call.function.arguments;
  await conversation.close();
  return text;
}

/** Reads an answer with each library, and without any. */
export const readings = {
  async "a bare loop"(fetch) {
    const reader = (await fetch(`${baseURL}/chat/completions`, { method: "POST", body: "{}" })).body.getReader();
    const decoder = new TextDecoder();
    let rest = "";
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text;
      const events = (rest + decoder.decode(value, { stream: true })).split("\n\n");
      rest = events.pop();
      for (const event of events) {
        if (event === "data: [DONE]") return text;
        const delta = JSON.parse(event.slice(6)).choices[0]?.delta;
        text += delta?.content ?? delta?.tool_calls?.[0].function.arguments ?? "";
      }
    }
  },
  async threadkeep(fetch) {
    const { Agent, Conversation, LLM, memoryStore } = threadkeep;
    const llm = new LLM({ model: "openai/gpt-4o", baseUrl: baseURL, apiKey, fetch });
    const conversation = await Conversation.open({ agent: new Agent({ llm }), store: memoryStore() });
    await conversation.sendMessage("Go");
    let text = "";
    for await (const event of conversation.run()) if (event.kind === "StreamingDeltaEvent") text += event.content ?? "";
    await conversation.close();
    return text;
  },
  async openai(fetch) {
    let text = "";
    const stream = await new OpenAI({ baseURL, apiKey, fetch }).chat.completions.create({
      model: "gpt-4o",
      stream: true,
      messages: [{ role: "user", content: "Go" }],
    });
    for await (const { choices } of stream) text += choices[0]?.delta.content ?? "";
    return text;
  },
  async ai(fetch) {
    let text = "";
    for await (const piece of ai.streamText({ model: createOpenAI({ baseURL, apiKey, fetch }).chat("gpt-4o"), prompt: "Go" }).textStream)
      text += piece;
    return text;
  },
};
