// A model, an agent and a thread for tests of threads.
import { createModel } from "../../support/model.mjs";
import { until as untilIt } from "../../support/until.mjs";
import { Agent, LLM, memoryStore, tool } from "../../../dist/index.js";
import { openThread } from "../../../dist/thread.js";

export const sum = { type: "object", properties: { sum: { type: "number" } } };
export const never = () => new Promise(() => {});

/** A model with this script, and an agent with it and two tools: `pay` asks first, and `look` does not. */
export function stage(script, { look = () => "seen", ...options } = {}) {
  const model = createModel(script);
  const tools = [
    tool({
      name: "pay",
      description: "Pays.",
      parameters: sum,
      annotations: { destructiveHint: true },
      execute: ({ sum }) => ({ paid: sum }),
    }),
    tool({ name: "look", description: "Looks.", parameters: { type: "object" }, execute: look }),
  ];
  const agent = new Agent({
    llm: new LLM({ model: "openai/m", baseUrl: "http://model.test/v1", fetch: model.fetch, numRetries: 0 }),
    tools,
  });
  const store = memoryStore();
  const open = (more) => openThread({ agent, store, ...options, ...more });
  return { model, agent, store, open };
}

/** Resolves to the snapshot of the thread as soon as it is as wanted. */
export function until(thread, isSo) {
  const wanted = () => {
    const snapshot = thread.getSnapshot();
    return isSo(snapshot) && snapshot;
  };
  return untilIt(wanted, `the thread is as wanted: ${isSo}`, { of: thread, seen: () => thread.getSnapshot() });
}
export const isIdle = ({ isRunning }) => !isRunning;

export const inShort = (part) =>
  part.type === "tool"
    ? `${part.toolName} ${part.state}`
    : part.type === "notice"
      ? `(${part.notice})`
      : part.type === "error"
        ? "[error]"
        : part.text;
export const seen = ({ messages }) => messages.map(({ role, parts }) => `${role}: ${parts.map(inShort).join(" | ")}`);
