// A chat of the AI SDK with the transport, an agent and a scripted model, without a page.
import { Chat } from "@ai-sdk/react";
import { lastAssistantMessageIsCompleteWithApprovalResponses } from "ai";
import { Agent, LLM, memoryStore, tool } from "../../../dist/index.js";
import { ThreadkeepChatTransport } from "../../../dist/ai-sdk.js";
import { createModel } from "../../support/model.mjs";
import { until } from "../../support/until.mjs";

/** An agent with tools of which one waits for the user. `done` gets what that has done. */
export function agentOf(model, done = [], options = {}) {
  const path = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
  return new Agent({
    llm: new LLM({ model: "openai/m", fetch: model.fetch, numRetries: 1, ...options }),
    tools: [
      tool({
        name: "weather",
        description: "The weather of a city",
        parameters: { type: "object", properties: { city: { type: "string" } } },
        execute: ({ city }) => ({ city, degrees: 20 }),
      }),
      tool({
        name: "remove",
        description: "Removes a file",
        parameters: path,
        needsApproval: true,
        execute: ({ path }) => (done.push(path), `removed ${path}`),
      }),
      tool({
        name: "fail",
        description: "Fails",
        parameters: { type: "object", properties: {} },
        execute: () => {
          throw new Error("no luck");
        },
      }),
    ],
  });
}

/** A chat with everything that is behind it. `again()` is the same chat after a reload. */
export function chatWith(script, { id = "a chat", store = memoryStore(), ...options } = {}) {
  const model = createModel(script);
  const done = [];
  const made = [];
  const open = async (agent = agentOf(model, done)) => {
    const transport = new ThreadkeepChatTransport({ agent, store, ...options });
    const errors = [];
    const data = [];
    const chat = new Chat({
      id,
      transport,
      messages: await transport.messages(id),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
      onError: (error) => errors.push(error),
      onData: (part) => data.push(part),
    });
    made.push(transport);
    return { chat, transport, errors, data };
  };
  const close = () => Promise.all(made.map((transport) => transport.close()));
  return { model, store, done, id, open, close };
}

/** A call in a reply of the model. */
export const call = (name, args = {}) => ({ name, arguments: args });

/** The message without fields that are undefined. */
export const plain = (value) => JSON.parse(JSON.stringify(value));

/** Parts as short lines. */
export const lines = ({ parts }) =>
  parts.map((part) => {
    if ("toolCallId" in part)
      return `${part.type} ${part.state} ${JSON.stringify(part.input)} ${JSON.stringify(part.output ?? part.errorText ?? part.approval?.reason ?? null)}`;
    return part.text === undefined ? part.type : `${part.type} ${part.text}`;
  });

/** The calls of a message that wait for the user. */
export const asked = ({ messages }) => messages.at(-1).parts.filter(({ state }) => state === "approval-requested");

/** Resolves when the chat shows this text last. */
export const shows = (chat, text) => until(() => chat.messages.at(-1)?.parts?.at(-1)?.text === text, `it shows “${text}”`);

/** Resolves when the chat is at rest: also after requests that it sends by itself. */
export async function atRest(chat) {
  for (;;) {
    const { status } = chat;
    await new Promise((resolve) => setTimeout(resolve));
    if (status === chat.status && ["ready", "error"].includes(status)) return;
  }
}
