// The settings of this page. The model and all keys are in a store of the library, which the form of the library shows: keys in memory, or
// encrypted. The rest is in local storage.

import type { LLMOptions, MCPServer } from "threadkeep";
import { modelProviders, type ModelProvider, ModelStore } from "threadkeep/preact";
import type { PolicyChoice } from "../agent/policy.ts";
import { useChanges } from "../layout/value.ts";

export interface Settings {
  /** When calls wait for approval in new conversations. */
  policy: PolicyChoice;
  /** The maximum cost of one run in dollars. */
  budget: number | null;
  /** Whether the agent has tools for the conversation's files, and a list of tasks. */
  files: boolean;
  /** Whether the agent has a terminal, which works on these files, too. */
  terminal: boolean;
  /** Whether the agent may give tasks to sub-agents. Each makes requests of its own, which cost. */
  subagents: boolean;
  mcpServers: ReadonlyArray<{ name: string; url: string }>;
  /** The agent server on which conversations can run. `hadKey`: after a reload the page can say that its key is gone. */
  agentServer: { host: string; workingDir: string; hadKey: boolean } | null;
  /** Whether new conversations begin there. */
  beginsOnServer: boolean;
}

const storageKey = "threadkeep-demo:settings";

const defaults: Readonly<Settings> = {
  policy: "risky",
  budget: null,
  files: true,
  terminal: true,
  subagents: false,
  mcpServers: [],
  agentServer: null,
  beginsOnServer: false,
};

const scripted: ModelProvider = {
  id: "scripted",
  name: "Scripted stand-in (needs no key)",
  baseUrl: "/v1",
  model: "openai/scripted-model",
  takesKey: false,
  about: "This page's own server plays the model: fixed rules, no AI. It is there to try the page without a key.",
};

export const providers: readonly ModelProvider[] = [scripted, ...modelProviders];

export const models = new ModelStore("threadkeep-demo", {
  initial: { provider: scripted.id, model: "openai/scripted-model", baseUrl: scripted.baseUrl },
});

let current = storedSettings();
const listeners = new Set<() => void>();
models.subscribe(tell);
models.keys.subscribe(tell);

export const settings = (): Readonly<Settings> => current;
export const isScripted = (): boolean => models.settings?.provider === scripted.id;

/** The settings, in a component that is drawn again when they change. */
export function useSettings(): Readonly<Settings> {
  useChanges(onSettingsChange);
  return current;
}

export function onSettingsChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Stores and applies settings; where the browser stores nothing, to this visit only. */
export function changeSettings(changes: Partial<Settings>): void {
  current = { ...current, ...changes };
  try {
    localStorage.setItem(storageKey, JSON.stringify(current));
  } catch {
    // They are in effect all the same.
  }
  tell();
}

function storedSettings(): Settings {
  try {
    return { ...defaults, ...(JSON.parse(localStorage.getItem(storageKey) ?? "{}") as Partial<Settings>) };
  } catch {
    return { ...defaults };
  }
}

function tell(): void {
  for (const listener of [...listeners]) listener();
}

/** The base URL of the model in full. */
export const modelUrl = (): URL => new URL(models.settings!.baseUrl, location.href);

/** The model with its key. A locked one is asked for before each request; as a text it can go to a worker, too. */
export function modelOptions(): LLMOptions {
  const { apiKey: ask, ...options } = models.llm!.options;
  const key = models.keys.get(modelUrl().origin);
  const apiKey = keyIsLocked() ? ask : isScripted() || key === "" ? undefined : key;
  // Few attempts, because the waits between them take seconds, and a person can press “Try again”.
  return { ...options, numRetries: 2, ...(apiKey !== undefined && { apiKey }) };
}

/** An MCP server's token is kept among the keys, under its complete URL. */
export const tokenNameOf = (url: string): string => new URL(url).href;

/** The MCP servers that can be asked, with their tokens: not those whose token is locked. */
export function mcpServers(): Record<string, MCPServer> {
  const usable = current.mcpServers.filter(({ url }) => !keyIsLockedFor(tokenNameOf(url)));
  const options = usable.map(({ name, url }) => {
    const token = models.keys.get(tokenNameOf(url));
    return [name, { url, ...(token !== "" && { auth: { token } }) }];
  });
  return Object.fromEntries(options) as Record<string, MCPServer>;
}

/** Whether a request to this server would lack its key, or its token, because it is locked. */
export const keyIsLockedFor = (name: string): boolean => models.keys.isLocked && models.keys.has(name);
export const keyIsLocked = (): boolean => keyIsLockedFor(modelUrl().origin);

/** Resolves to whether the keys are unlocked. */
export const askUnlock = (): Promise<boolean> => models.keys.ask();

let waiting = 0;

/** Whether an action waits for the key: it then goes on in the conversation as it is, so this is no time to open that again. */
export const waitsForKey = (): boolean => waiting > 0;

/** Resolves when the key of the chosen model can be used. @throws ThreadkeepError `key_locked` if the user keeps it locked */
export async function needKey(): Promise<void> {
  if (!keyIsLocked()) return;
  waiting += 1;
  try {
    await models.keys.request(modelUrl().origin);
  } finally {
    waiting -= 1;
  }
}
