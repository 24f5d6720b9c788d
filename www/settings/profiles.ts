// Profiles of models: to choose them again, and as fallbacks. A profile never contains a key.

import { LLM, type LLMOptions, LLMProfileStore } from "threadkeep";
import { absoluteBaseUrl, type ModelSettings, DEFAULTS } from "./settings.ts";

const store = new LLMProfileStore();
/** The profiles when the page last read them, so that the settings open at once. */
let known: ReadonlyMap<string, ModelSettings> = new Map();
const listeners = new Set<() => void>();

export const profiles = (): ReadonlyMap<string, ModelSettings> => known;

export async function readProfiles(): Promise<void> {
  const found = new Map<string, ModelSettings>();
  for (const name of await store.list()) {
    // A profile that cannot be read is ignored.
    const llm = await store.load(name).catch(() => null);
    if (llm) found.set(name, settingsOf(llm.options));
  }
  known = found;
  for (const listener of listeners) listener();
}

/** Calls `listener` when other profiles are known. Returns a function that ends it. */
export function onProfilesChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** @throws ThreadkeepError for an invalid name, and if the browser does not store the profile */
export async function saveProfile(name: string, model: ModelSettings): Promise<void> {
  await store.save(name, new LLM(optionsOf(model)));
  await readProfiles();
}

export async function deleteProfile(name: string): Promise<void> {
  await store.delete(name);
  await readProfiles();
}

/** The model of a profile; null if it is gone, because a missing fallback must not prevent opening a conversation. */
export async function loadProfile(name: string, keyOf: (baseUrl: string) => NonNullable<LLMOptions["apiKey"]>): Promise<LLMOptions | null> {
  const llm = await store.load(name).catch(() => null);
  const apiKey = keyOf(llm?.options.baseUrl ?? "");
  return llm && { ...llm.options, ...(apiKey !== "" && { apiKey }) };
}

/** The profile with the same settings; empty if there is none. */
export function profileOf(model: ModelSettings): string {
  const wanted = storedFields(model);
  for (const [name, each] of known) if (storedFields(each) === wanted) return name;
  return "";
}

const storedFields = (model: ModelSettings): string => JSON.stringify(optionsOf({ ...model, background: false }));

/** The fields that the library stores, always in the same order. */
export function optionsOf({ model, baseUrl, apiMode, nativeToolCalling, background, inputPrice, outputPrice }: ModelSettings): LLMOptions {
  return {
    model,
    // A path of this page would mean another server elsewhere, so the URL is absolute.
    baseUrl: absoluteBaseUrl(baseUrl),
    // Few attempts, because the waits between them take seconds, and a person can press “Try again”.
    numRetries: 2,
    ...(apiMode !== "auto" && { apiMode }),
    ...(!nativeToolCalling && { nativeToolCalling }),
    ...(background && { background }),
    ...((inputPrice > 0 || outputPrice > 0) && { inputCostPerToken: inputPrice / 1e6, outputCostPerToken: outputPrice / 1e6 }),
  };
}

function settingsOf({
  model,
  baseUrl = "",
  apiMode,
  nativeToolCalling,
  inputCostPerToken = 0,
  outputCostPerToken = 0,
}: LLMOptions): ModelSettings {
  return {
    ...DEFAULTS,
    model,
    baseUrl,
    ...(apiMode && { apiMode }),
    nativeToolCalling: nativeToolCalling !== false,
    inputPrice: perMillion(inputCostPerToken),
    outputPrice: perMillion(outputCostPerToken),
  };
}

/** Rounds away floating-point errors. */
const perMillion = (price: number): number => Number((price * 1e6).toPrecision(12));
