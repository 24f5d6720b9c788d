// Models and their options.
import { arrayOf, isA } from "../input/arguments.js";
import { invalidOptions, optionsOf, reading, textsOf } from "../input/errors.js";
import { type DeclaredOptions, optionNames, optionTexts, plainOptions } from "./generated/llm-options.js";
import { modelRow } from "./models.js";
import type { Network } from "./network.js";
import { whenIdle } from "../wasm/idle.js";
import { loadChunk } from "../wasm/wasm.js";

/** How to reach a model. Options that are not set have the SDK's defaults. */
export interface LLMOptions extends DeclaredOptions<LLM> {}

/** The names of the abilities in `capabilityOverrides`. @internal */
export const abilities = "supports_vision supports_pdf_input supports_audio_input supports_responses_api";

/** A model that an agent talks to. */
export class LLM {
  readonly options: Readonly<LLMOptions>;

  /**
   * `baseURL` is accepted as another spelling of `baseUrl`.
   * @throws ThreadkeepError `invalid_options`, naming the option.
   */
  constructor(options: LLMOptions & { baseURL?: string | undefined }) {
    this.options = reading("the options of an LLM", () =>
      Object.freeze(checked(optionsOf("new LLM()", options, `${optionNames} baseURL` as const))),
    );
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
    ...(typeof apiKey === "function" && {
      apiKey: async () => {
        const key = await apiKey();
        await network.load(() => onKey(key));
        return key;
      },
    }),
    ...(keyToken !== undefined && { keyToken }),
    fallbacks: fallbacks.map((fallback) => coreLLM(fallback, network, onKey)),
    fallbackOn,
    modelRow: () => network.load(() => rowOf(llm)),
    load: (chunk: string) => network.load(() => loadChunk(chunk)),
    whenIdle,
  };
}

const redacted = "**********";

/** @throws ThreadkeepError `invalid_options` */
function checked({ baseURL, ...options }: LLMOptions & { baseURL?: string | undefined }): LLMOptions {
  if (baseURL !== undefined && (options.baseUrl ??= baseURL) !== baseURL)
    throw invalidOptions("baseURL and baseUrl are the same option, and differ");
  if (typeof options.model !== "string" || options.model.trim() === "") {
    throw invalidOptions('model must name a model, such as "openai/gpt-4o"');
  }
  for (const [type, keys] of Object.entries(plainOptions)) {
    for (const key of keys.split(" ")) {
      const value: unknown = options[key as keyof LLMOptions];
      if (value === undefined) continue;
      if (typeof value !== type) throw invalidOptions(`${key} must be a ${type}`);
      if (typeof value === "number" && !(Number.isFinite(value) && value >= 0))
        throw invalidOptions(`${key} must be a number of at least 0`);
    }
  }
  for (const [key, allowed] of Object.entries(optionTexts)) {
    const value: unknown = options[key as keyof typeof optionTexts];
    if (value !== undefined && !(allowed as readonly unknown[]).includes(value))
      throw invalidOptions(`${key} must be one of ${allowed.join(", ")}`);
  }
  const base = options.baseUrl?.trim();
  // The wasm, which is loaded later, asks the same.
  if (base && !/^[./]/.test(base) && !(/^https?:\/\/[^/?#@]*[^/?#@:]([/?#]|$)/i.test(base) && URL.canParse(base))) {
    throw invalidOptions(
      "baseUrl must be an http(s) URL without user and password, such as http://localhost:11434/v1, or a path of the page, such as /v1",
    );
  }
  const { apiKey, headers, capabilityOverrides: overrides, fallbacks, fallbackOn } = options;
  if (apiKey !== undefined && typeof apiKey !== "string" && typeof apiKey !== "function") {
    throw invalidOptions("apiKey must be a string or a function that returns one");
  }
  if (overrides !== undefined) {
    options.capabilityOverrides = optionsOf("capabilityOverrides", overrides, abilities);
    if (Object.values(options.capabilityOverrides).some((can) => can !== undefined && typeof can !== "boolean"))
      throw invalidOptions("capabilityOverrides must be an object of booleans");
  }
  if (fallbacks !== undefined) options.fallbacks = arrayOf("fallbacks", "LLMs", fallbacks, (llm) => isA(llm, LLM));
  if (fallbackOn !== undefined)
    options.fallbackOn = arrayOf("fallbackOn", "codes of errors", fallbackOn, (code) => typeof code === "string");
  if (headers !== undefined) options.headers = Object.freeze(textsOf("headers", headers));
  return options;
}
