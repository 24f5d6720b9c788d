// The tools that a page runs for a writer in a worker.
import type { CoreConversation } from "../../../pkg/threadkeep.js";
import { textOf } from "../../input/errors.js";
import type { ToolCalls } from "../../tool/calls.js";
import { type FromFollower, type FromWriter, lockOfPage, type Unsigned } from "./channel.js";

export interface OwnTools {
  /** Tells the writer which tools can run here, if there are any, from now on with each change. */
  offer(): void;
  /** A message of the writer. */
  hear(message: FromWriter): void;
  /** Aborts what runs for a writer that has ended. */
  stop(): void;
}

/** @param over Aborted when the handle follows no longer. */
export function ownTools(
  client: string,
  core: CoreConversation,
  tools: ToolCalls,
  post: (message: Unsigned<FromFollower, "from">) => void,
  over: AbortSignal,
): OwnTools {
  const names = typeof document === "undefined" ? [] : tools.ofPages;
  const running = new Map<number, AbortController>();
  let isOffered = false;
  let looked = Date.now();

  const tell = () => post({ tools: names, looked: document.visibilityState === "visible" ? looked : null });
  const look = () => {
    looked = Date.now();
    if (isOffered) tell();
  };
  const begin = async () => {
    addEventListener("focus", look, { signal: over });
    document.addEventListener("visibilitychange", look, { signal: over });
    const ended = new Promise<void>((resolve) => over.addEventListener("abort", () => resolve()));
    const locks = globalThis.navigator?.locks;
    if (!locks) return;
    // Before the writer hears of this page, because it asks for the lock then.
    await new Promise<void>((held) => void locks.request(lockOfPage(client), () => (held(), ended)).catch(() => held()));
  };
  const stop = () => {
    for (const controller of running.values()) controller.abort();
    running.clear();
  };
  over.addEventListener("abort", stop);
  let begun: Promise<void> | undefined;

  return {
    async offer() {
      if (names.length === 0) return;
      await (begun ??= begin());
      isOffered = true;
      if (!over.aborted) tell();
    },
    async hear(message) {
      if ("stop" in message) running.get(message.stop)?.abort();
      if (!("perform" in message)) return;
      const { perform: number, tool, args, context } = message;
      const controller = new AbortController();
      running.set(number, controller);
      const progress = (text: string) => post({ says: text, about: number });
      let answer: Extract<Unsigned<FromFollower, "from">, { ran: number }>;
      try {
        if (!names.includes(tool)) throw new Error(`this page has no tool ${tool}`);
        const json = await tools.runHere(tool, args, { ...context, signal: controller.signal }, progress);
        answer = { ran: number, json: hidden(core, json as string) };
      } catch (error) {
        answer = { ran: number, failed: core.masked(textOf(error)) };
      }
      if (running.delete(number)) post(answer);
    },
    stop,
  };
}

/** The result without the values of the secrets of this page, which the writer does not know. */
function hidden(core: CoreConversation, json: string): string {
  const { content, ...rest } = JSON.parse(json);
  const parts = content.map((part: { text?: string }) => (part.text === undefined ? part : { ...part, text: core.masked(part.text) }));
  return JSON.stringify({ content: parts, ...rest });
}
