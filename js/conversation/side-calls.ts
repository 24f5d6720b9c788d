// Requests beside the run: questions about a conversation or an image, and titles. Their code is loaded when one is used.
import type { CoreConversation } from "../../pkg/threadkeep.js";
import type { LLM } from "../llm/llm.js";
import type { Network } from "../llm/network.js";
import type { ToolConversation } from "../tool/types.js";
import { loadChunk, part } from "../wasm/wasm.js";
import type { Acting, AskOptions, TitleOptions } from "./types.js";

/** See `Conversation.askAgent`. @internal */
export async function askAgent(on: Acting, question: string, options: AskOptions): Promise<string> {
  return (await part(import("./side-calls/requests.js"))).askAgent(on, question, options);
}

/** See `Conversation.generateTitle`. @internal */
export async function generateTitle(on: Acting, options: TitleOptions): Promise<string> {
  return (await part(import("./side-calls/requests.js"))).generateTitle(on, options);
}

/** A conversation as tools of the library see it. `inCore` turns a model into the form that the wasm takes. @internal */
export function forTools(
  conversation: Pick<ToolConversation, "switchLLM" | "activeBranch">,
  core: CoreConversation,
  network: Network,
  inCore: (llm: LLM) => Promise<object>,
): ToolConversation {
  return {
    switchLLM: (llm) => conversation.switchLLM(llm),
    activeBranch: () => conversation.activeBranch(),
    async inspectImage(llm, image, question, signal) {
      const [requests] = await network.load(() => Promise.all([part(import("./side-calls/requests.js")), loadChunk("agent")]));
      return requests.inspectImage(core, await inCore(llm), image, question, signal);
    },
  };
}
