// Which model to talk to. The key lives in memory; it is stored only if the user ticks the box for it, and then
// encrypted if they give a passphrase or a passkey.

import { unlockedKey } from "./locked-key.ts";
import type { PolicyChoice } from "./policy.ts";

export interface Settings {
  model: string;
  baseUrl: string;
  rememberKey: boolean;
  /** A key was given once: after a reload the page can say that it is gone, instead of failing later. */
  hadKey: boolean;
  /** When the agent asks first in new conversations. */
  policy: PolicyChoice;
  /** What one run may spend, in dollars. */
  budget: number | null;
  /** The tool whose calls this page's hook refuses; empty for none. */
  forbidden: string;
  /** What a million tokens cost, in dollars; 0 where nobody said. */
  inputPrice: number;
  outputPrice: number;
}

const STORAGE_KEY = "threadkeep-demo:settings";
const KEY_STORAGE_KEY = "threadkeep-demo:api-key";
const LOCKED_STORAGE_KEY = "threadkeep-demo:locked-api-key";

export const SCRIPTED: Readonly<Settings> = {
  model: "openai/scripted-model",
  baseUrl: "/v1",
  rememberKey: false,
  hadKey: false,
  policy: "risky",
  budget: null,
  forbidden: "",
  // Pretended, so that there is something to count.
  inputPrice: 1,
  outputPrice: 4,
};

export const CONNECTIONS = [
  { id: "scripted", label: "Scripted stand-in (no key, no network)", baseUrl: SCRIPTED.baseUrl, model: SCRIPTED.model, needsKey: false },
  { id: "openai", label: "OpenAI", baseUrl: "https://api.openai.com/v1", model: "openai/gpt-4o", needsKey: true },
  { id: "anthropic", label: "Anthropic", baseUrl: "https://api.anthropic.com/v1", model: "anthropic/claude-sonnet-4-5", needsKey: true },
  { id: "openrouter", label: "OpenRouter", baseUrl: "https://openrouter.ai/api/v1", model: "openrouter/openai/gpt-4o", needsKey: true },
  { id: "ollama", label: "Ollama on this computer", baseUrl: "http://localhost:11434/v1", model: "ollama/llama3.2", needsKey: false },
  { id: "lmstudio", label: "LM Studio on this computer", baseUrl: "http://localhost:1234/v1", model: "lm_studio/local-model", needsKey: false },
] as const;

let current: Settings = read();
let apiKey = readText(KEY_STORAGE_KEY);
let locked = readText(LOCKED_STORAGE_KEY);
const listeners = new Set<() => void>();

export const settings = (): Readonly<Settings> => current;
export const key = (): string => apiKey;
export const isScripted = (): boolean => current.baseUrl === SCRIPTED.baseUrl;
/** The key as it is stored encrypted; empty if it is not. */
export const lockedKey = (): string => locked;
export const keyIsLocked = (): boolean => locked !== "" && apiKey === "" && !isScripted();
export const keyWasForgotten = (): boolean => current.hadKey && apiKey === "" && !isScripted() && !keyIsLocked();

export function onSettingsChange(listener: () => void): void {
  listeners.add(listener);
}

/** False for another passphrase, and where the passkey's device declined. */
export async function unlockKey(passphrase?: string): Promise<boolean> {
  const found = await unlockedKey(locked, passphrase);
  if (found === null) return false;
  apiKey = found;
  for (const listener of listeners) listener();
  return true;
}

/**
 * With `nextLocked`, the key is stored as that and not in the clear. Returns false if the browser would not store them;
 * they are in effect for this visit all the same.
 */
export function changeSettings(next: Settings, nextKey: string, nextLocked = ""): boolean {
  current = { ...next, hadKey: nextKey !== "" };
  apiKey = nextKey;
  locked = nextLocked;
  let stored = true;
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(current));
    keep(LOCKED_STORAGE_KEY, nextLocked);
    keep(KEY_STORAGE_KEY, next.rememberKey && nextLocked === "" ? nextKey : "");
  } catch {
    stored = false;
  }
  for (const listener of listeners) listener();
  return stored;
}

/** `/v1` means this page's own server. */
export const absoluteBaseUrl = (baseUrl: string): string => new URL(baseUrl, location.href).href.replace(/\/$/, "");

function read(): Settings {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "null");
    // The pretended prices are those of the stand-in only.
    return typeof stored === "object" && stored !== null ? { ...SCRIPTED, inputPrice: 0, outputPrice: 0, ...stored } : { ...SCRIPTED };
  } catch {
    return { ...SCRIPTED };
  }
}

function keep(name: string, text: string): void {
  if (text === "") localStorage.removeItem(name);
  else localStorage.setItem(name, text);
}

function readText(name: string): string {
  try {
    return localStorage.getItem(name) ?? "";
  } catch {
    return "";
  }
}
