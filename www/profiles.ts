// Models under names, as the library keeps them: to choose again, and to fall back to. A key is never in a profile.

import { LLM, type LLMOptions, LLMProfileStore } from "threadkeep";
import { absoluteBaseUrl, type ModelSettings, USUAL } from "./settings.ts";

const store = new LLMProfileStore();
/** What was there when the page last looked: the settings open at once, and read again behind that. */
let known: ReadonlyMap<string, ModelSettings> = new Map();

export const profiles = (): ReadonlyMap<string, ModelSettings> => known;

export async function readProfiles(): Promise<void> {
  const found = new Map<string, ModelSettings>();
  for (const name of await store.list()) {
    // One that cannot be read stands in nobody's way.
    const llm = await store.load(name).catch(() => null);
    if (llm) found.set(name, settingsOf(llm.options));
  }
  known = found;
}

/** @throws ThreadkeepError for a name that is none, and where the browser does not store it. */
export async function keepProfile(name: string, model: ModelSettings): Promise<void> {
  await store.save(name, new LLM(optionsOf(model)));
  await readProfiles();
}

export async function forgetProfile(name: string): Promise<void> {
  await store.delete(name);
  await readProfiles();
}

/** The model of a profile; null where it is gone: a fallback that is missing must not keep a conversation from opening. */
export async function loadProfile(name: string, keyOf: (baseUrl: string) => string): Promise<LLM | null> {
  const llm = await store.load(name).catch(() => null);
  const apiKey = keyOf(llm?.options.baseUrl ?? "");
  return llm && apiKey !== "" ? new LLM({ ...llm.options, apiKey }) : llm;
}

/** The profile that says the same as these settings; empty if none does. */
export function profileOf(model: ModelSettings): string {
  const wanted = kept(model);
  for (const [name, each] of known) if (kept(each) === wanted) return name;
  return "";
}

const kept = (model: ModelSettings): string => JSON.stringify(optionsOf({ ...model, background: false }));

/** For the library, always in the same order. */
export function optionsOf({ model, baseUrl, apiMode, nativeToolCalling, background, inputPrice, outputPrice }: ModelSettings): LLMOptions {
  return {
    model,
    // What is stored should mean the same elsewhere, so not a path of this page.
    baseUrl: absoluteBaseUrl(baseUrl),
    // The wait between attempts is seconds long, and a person who looks at the page can press “Try again”.
    numRetries: 2,
    ...(apiMode !== "auto" && { apiMode }),
    ...(!nativeToolCalling && { nativeToolCalling }),
    ...(background && { background }),
    ...((inputPrice > 0 || outputPrice > 0) && { inputCostPerToken: inputPrice / 1e6, outputCostPerToken: outputPrice / 1e6 }),
  };
}

function settingsOf({ model, baseUrl = "", apiMode, nativeToolCalling, inputCostPerToken = 0, outputCostPerToken = 0 }: LLMOptions): ModelSettings {
  return {
    ...USUAL,
    model,
    baseUrl,
    ...(apiMode && { apiMode }),
    nativeToolCalling: nativeToolCalling !== false,
    inputPrice: perMillion(inputCostPerToken),
    outputPrice: perMillion(outputCostPerToken),
  };
}

/** Without the dust of floating point. */
const perMillion = (price: number): number => Number((price * 1e6).toPrecision(12));
