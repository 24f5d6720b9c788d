// Models.
import { arrayOf, isA } from "./arguments.js";
import { type ErrorCode, invalidOptions, optionsOf, reading, textsOf } from "./errors.js";
import { modelRow } from "./models.js";
import type { Network } from "./network.js";

/** How to reach a model. What is not set has the SDK's default. */
export interface LLMOptions {
  /** LiteLLM style: `"openai/gpt-4o"`, `"openrouter/…"`, `"ollama/…"`, or any name together with `baseUrl`. */
  model: string;
  /** Kept in memory only; what is stored says `**********`. A function is asked before each request. */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** Where the API is, up to and without `/chat/completions`. A path such as `/v1` is relative to the page. */
  baseUrl?: string | undefined;
  /**
   * What is spoken with the model: OpenAI's Chat Completions or Responses, or Anthropic's Messages. Default `"auto"`: as
   * the SDK decides by the model's name.
   */
  apiMode?: "auto" | "chat" | "responses" | "anthropic" | undefined;
  /** Key of this model's usage in `conversation.stats`. Default `"default"`. */
  usageId?: string | undefined;
  /** Whether answers arrive in pieces. Default true. */
  stream?: boolean | undefined;
  temperature?: number | undefined;
  topP?: number | undefined;
  /** Upper limit of an answer, in tokens. */
  maxOutputTokens?: number | undefined;
  reasoningEffort?: "none" | "low" | "medium" | "high" | "xhigh" | undefined;
  /** How much of its reasoning the model sums up for its reader. Default: not at all. Responses API only, as the next two. */
  reasoningSummary?: "auto" | "concise" | "detailed" | undefined;
  /** Whether reasoning is asked for encrypted and sent back, so that the model goes on where it was. Default true. */
  enableEncryptedReasoning?: boolean | undefined;
  /**
   * Whether the provider works on answers by itself: an answer then outlives a lost connection, and a reload of the page.
   * The provider has to keep it for that (`store: true`), and does so for as long as it likes. Not stored. Default false.
   * Responses API only.
   */
  background?: boolean | undefined;
  /** How long the provider keeps a prompt cached: `"24h"`, which is the default, `"in_memory"`, or `""` to leave it to the provider. */
  promptCacheRetention?: string | undefined;
  /** Attempts in all, as the SDK counts them: 0 and 1 both mean one. Default 5. */
  numRetries?: number | undefined;
  /** Seconds until the first byte, and between two. Default 300. */
  timeout?: number | undefined;
  /** Sent with every request. */
  headers?: Record<string, string> | undefined;
  /**
   * Whether the model calls tools by itself, which is the default. With `false`, tools are told and called in text, as
   * the SDK does it: for models that cannot do otherwise.
   */
  nativeToolCalling?: boolean | undefined;
  /**
   * What this model can do, where nothing is known of it or something else. A model of which nobody knows that it sees
   * is sent no images.
   */
  capabilityOverrides?: { supports_vision?: boolean | undefined; supports_responses_api?: boolean | undefined } | undefined;
  /** Price in US dollars; without both, that of public price lists counts, where the model is in them. */
  inputCostPerToken?: number | undefined;
  outputCostPerToken?: number | undefined;
  /**
   * Asked in this order where this model has failed for good, retries included, before anything of an answer was
   * shown. Each request begins with this model again; what fallbacks cost is counted under this model's `usageId`.
   */
  fallbacks?: LLM[] | undefined;
  /** After which failures. Default: `network`, `llm_rate_limit`, `llm_timeout` and `llm_unavailable`, as in the SDK. */
  fallbackOn?: ErrorCode[] | undefined;
  /** Called instead of the page's `fetch`: a relay, a test double, or a model in the page. */
  fetch?: typeof fetch | undefined;
}

/** Options that are of one type, by its name. */
const plain = {
  string: "model baseUrl usageId promptCacheRetention",
  number: "temperature topP maxOutputTokens numRetries timeout inputCostPerToken outputCostPerToken",
  boolean: "stream nativeToolCalling enableEncryptedReasoning background",
  function: "fetch",
} as const;
/** What `capabilityOverrides` may say. @internal */
export const abilities = "supports_vision supports_responses_api";
/** Options that take one of a few words. */
const words = {
  apiMode: ["auto", "chat", "responses", "anthropic"],
  reasoningEffort: ["none", "low", "medium", "high", "xhigh"],
  reasoningSummary: ["auto", "concise", "detailed"],
} as const;

const names = `${plain.string} ${plain.number} ${plain.boolean} ${plain.function} apiKey apiMode reasoningEffort reasoningSummary headers capabilityOverrides fallbacks fallbackOn baseURL` as const;

/** A model that an agent talks to. */
export class LLM {
  readonly options: Readonly<LLMOptions>;

  /**
   * `baseURL`, as other libraries spell it, is `baseUrl`.
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

/** What is known of a model, and what its host knows better, as JSON; nothing where that is nothing. @internal */
export async function rowOf({ options: { model, capabilityOverrides } }: LLM): Promise<string> {
  const row = await modelRow(model, model);
  return capabilityOverrides ? JSON.stringify({ ...JSON.parse(row || "{}"), ...capabilityOverrides }) : row;
}

/**
 * What the wasm is given of a model; `network` waits for it, `heard` is told of the keys that a function gives, `keyToken`
 * is what is stored for its key. @internal
 */
export function coreLLM(llm: LLM, network: Network, heard: (key: unknown) => Promise<void>, keyToken?: string): object {
  const { options } = llm;
  const { apiKey, fallbacks = [], fallbackOn } = options;
  return {
    ...options,
    ...network.of(options.fetch !== undefined),
    ...(typeof apiKey === "function" && { apiKey: async () => {
      const key = await apiKey();
      await heard(key);
      return key;
    } }),
    ...(keyToken !== undefined && { keyToken }),
    fallbacks: fallbacks.map((fallback) => coreLLM(fallback, network, heard)),
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
  for (const [key, allowed] of Object.entries(words)) {
    const value: unknown = options[key as keyof typeof words];
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
