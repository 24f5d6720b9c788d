// Condensers: when a part of the history is replaced by a summary. The options are checked by code that is loaded when an
// agent has a condenser; the condensing itself is a chunk of the wasm.
import type { Agent } from "./agent.js";
import type { LLM } from "../llm/llm.js";
import { part } from "../wasm/wasm.js";
import type { CoreCondensing } from "./condenser/options.js";
import type { ConversationProgress } from "./types.js";

/** Checks the options. `null` is an agent without a condenser. @throws ThreadkeepError `invalid_options` @internal */
export async function coreCondensing(
  { condenser, countTokens, llmRegistry }: Agent,
  coreLLM: (llm: LLM) => object,
): Promise<CoreCondensing | null | undefined> {
  return condenser || countTokens
    ? (await part(import("./condenser/options.js"))).coreCondensing(condenser, countTokens, llmRegistry, coreLLM)
    : (condenser as null | undefined);
}

/** The fields of a structured summary; `null` for another text. @internal */
export async function progressOf(summary: string | undefined): Promise<ConversationProgress | null> {
  return summary?.startsWith("# Progress\n") ? (await part(import("./condenser/options.js"))).fieldsOf(summary) : null;
}
