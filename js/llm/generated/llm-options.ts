// Generated from src/llm/options.rs. Change it there, then run `THREADKEEP_WRITE=1 cargo test --locked --test generated`.
import type { ErrorCode } from "../../input/generated/error-codes.js";

/** How to reach a model. Options that are not set have the SDK's defaults. `LLM` is the class of models. */
export interface DeclaredOptions<LLM> {
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
  /** The URL of the API, without `/chat/completions`. A path such as `/v1` is relative to the page. */
  baseUrl?: string | undefined;
  /**
   * The wire API: Chat Completions or Responses of OpenAI, or Messages of Anthropic. `"auto"` chooses by the model's
   * name, as the SDK does. Default `"auto"`.
   */
  apiMode?: "auto" | "chat" | "responses" | "anthropic" | undefined;
  /** The name under which `conversation.stats` counts this model. Default `"default"`. */
  usageId?: string | undefined;
  /** Whether answers are streamed. Default `true`. */
  stream?: boolean | undefined;
  /** The sampling temperature. Not sent to models that are known to refuse it. */
  temperature?: number | undefined;
  /** The probability mass of nucleus sampling, from 0 to 1. Not sent to models that are known to refuse it. */
  topP?: number | undefined;
  /** The maximum length of an answer, in tokens. Without it, the known limit of the model is sent. */
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
   * Whether the provider generates answers in the background, so that an answer survives a lost connection and a
   * reload of the page. For this the provider stores the answer (`store: true`), as long as it decides to. Responses
   * API only. Default `false`.
   */
  background?: boolean | undefined;
  /**
   * How long the provider caches prompts: `"24h"`, `"in_memory"`, or `""` to leave it to the provider. Responses API
   * only. Default `"24h"`.
   */
  promptCacheRetention?: string | undefined;
  /** The maximum number of attempts, as in the SDK: 0 and 1 both mean one. Default `5`. */
  numRetries?: number | undefined;
  /** The maximum time until the first byte, and between two bytes, in seconds; 0 is no limit. Default `300`. */
  timeout?: number | undefined;
  /**
   * Whether the model has native tool calling. With `false`, tools are described and called in text, as in the SDK.
   * Default `true`.
   */
  nativeToolCalling?: boolean | undefined;
  /** The price of an input token in US dollars. Without both prices, those of the metadata apply, if there are any. */
  inputCostPerToken?: number | undefined;
  /** The price of an output token in US dollars. */
  outputCostPerToken?: number | undefined;
  /** HTTP headers of every request. */
  headers?: Record<string, string> | undefined;
  /**
   * Abilities of this model that the metadata does not know or has wrong. A model without metadata is assumed to
   * accept neither images nor files.
   */
  capabilityOverrides?: { supports_vision?: boolean | undefined; supports_pdf_input?: boolean | undefined; supports_audio_input?: boolean | undefined; supports_responses_api?: boolean | undefined } | undefined;
  /**
   * Models to ask in this order where this one has failed, retries included, before any part of an answer was shown.
   * Each request begins with this model again; the cost of fallbacks is counted under this model's `usageId`.
   */
  fallbacks?: LLM[] | undefined;
  /**
   * The error codes after which a fallback is asked: those of the SDK, and `cors`. Default `["cors", "network",
   * "llm_rate_limit", "llm_timeout", "llm_unavailable"]`.
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
