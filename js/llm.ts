// Models.
import { type ErrorCode, invalidOptions, reading } from "./errors.js";
import { modelRow } from "./models.js";
import type { Network } from "./network.js";
import { part } from "./wasm.js";

/** How to reach a model. What is not set has the SDK's default. */
export interface LLMOptions {
  /** LiteLLM style: `"openai/gpt-4o"`, `"openrouter/…"`, `"ollama/…"`, or any name together with `baseUrl`. */
  model: string;
  /** Kept in memory only; what is stored says `**********`. A function is asked before each request. */
  apiKey?: string | (() => string | Promise<string>);
  /** Where the API is, up to and without `/chat/completions`. A path such as `/v1` is relative to the page. */
  baseUrl?: string;
  /**
   * What is spoken with the model: OpenAI's Chat Completions or Responses, or Anthropic's Messages. Default `"auto"`: as
   * the SDK decides by the model's name.
   */
  apiMode?: "auto" | "chat" | "responses" | "anthropic";
  /** Key of this model's usage in `conversation.stats`. Default `"default"`. */
  usageId?: string;
  /** Whether answers arrive in pieces. Default true. */
  stream?: boolean;
  temperature?: number;
  topP?: number;
  /** Upper limit of an answer, in tokens. */
  maxOutputTokens?: number;
  reasoningEffort?: "none" | "low" | "medium" | "high" | "xhigh";
  /** How much of its reasoning the model sums up for its reader. Default: not at all. Responses API only, as the next two. */
  reasoningSummary?: "auto" | "concise" | "detailed";
  /** Whether reasoning is asked for encrypted and sent back, so that the model goes on where it was. Default true. */
  enableEncryptedReasoning?: boolean;
  /**
   * Whether the provider works on answers by itself: an answer then outlives a lost connection, and a reload of the page.
   * The provider has to keep it for that (`store: true`), and does so for as long as it likes. Not stored. Default false.
   * Responses API only.
   */
  background?: boolean;
  /** How long the provider keeps a prompt cached: `"24h"`, which is the default, `"in_memory"`, or `""` to leave it to the provider. */
  promptCacheRetention?: string;
  /** Attempts in all, as the SDK counts them: 0 and 1 both mean one. Default 5. */
  numRetries?: number;
  /** Seconds until the first byte, and between two. Default 300. */
  timeout?: number;
  /** Sent with every request. */
  headers?: Record<string, string>;
  /**
   * Whether the model calls tools by itself, which is the default. With `false`, tools are told and called in text, as
   * the SDK does it: for models that cannot do otherwise.
   */
  nativeToolCalling?: boolean;
  /**
   * What this model can do, where nothing is known of it or something else. A model of which nobody knows that it sees
   * is sent no images.
   */
  capabilityOverrides?: { supports_vision?: boolean; supports_responses_api?: boolean };
  /** Price in US dollars; without both, that of public price lists counts, where the model is in them. */
  inputCostPerToken?: number;
  outputCostPerToken?: number;
  /**
   * Asked in this order where this model has failed for good, retries included, before anything of an answer was
   * shown. Each request begins with this model again; what fallbacks cost is counted under this model's `usageId`.
   */
  fallbacks?: LLM[];
  /** After which failures. Default: `network`, `llm_rate_limit`, `llm_timeout` and `llm_unavailable`, as in the SDK. */
  fallbackOn?: ErrorCode[];
  /** Called instead of the page's `fetch`: a relay, a test double, or a model in the page. */
  fetch?: typeof fetch;
}

const stringKeys = ["model", "baseUrl", "usageId", "promptCacheRetention"] as const;
const numberKeys = [
  "temperature", "topP", "maxOutputTokens", "numRetries", "timeout", "inputCostPerToken", "outputCostPerToken",
] as const;
const flagKeys = ["stream", "nativeToolCalling", "enableEncryptedReasoning", "background"] as const;
/** Options that take one of a few words. */
const words = {
  apiMode: ["auto", "chat", "responses", "anthropic"],
  reasoningEffort: ["none", "low", "medium", "high", "xhigh"],
  reasoningSummary: ["auto", "concise", "detailed"],
} as const;

/** A model that an agent talks to. */
export class LLM {
  readonly options: Readonly<LLMOptions>;

  /** @throws ThreadkeepError `invalid_options`, naming the option. */
  constructor(given: LLMOptions) {
    if (typeof given !== "object" || given === null) throw invalidOptions("new LLM() takes an object of options");
    const options = reading("the options of an LLM", () => ({ ...given }));
    if (typeof options.model !== "string" || options.model.trim() === "") {
      throw invalidOptions('model must name a model, such as "openai/gpt-4o"');
    }
    for (const key of stringKeys) expect(key, options[key], "string");
    for (const key of numberKeys) {
      expect(key, options[key], "number");
      if (options[key] !== undefined && !(Number.isFinite(options[key]) && options[key] >= 0)) {
        throw invalidOptions(`${key} must be a number of at least 0`);
      }
    }
    for (const key of flagKeys) expect(key, options[key], "boolean");
    expect("fetch", options.fetch, "function");
    for (const [key, allowed] of Object.entries(words)) {
      const given: unknown = options[key as keyof typeof words];
      if (given !== undefined && !(allowed as readonly unknown[]).includes(given)) {
        throw invalidOptions(`${key} must be one of ${allowed.join(", ")}`);
      }
    }
    if (options.apiKey !== undefined && typeof options.apiKey !== "string" && typeof options.apiKey !== "function") {
      throw invalidOptions("apiKey must be a string or a function that returns one");
    }
    const { capabilityOverrides: overrides } = options;
    if (overrides !== undefined && (typeof overrides !== "object" || Object.values(overrides ?? [0]).some((can) => typeof can !== "boolean"))) {
      throw invalidOptions("capabilityOverrides must be an object of booleans");
    }
    for (const key of ["fallbacks", "fallbackOn"] as const) {
      if (options[key] !== undefined && !Array.isArray(options[key])) throw invalidOptions(`${key} must be an array`);
    }
    if (options.fallbacks?.some((llm) => !(llm instanceof LLM))) throw invalidOptions("fallbacks must be an array of LLMs");
    if (options.headers !== undefined) options.headers = headersOf(options.headers);
    this.options = Object.freeze({ ...options, ...(options.headers && { headers: Object.freeze({ ...options.headers }) }) });
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

/** What the wasm is given of a model; `keyToken` is what is stored for its key. @internal */
export function coreLLM(llm: LLM, network: Network, keyToken?: string): object {
  const { options } = llm;
  const { fallbacks = [], fallbackOn } = options;
  return {
    ...options,
    ...network.of(options.fetch !== undefined),
    ...(keyToken !== undefined && { keyToken }),
    fallbacks: fallbacks.map((fallback) => coreLLM(fallback, network)),
    fallbackOn: fallbackOn?.join(),
    modelRow: () => rowOf(llm),
    wireApi: async (name: string) => (await part(import("./wire-apis.js"))).beginOf(name),
  };
}

const redacted = "**********";

function expect(name: string, value: unknown, type: "string" | "number" | "boolean" | "function"): void {
  if (value !== undefined && typeof value !== type) throw invalidOptions(`${name} must be a ${type}`);
}

function headersOf(given: unknown): Record<string, string> {
  if (typeof given === "object" && given !== null && !Array.isArray(given)) {
    const headers = reading("headers", () => ({ ...given }) as Record<string, string>);
    if (Object.values(headers).every((value) => typeof value === "string")) return headers;
  }
  throw invalidOptions("headers must be an object of strings");
}
