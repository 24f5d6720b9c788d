// The settings of this page. The model and all keys are in a store of the library, which `<threadkeep-model>` shows: keys in memory, or
// encrypted. The rest is in local storage.

import type { LLMOptions } from "threadkeep";
import { modelProviders, type ModelProvider, ModelStore } from "threadkeep/preact";
import type { PolicyChoice } from "../control/policy.ts";
import { type AgentServerAddress, addressOf, keyNameOf } from "./agent-server.ts";
import type { ServerAddress } from "./mcp-servers.ts";

export interface Settings {
  /** When calls wait for approval in new conversations. */
  policy: PolicyChoice;
  /** The maximum cost of one run in dollars. */
  budget: number | null;
  /** The tool whose calls this page's hook denies; empty for none. */
  forbidden: string;
  /** Whether the agent has tools for the conversation's files, and a list of tasks. */
  files: boolean;
  /** Whether the agent has a terminal, which works on these files, too. */
  terminal: boolean;
  /** Whether the agent may give tasks to sub-agents. */
  subagents: boolean;
  /** Whether chats run in a worker for all tabs, and so go on when their tab is closed. */
  inBackground: boolean;
  mcpServers: readonly ServerAddress[];
  /** The agent server on which conversations can run; null for none. */
  agentServer: AgentServerAddress | null;
  /** Whether new conversations begin there. */
  beginsOnServer: boolean;
}

const STORAGE_KEY = "threadkeep-demo:settings";

const DEFAULTS: Readonly<Settings> = {
  policy: "risky",
  budget: null,
  forbidden: "",
  // They reach nothing but the conversation itself.
  files: true,
  terminal: true,
  // Each of them makes requests of its own, which cost.
  subagents: false,
  inBackground: false,
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

let current: Settings = storedSettings();
const listeners = new Set<() => void>();
models.subscribe(tell);
models.keys.subscribe(tell);

export const settings = (): Readonly<Settings> => current;
export const isScripted = (): boolean => models.settings?.provider === scripted.id;

/** The base URL of the model in full. */
export const modelUrl = (): URL => new URL(models.settings!.baseUrl, location.href);

/** Whether a request to this server would lack its key, or its token, because it is locked. */
export const keyIsLockedFor = (name: string): boolean => models.keys.isLocked && models.keys.has(name);
export const keyIsLocked = (): boolean => keyIsLockedFor(modelUrl().origin);

/** The model with its key. A locked one is asked for before each request; as a text it can go to a worker, too. */
export function modelOptions(): LLMOptions {
  const { apiKey: ask, ...options } = models.llm!.options;
  const key = models.keys.get(modelUrl().origin);
  const apiKey = keyIsLocked() ? ask : isScripted() || key === "" ? undefined : key;
  // Few attempts, because the waits between them take seconds, and a person can press “Try again”.
  return { ...options, numRetries: 2, ...(apiKey !== undefined && { apiKey }) };
}

/** Whether an agent server can be asked: not if it is another one than that of the settings, or its key is locked or gone. */
export type AgentServerState = "ready" | "other" | "locked" | "forgotten";

export function agentServerState(host: string): AgentServerState {
  const { agentServer } = current;
  if (agentServer === null || addressOf(agentServer.host) !== host) return "other";
  if (!agentServer.hadKey || agentServerKey(host) !== "") return "ready";
  return keyIsLockedFor(keyNameOf(host)) ? "locked" : "forgotten";
}

export const agentServerKey = (host: string): string => models.keys.get(keyNameOf(host));

export function onSettingsChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Stores and applies settings. Returns false if the browser does not store them; they then apply to this visit only. */
export function changeSettings(changes: Partial<Settings>): boolean {
  current = { ...current, ...changes };
  let isStored = true;
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(current));
  } catch {
    isStored = false;
  }
  tell();
  return isStored;
}

/** Changes when calls wait for approval in new conversations. */
export const choosePolicy = (policy: PolicyChoice): void => void changeSettings({ policy });

/** Changes where new conversations begin. */
export const choosePlace = (beginsOnServer: boolean): void => void changeSettings({ beginsOnServer });

/** As the last tab has saved them. */
export function storedSettings(): Settings {
  try {
    // An earlier version of this page kept a key in plain text, if the user wanted it.
    localStorage.removeItem("threadkeep-demo:api-key");
    return { ...DEFAULTS, ...(JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "{}") as Partial<Settings>) };
  } catch {
    return { ...DEFAULTS };
  }
}

function tell(): void {
  for (const listener of listeners) listener();
}
