// Which model to talk to. The key lives in memory; it is stored only if the user ticks the box for it.

export interface Settings {
  model: string;
  baseUrl: string;
  rememberKey: boolean;
  /** A key was given once: after a reload the page can say that it is gone, instead of failing later. */
  hadKey: boolean;
}

const STORAGE_KEY = "threadkeep-demo:settings";
const KEY_STORAGE_KEY = "threadkeep-demo:api-key";

export const SCRIPTED: Readonly<Settings> = {
  model: "openai/scripted-model",
  baseUrl: "/v1",
  rememberKey: false,
  hadKey: false,
};

export const CONNECTIONS = [
  { id: "scripted", label: "Scripted stand-in (no key, no network)", baseUrl: SCRIPTED.baseUrl, model: SCRIPTED.model, needsKey: false },
  { id: "openai", label: "OpenAI", baseUrl: "https://api.openai.com/v1", model: "openai/gpt-4o", needsKey: true },
  { id: "openrouter", label: "OpenRouter", baseUrl: "https://openrouter.ai/api/v1", model: "openai/openai/gpt-4o", needsKey: true },
  { id: "ollama", label: "Ollama on this computer", baseUrl: "http://localhost:11434/v1", model: "openai/llama3.2", needsKey: false },
  { id: "lmstudio", label: "LM Studio on this computer", baseUrl: "http://localhost:1234/v1", model: "openai/local-model", needsKey: false },
] as const;

let current: Settings = read();
let apiKey = readKey();
const listeners = new Set<() => void>();

export const settings = (): Readonly<Settings> => current;
export const key = (): string => apiKey;
export const isScripted = (): boolean => current.baseUrl === SCRIPTED.baseUrl;
export const keyWasForgotten = (): boolean => current.hadKey && apiKey === "" && !isScripted();

export function onSettingsChange(listener: () => void): void {
  listeners.add(listener);
}

/** Returns false if the browser would not store them; they are in effect for this visit all the same. */
export function changeSettings(next: Settings, nextKey: string): boolean {
  current = { ...next, hadKey: nextKey !== "" };
  apiKey = nextKey;
  let stored = true;
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(current));
    if (next.rememberKey && nextKey !== "") localStorage.setItem(KEY_STORAGE_KEY, nextKey);
    else localStorage.removeItem(KEY_STORAGE_KEY);
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
    const stored: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "{}");
    return typeof stored === "object" && stored !== null ? { ...SCRIPTED, ...stored } : { ...SCRIPTED };
  } catch {
    return { ...SCRIPTED };
  }
}

function readKey(): string {
  try {
    return localStorage.getItem(KEY_STORAGE_KEY) ?? "";
  } catch {
    return "";
  }
}
