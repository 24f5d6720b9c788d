// Condensers: when a part of the history is replaced by a summary. The options are checked by code that is loaded when an
// agent has a condenser; the condensing itself is a chunk of the wasm.
import type { Agent } from "./agent.js";
import type { LLM } from "./llm.js";
import { part } from "./wasm.js";

/** Decides when a part of the history is replaced by a summary, and lets a model write it. The names are the SDK's. */
export type Condenser =
  /** Condenses nothing. */
  | { kind: "NoOpCondenser" }
  | LLMSummarizingCondenser
  /** Asks its members one after the other, until one of them condenses. */
  | { kind: "PipelineCondenser"; condensers: readonly Condenser[] };

/** A model summarizes the events that are removed from the view. They stay in the log. */
export interface LLMSummarizingCondenser {
  kind: "LLMSummarizingCondenser";
  /** The model that writes summaries. Default: the conversation's model. Its costs are counted under `usageId` `"condenser"`, unless it has another one. */
  llm?: LLM | undefined;
  /** The number of events in the view above which events are removed. Default 240. */
  maxSize?: number | undefined;
  /** The number of tokens above which events are removed. The limit of the model applies as well, if it is known. */
  maxTokens?: number | undefined;
  /** The number of events at the start of the view that ordinary condensations leave. Default 2. */
  keepFirst?: number | undefined;
  /** The smallest part of the view that is worth a summary, between 0 and 1. Default 0.1. */
  minimumProgress?: number | undefined;
  /** The number of attempts at summarizing the complete view, if nothing less helps. Default 5. */
  hardContextResetMaxRetries?: number | undefined;
  /** The factor by which long texts are shortened after each of these attempts, between 0 and 1. Default 0.8. */
  hardContextResetContextScaling?: number | undefined;
  /** `"fields"` asks the model for a structured summary, which `conversation.progress()` returns. Default `"text"`. */
  summary?: "text" | "fields" | undefined;
}

/** The fields of a structured summary. A field that the model has left out is empty. */
export interface ConversationProgress {
  userContext: string;
  completedTasks: string[];
  pendingTasks: string[];
  currentState: string;
  files: string[];
  tests: string;
  errors: string;
  branchAndCommits: string;
  dependencies: string;
  other: string;
}

/** The use of the model's context window, in tokens. */
export interface ContextUsage {
  /** The size of the next request. */
  usedTokens: number;
  /** The limit of the model or of the condenser, whichever is lower; `null` if neither is known. */
  limitTokens: number | null;
  /** The size of the events that `condense()` would replace by a summary. */
  reclaimableTokens: number;
}

/** The options of an agent that concern condensing, in the form that the wasm takes. @internal */
export interface CoreCondensing {
  /** The members of the condenser: their fields as the SDK stores them, as JSON, and their models. */
  condenser: { settings: string; llm: object | undefined }[] | null | undefined;
  countTokens: ((text: string) => number) | undefined;
  /** The models of the members. */
  llms: LLM[];
}

/** Checks the options. `null` is an agent without a condenser. @throws ThreadkeepError `invalid_options` @internal */
export async function coreCondensing({ condenser, countTokens }: Agent, coreLLM: (llm: LLM) => object): Promise<CoreCondensing | null | undefined> {
  return condenser || countTokens ? (await part(import("./condenser/options.js"))).coreCondensing(condenser, countTokens, coreLLM) : (condenser as null | undefined);
}

/** The fields of a structured summary; `null` for another text. @internal */
export function progressOf(summary: string | undefined): ConversationProgress | null {
  if (!summary?.startsWith("# Progress\n")) return null;
  const progress: Record<string, string | string[]> = { userContext: "", completedTasks: [], pendingTasks: [], currentState: "", files: [], tests: "", errors: "", branchAndCommits: "", dependencies: "", other: "" };
  for (const section of summary.split(/^## /m).slice(1)) {
    const [heading = "", ...lines] = section.trim().split("\n");
    const name = heading.toLowerCase().replace(/ (.)/g, (_, letter: string) => letter.toUpperCase());
    // A line of a field is not taken for a heading.
    const text = lines.join("\n").replace(/^ #/gm, "#");
    if (Array.isArray(progress[name])) progress[name] = text.slice(2).split("\n- ").map((item) => item.replaceAll("\n  ", "\n"));
    else if (name in progress) progress[name] = text;
  }
  return progress as unknown as ConversationProgress;
}
