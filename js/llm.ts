// Models and their options.
import { arrayOf, isA } from "./arguments.js";
import { type ErrorCode, invalidOptions, optionsOf, reading, textsOf } from "./errors.js";
import { modelRow } from "./models.js";
import type { Network } from "./network.js";

/** How to reach a model, and options for its answers. Options that are not set have the SDK's default. */
export interface LLMOptions {
  /** A name in LiteLLM's style: `"openai/gpt-4o"`, `"openrouter/…"`, `"ollama/…"`, or any name together with `baseUrl`. */
  model: string;
  /** The key, or a function that is called before each request. Held in memory only; stored as `**********`, or encrypted with a `cipher`. */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** The URL of the API, without `/chat/completions`. A path such as `/v1` is relative to the page. */
  baseUrl?: string | undefined;
  /**
   * The wire API: OpenAI's Chat Completions or Responses, or Anthropic's Messages. Default `"auto"`: by the model's name, as
   * in the SDK.
   */
  apiMode?: "auto" | "chat" | "responses" | "anthropic" | undefined;
  /** The name under which `conversation.stats` counts this model. Default `"default"`. */
  usageId?: string | undefined;
  /** Whether answers are streamed. Default true. */
  stream?: boolean | undefined;
  temperature?: number | undefined;
  topP?: number | undefined;
  /** The maximum length of an answer, in tokens. */
  maxOutputTokens?: number | undefined;
  reasoningEffort?: "none" | "low" | "medium" | "high" | "xhigh" | undefined;
  /** Whether, and how long, the model summarizes its reasoning. Default: no summary. Responses API only, as are the next two. */
  reasoningSummary?: "auto" | "concise" | "detailed" | undefined;
  /** Whether the model's reasoning is returned encrypted and sent back, so that it continues its reasoning. Default true. */
  enableEncryptedReasoning?: boolean | undefined;
  /**
   * Whether the provider generates answers in the background, so that an answer survives a lost connection and a reload of
   * the page. For this the provider stores the answer (`store: true`), as long as it decides to. Not stored with the
   * conversation. Default false. Responses API only.
   */
  background?: boolean | undefined;
  /** How long the provider caches prompts: `"24h"`, the default, `"in_memory"`, or `""` to leave it to the provider. */
  promptCacheRetention?: string | undefined;
  /** The maximum number of attempts, as in the SDK: 0 and 1 both mean one. Default 5. */
  numRetries?: number | undefined;
  /** The maximum time until the first byte, and between two bytes, in seconds. Default 300. */
  timeout?: number | undefined;
  /** HTTP headers of every request. */
  headers?: Record<string, string> | undefined;
  /**
   * Whether the model has native tool calling. With `false`, tools are described and called in text, as in the SDK.
   * Default true.
   */
  nativeToolCalling?: boolean | undefined;
  /**
   * Abilities of this model that the metadata does not know or has wrong. A model without metadata is assumed not to accept
   * images.
   */
  capabilityOverrides?: { supports_vision?: boolean | undefined; supports_responses_api?: boolean | undefined } | undefined;
  /** The price in US dollars per token. Without both prices, those of the metadata apply, if there are any. */
  inputCostPerToken?: number | undefined;
  outputCostPerToken?: number | undefined;
  /**
   * Models that are asked in this order if this one has failed after all retries, before any part of its answer was shown.
   * Each request begins with this model again; the cost of fallbacks is counted under this model's `usageId`.
   */
  fallbacks?: LLM[] | undefined;
  /** The error codes after which a fallback is asked. Default: `network`, `llm_rate_limit`, `llm_timeout` and `llm_unavailable`, as in the SDK. */
  fallbackOn?: ErrorCode[] | undefined;
  /** Called in place of the page's `fetch`: a relay, a test double, or a model in the page. */
  fetch?: typeof fetch | undefined;
}

/** Names of options by their type. */
const plain = {
  string: "model baseUrl usageId promptCacheRetention",
  number: "temperature topP maxOutputTokens numRetries timeout inputCostPerToken outputCostPerToken",
  boolean: "stream nativeToolCalling enableEncryptedReasoning background",
  function: "fetch",
} as const;
/** Names of the abilities in `capabilityOverrides`. @internal */
export const abilities = "supports_vision supports_responses_api";
/** Options with a fixed list of values. */
const choices = {
  apiMode: ["auto", "chat", "responses", "anthropic"],
  reasoningEffort: ["none", "low", "medium", "high", "xhigh"],
  reasoningSummary: ["auto", "concise", "detailed"],
} as const;

const names = `${plain.string} ${plain.number} ${plain.boolean} ${plain.function} apiKey apiMode reasoningEffort reasoningSummary headers capabilityOverrides fallbacks fallbackOn baseURL` as const;

/** A model that an agent talks to. */
export class LLM {
  readonly options: Readonly<LLMOptions>;

  /**
   * `baseURL` is accepted as another spelling of `baseUrl`.
   * @throws ThreadkeepError `invalid_options`, naming the option.
   */
  constructor(options: LLMOptions & { baseURL?: string | undefined }) {
    this.options = reading("the options of an LLM", () => Object.freeze(checked(optionsOf("new LLM()", options, names))));
  }

  /** Without the key and the headers' values, so that logging an `LLM` shows neither. */
  toJSON(): Record<string, unknown> {
    const { apiKey, headers, fetch: _, ...plain } = this.options;
    return {
      ...plain,
      ...(apiKey !== undefined && { apiKey: redacted }),
      ...(headers && { headers: Object.fromEntries(Object.keys(headers).map((name) => [name, redacted])) }),
    };
  }
}

/** The model's metadata with the host's overrides, as JSON; empty if there is neither. @internal */
export async function rowOf({ options: { model, capabilityOverrides } }: LLM): Promise<string> {
  const row = await modelRow(model, model);
  return capabilityOverrides ? JSON.stringify({ ...JSON.parse(row || "{}"), ...capabilityOverrides }) : row;
}

/**
 * The model in the form that the wasm takes. `network` does its waiting, `onKey` gets the keys that a function returns,
 * `keyToken` is the encrypted key to store. @internal
 */
export function coreLLM(llm: LLM, network: Network, onKey: (key: unknown) => Promise<void>, keyToken?: string): object {
  const { options } = llm;
  const { apiKey, fallbacks = [], fallbackOn } = options;
  return {
    ...options,
    ...network.of(options.fetch !== undefined),
    ...(typeof apiKey === "function" && { apiKey: async () => {
      const key = await apiKey();
      await onKey(key);
      return key;
    } }),
    ...(keyToken !== undefined && { keyToken }),
    fallbacks: fallbacks.map((fallback) => coreLLM(fallback, network, onKey)),
    fallbackOn,
    modelRow: () => rowOf(llm),
  };
}

const redacted = "**********";

/** @throws ThreadkeepError `invalid_options` */
function checked({ baseURL, ...options }: LLMOptions & { baseURL?: string | undefined }): LLMOptions {
  if (baseURL !== undefined && (options.baseUrl ??= baseURL) !== baseURL) throw invalidOptions("baseURL and baseUrl are the same option, and differ");
  if (typeof options.model !== "string" || options.model.trim() === "") {
    throw invalidOptions('model must name a model, such as "openai/gpt-4o"');
  }
  for (const [type, keys] of Object.entries(plain)) {
    for (const key of keys.split(" ")) {
      const value: unknown = options[key as keyof LLMOptions];
      if (value === undefined) continue;
      if (typeof value !== type) throw invalidOptions(`${key} must be a ${type}`);
      if (typeof value === "number" && !(Number.isFinite(value) && value >= 0)) throw invalidOptions(`${key} must be a number of at least 0`);
    }
  }
  for (const [key, allowed] of Object.entries(choices)) {
    const value: unknown = options[key as keyof typeof choices];
    if (value !== undefined && !(allowed as readonly unknown[]).includes(value)) throw invalidOptions(`${key} must be one of ${allowed.join(", ")}`);
  }
  const { apiKey, headers, capabilityOverrides: overrides, fallbacks, fallbackOn } = options;
  if (apiKey !== undefined && typeof apiKey !== "string" && typeof apiKey !== "function") {
    throw invalidOptions("apiKey must be a string or a function that returns one");
  }
  if (overrides !== undefined) {
    options.capabilityOverrides = optionsOf("capabilityOverrides", overrides, abilities);
    if (Object.values(options.capabilityOverrides).some((can) => can !== undefined && typeof can !== "boolean")) throw invalidOptions("capabilityOverrides must be an object of booleans");
  }
  if (fallbacks !== undefined) options.fallbacks = arrayOf("fallbacks", "LLMs", fallbacks, (llm) => isA(llm, LLM));
  if (fallbackOn !== undefined) options.fallbackOn = arrayOf("fallbackOn", "codes of errors", fallbackOn, (code) => typeof code === "string");
  if (headers !== undefined) options.headers = Object.freeze(textsOf("headers", headers));
  return options;
}
