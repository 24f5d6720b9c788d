// Generated from src/llm/options.rs. Change it there, then run `THREADKEEP_WRITE=1 cargo test --locked --test generated`.
import type { LLM } from "../llm.js";
import type { ErrorCode } from "./error-codes.js";

/** How to reach a model. Options that are not set have the SDK's defaults. */
export interface LLMOptions {
  /**
   * The name in LiteLLM's form: `"openai/gpt-4o"`, `"openrouter/…"`, `"ollama/…"`, or any name together with
   * `baseUrl`.
   */
  model: string;
  /**
   * Kept in memory; `**********` is stored, or the key encrypted under the conversation's `cipher`. A function is
   * called before each request.
   */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** The server's URL, up to and without `/chat/completions`. A path such as `/v1` is relative to the page. */
  baseUrl?: string | undefined;
  /**
   * The wire API: Chat Completions or Responses of OpenAI, or Messages of Anthropic. `"auto"` chooses by the model's
   * name, as the SDK does. Default `"auto"`.
   */
  apiMode?: "auto" | "chat" | "responses" | "anthropic" | undefined;
  /** The key of this model's usage in `conversation.stats`. Default `"default"`. */
  usageId?: string | undefined;
  /** Whether answers arrive in pieces. Default `true`. */
  stream?: boolean | undefined;
  /** The sampling temperature. Not sent to models that are known to refuse it. */
  temperature?: number | undefined;
  /** The probability mass of nucleus sampling, from 0 to 1. Not sent to models that are known to refuse it. */
  topP?: number | undefined;
  /** The upper limit of an answer, in tokens. Without it, the known limit of the model is sent. */
  maxOutputTokens?: number | undefined;
  /** How much the model reasons. Not sent to models that are known not to reason. Default `"high"`. */
  reasoningEffort?: "none" | "low" | "medium" | "high" | "xhigh" | undefined;
  /** How detailed a summary of its reasoning the model writes. Without it, none. Responses API only. */
  reasoningSummary?: "auto" | "concise" | "detailed" | undefined;
  /**
   * Whether the model's reasoning is requested in encrypted form and sent back with the next request, so that the
   * model can continue it. Responses API only. Default `true`.
   */
  enableEncryptedReasoning?: boolean | undefined;
  /**
   * Whether the provider completes answers in the background: an answer then survives a lost connection and a reload
   * of the page. For this the provider keeps the answer (`store: true`), for as long as it likes. Responses API only.
   * Default `false`.
   */
  background?: boolean | undefined;
  /**
   * How long the provider keeps a prompt cached: `"24h"`, `"in_memory"`, or `""` to leave it to the provider.
   * Responses API only. Default `"24h"`.
   */
  promptCacheRetention?: string | undefined;
  /** The number of attempts in all, as the SDK counts them: 0 and 1 both mean one. Default `5`. */
  numRetries?: number | undefined;
  /** How many seconds the server may be silent, before its answer and within it; 0 is without a limit. Default `300`. */
  timeout?: number | undefined;
  /**
   * Whether the model is given tools in the form of the wire API. With `false`, tools are described and called in
   * text, for models that have no other way. Default `true`.
   */
  nativeToolCalling?: boolean | undefined;
  /**
   * The price of an input token in US dollars. Without this and the next, public price lists count, where the model is
   * in them.
   */
  inputCostPerToken?: number | undefined;
  /** The price of an output token in US dollars. */
  outputCostPerToken?: number | undefined;
  /** Headers of every request. */
  headers?: Record<string, string> | undefined;
  /**
   * The abilities of this model, where nothing or something wrong is known of it. A model that is not known to see is
   * sent no images.
   */
  capabilityOverrides?: { supports_vision?: boolean | undefined; supports_responses_api?: boolean | undefined } | undefined;
  /**
   * Models to ask in this order where this one has failed, retries included, before any part of an answer was shown.
   * Each request begins with this model again; the cost of fallbacks counts under this model's `usageId`.
   */
  fallbacks?: LLM[] | undefined;
  /**
   * The error codes after which fallbacks are asked. Default `["network", "llm_rate_limit", "llm_timeout",
   * "llm_unavailable"]`.
   */
  fallbackOn?: ErrorCode[] | undefined;
  /** Called in place of the page's `fetch`: a relay, a test double, or a model in the page. */
  fetch?: typeof fetch | undefined;
}

/** The names of the options that have one plain type. @internal */
export const plainOptions = {
  string: "model baseUrl usageId promptCacheRetention",
  number: "temperature topP maxOutputTokens numRetries timeout inputCostPerToken outputCostPerToken",
  boolean: "stream enableEncryptedReasoning background nativeToolCalling",
  function: "fetch",
} as const;

/** The options that take one of some texts. @internal */
export const optionTexts = {
  apiMode: ["auto", "chat", "responses", "anthropic"],
  reasoningEffort: ["none", "low", "medium", "high", "xhigh"],
  reasoningSummary: ["auto", "concise", "detailed"],
} as const;

/** The names of the options that are not stored. @internal */
export const unstoredOptions = "apiKey background headers fallbacks fallbackOn fetch";
export type UnstoredOption = "apiKey" | "background" | "headers" | "fallbacks" | "fallbackOn" | "fetch";

/** The names of all options. @internal */
export const optionNames =
  `${plainOptions.string} ${plainOptions.number} ${plainOptions.boolean} ${unstoredOptions} apiMode reasoningEffort reasoningSummary capabilityOverrides` as const;
