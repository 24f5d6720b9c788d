// The settings of the model. Keys are held in memory; they are stored only if the user asks for it, and encrypted if the
// user gives a passphrase or a passkey.

import type { LLMOptions } from "threadkeep";
import { isEmpty, type Keys, keysOf, serverOf, textOf } from "./keys.ts";
export { serverOf } from "./keys.ts";
import { unlockedKey } from "./locked-key.ts";
import { type AgentServerAddress, addressOf, keyNameOf } from "./agent-server.ts";
import type { ServerAddress } from "./mcp-servers.ts";
import type { PolicyChoice } from "../control/policy.ts";
import { servers } from "./servers.ts";

export interface ModelSettings {
  model: string;
  baseUrl: string;
  /** The wire API of the server. */
  apiMode: NonNullable<LLMOptions["apiMode"]>;
  /** Whether the model has native tool calling, or calls tools in text. */
  nativeToolCalling: boolean;
  /** Whether the provider generates answers in the background. */
  background: boolean;
  /** Prices of a million tokens in dollars; 0 if unknown. */
  inputPrice: number;
  outputPrice: number;
}

export interface Settings extends ModelSettings {
  /** The profile that is asked if the model fails; empty for none. */
  fallback: string;
  rememberKey: boolean;
  /** Whether a key was given: after a reload the page can say that it is gone, instead of failing later. */
  hadKey: boolean;
  /** The fallback's server, if it has a key of its own. */
  fallbackServer: string;
  /** The servers whose keys are stored encrypted, so that nothing is asked there before they are unlocked; null if that is not known. */
  lockedServers: readonly string[] | null;
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
const KEY_STORAGE_KEY = "threadkeep-demo:api-key";
const LOCKED_STORAGE_KEY = "threadkeep-demo:locked-api-key";

/** The defaults for most models. */
export const DEFAULTS = { apiMode: "auto", nativeToolCalling: true, background: false, inputPrice: 0, outputPrice: 0 } as const;

export const SCRIPTED: Readonly<Settings> = {
  ...DEFAULTS,
  model: "openai/scripted-model",
  baseUrl: "/v1",
  fallback: "",
  rememberKey: false,
  hadKey: false,
  fallbackServer: "",
  lockedServers: null,
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

export const CONNECTIONS = [
  { id: "scripted", label: "Scripted stand-in (needs no key)", baseUrl: SCRIPTED.baseUrl, model: SCRIPTED.model },
  { id: "openai", label: "OpenAI", baseUrl: servers.openai, model: "openai/gpt-4o" },
  { id: "anthropic", label: "Anthropic", baseUrl: servers.anthropic, model: "anthropic/claude-sonnet-4-5" },
  { id: "openrouter", label: "OpenRouter", baseUrl: servers.openrouter, model: "openrouter/openai/gpt-4o" },
  { id: "ollama", label: "Ollama on this computer", baseUrl: servers.ollama, model: "ollama/llama3.2" },
  { id: "lmstudio", label: "LM Studio on this computer", baseUrl: servers.lm_studio, model: "lm_studio/local-model" },
] as const;

let current: Settings = storedSettings();
let keys: Keys = keysOf(readText(KEY_STORAGE_KEY), current.baseUrl);
let locked = readText(LOCKED_STORAGE_KEY);
const listeners = new Set<() => void>();

export const settings = (): Readonly<Settings> => current;
export const allKeys = (): Keys => keys;
/** The key for the server of this base URL. The scripted model needs none. */
export const keyOf = (baseUrl: string): string => (baseUrl === SCRIPTED.baseUrl ? "" : (keys[serverOf(baseUrl)] ?? ""));
export const isScripted = (): boolean => current.baseUrl === SCRIPTED.baseUrl;
/** The encrypted keys as they are stored; empty if they are not. */
export const lockedKey = (): string => locked;
const isLocked = (): boolean => locked !== "" && isEmpty(keys);
/** Whether a request to this server would lack its key, or its token, because it is locked. */
export const keyIsLockedFor = (server: string): boolean => isLocked() && (current.lockedServers?.includes(server) ?? true);
/** Whether a key that the chosen models need is locked. */
export const keyIsLocked = (): boolean =>
  !isScripted() && [serverOf(current.baseUrl), ...(current.fallbackServer === "" ? [] : [current.fallbackServer])].some(keyIsLockedFor);
export const keyWasForgotten = (): boolean => {
  const isMissing =
    (current.hadKey && keyOf(current.baseUrl) === "") || (current.fallbackServer !== "" && keyOf(current.fallbackServer) === "");
  return isMissing && !isScripted() && !keyIsLocked();
};

/** Whether an agent server can be asked: not if it is another one than that of the settings, or its key is locked or gone. */
export type AgentServerState = "ready" | "other" | "locked" | "forgotten";

export function agentServerState(host: string): AgentServerState {
  const { agentServer } = current;
  if (agentServer === null || addressOf(agentServer.host) !== host) return "other";
  if (!agentServer.hadKey || agentServerKey(host) !== "") return "ready";
  return keyIsLockedFor(keyNameOf(host)) ? "locked" : "forgotten";
}

export const agentServerKey = (host: string): string => keys[keyNameOf(host)] ?? "";

export function onSettingsChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Returns false for a wrong passphrase, or if the passkey's device declined. */
export async function unlockKey(passphrase?: string): Promise<boolean> {
  const found = await unlockedKey(locked, passphrase);
  if (found === null) return false;
  keys = keysOf(found, current.baseUrl);
  for (const listener of listeners) listener();
  return true;
}

/**
 * Stores and applies settings. With `nextLocked`, the encrypted keys are stored instead of the plain ones. Returns false if
 * the browser does not store them; they then apply to this visit only.
 */
export function changeSettings(next: Settings, nextKeys = keys, nextLocked = ""): boolean {
  const staysLocked = isLocked() && isEmpty(nextKeys) && nextLocked !== "";
  const lockedServers = staysLocked ? current.lockedServers : nextLocked === "" ? [] : Object.keys(nextKeys);
  keys = nextKeys;
  current = {
    ...next,
    lockedServers,
    hadKey: staysLocked ? (lockedServers?.includes(serverOf(next.baseUrl)) ?? current.hadKey) : keyOf(next.baseUrl) !== "",
  };
  locked = nextLocked;
  let stored = true;
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(current));
    keep(LOCKED_STORAGE_KEY, nextLocked);
    keep(KEY_STORAGE_KEY, next.rememberKey && nextLocked === "" ? textOf(keys) : "");
  } catch {
    stored = false;
  }
  for (const listener of listeners) listener();
  return stored;
}

/** Changes when calls wait for approval in new conversations. */
export const choosePolicy = (policy: PolicyChoice): void => void changeSettings({ ...current, policy }, keys, locked);

/** Changes where new conversations begin. */
export const choosePlace = (beginsOnServer: boolean): void => void changeSettings({ ...current, beginsOnServer }, keys, locked);

/** Asks this model from now on, with the other settings as they are. */
export const chooseModel = (model: ModelSettings): void => void changeSettings({ ...current, ...model }, keys, locked);

/** `/v1` means this page's own server. */
export const absoluteBaseUrl = (baseUrl: string): string => new URL(baseUrl, location.href).href.replace(/\/$/, "");

/** As the last tab has saved them. */
export function storedSettings(): Settings {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "null");
    return typeof stored === "object" && stored !== null ? { ...SCRIPTED, ...stored } : { ...SCRIPTED };
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
