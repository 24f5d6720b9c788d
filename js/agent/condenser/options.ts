// The options of a condenser, and their checks. Loaded when an agent has one, with the code that reads what it writes.
import { arrayOf } from "../../input/arguments.js";
import { invalidOptions, optionsOf, reading } from "../../input/errors.js";
import type { LLM } from "../../llm/llm.js";
import { givenLLM, type LLMRegistry } from "../../llm/registry.js";
/** @internal */
export { fieldsOf } from "./progress.js";

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
  /**
   * The model that writes summaries, or its name in the agent's `llmRegistry`. Default: the conversation's model. Its costs are counted
   * under `usageId` `"condenser"`, unless it has another one.
   */
  llm?: LLM | string | undefined;
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

/** The options of an agent that concern condensing, in the form that the wasm takes. @internal */
export interface CoreCondensing {
  /** The members of the condenser: their fields as the SDK stores them, as JSON, and their models. */
  condenser: { settings: string; llm: object | undefined }[] | null | undefined;
  countTokens: ((text: string) => number) | undefined;
  /** The models of the members. */
  llms: LLM[];
}

interface Member {
  settings: string;
  llm: LLM | undefined;
}

/** The checked options in that form. @internal */
export function coreCondensing(
  condenser: Condenser | null | undefined,
  countTokens: CoreCondensing["countTokens"],
  registry: LLMRegistry,
  coreLLM: (llm: LLM) => object,
): CoreCondensing {
  const members = condenser ? membersOf(condenser, registry) : condenser;
  return {
    condenser: members ? members.map(({ settings, llm }) => ({ settings, llm: llm && coreLLM(llm) })) : members,
    countTokens,
    llms: (members ?? []).flatMap(({ llm }) => llm ?? []),
  };
}

/** The members of a condenser. A pipeline has those of its condensers, and a `NoOpCondenser` none. */
function membersOf(condenser: Condenser, registry: LLMRegistry): Member[] {
  if (typeof condenser !== "object" || condenser === null) throw invalidOptions("condenser must be an object with a kind, or null");
  reading("condenser", () => condenser.kind);
  switch (condenser.kind) {
    case "NoOpCondenser":
      optionsOf("condenser", condenser, "kind");
      return [];
    case "PipelineCondenser": {
      const { condensers } = optionsOf("condenser", condenser, "kind condensers");
      const given = arrayOf("condensers", "condensers", condensers, (each) => typeof each === "object");
      return given.flatMap((each) => membersOf(each, registry));
    }
    case "LLMSummarizingCondenser":
      return [member(condenser, registry)];
    default:
      throw invalidOptions("the kind of a condenser must be NoOpCondenser, LLMSummarizingCondenser or PipelineCondenser");
  }
}

const names = "kind llm maxSize maxTokens keepFirst minimumProgress hardContextResetMaxRetries hardContextResetContextScaling summary";

/** The fields of the SDK, whose order it is, with the defaults. */
function member(condenser: LLMSummarizingCondenser, registry: LLMRegistry): Member {
  const { kind, llm: named, maxTokens, summary = "text", ...given } = optionsOf("condenser", condenser, names);
  const llm = named === undefined ? undefined : givenLLM(named, registry, "llm of the condenser must be an LLM");
  if (summary !== "text" && summary !== "fields") throw invalidOptions('summary must be "text" or "fields"');
  const count = (name: string, value: number, minimum: number) => {
    if (!Number.isSafeInteger(value) || value < minimum) throw invalidOptions(`${name} must be a whole number of at least ${minimum}`);
    return value;
  };
  const fraction = (name: string, value: number) => {
    if (!(value > 0 && value < 1)) throw invalidOptions(`${name} must be a number between 0 and 1`);
    return value;
  };
  const settings = {
    max_size: count("maxSize", given.maxSize ?? 240, 1),
    ...(maxTokens !== undefined && { max_tokens: count("maxTokens", maxTokens, 1) }),
    keep_first: count("keepFirst", given.keepFirst ?? 2, 0),
    minimum_progress: fraction("minimumProgress", given.minimumProgress ?? 0.1),
    hard_context_reset_max_retries: count("hardContextResetMaxRetries", given.hardContextResetMaxRetries ?? 5, 1),
    hard_context_reset_context_scaling: fraction("hardContextResetContextScaling", given.hardContextResetContextScaling ?? 0.8),
    ...(summary === "fields" && { summary }),
    kind,
  };
  if (Math.floor(settings.max_size / 2) - settings.keep_first - 1 <= 0) {
    throw invalidOptions("keepFirst must be less than half of maxSize minus 1, so that something can be removed");
  }
  return { settings: JSON.stringify(settings), llm };
}
