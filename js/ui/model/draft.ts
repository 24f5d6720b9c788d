// What is in the form before it is saved.
import { isLocal, type ModelProvider, prefixOf, serverUrl } from "./providers.js";
import { mendedUrl, problemOfUrl } from "./base-url.js";
import type { KeyProtection } from "./keys.js";
import { defaults, type ModelSettings, type ModelStore, serverOf } from "./store.js";

export interface Draft extends ModelSettings {
  /** Without the prefix of its provider. */
  model: string;
  apiKey: string;
  protection: KeyProtection;
  passphrase: string;
}

/** The id of the choice of a server that the user names. */
export const other = "other";

/** The form as the store has it. */
export function draftOf({ settings, keys }: ModelStore, providers: readonly ModelProvider[]): Draft {
  const secrets = { apiKey: "", protection: keys.protection, passphrase: "" };
  if (settings === null) return { ...chosen(providers[0]), ...secrets };
  const provider = providers.some(({ id }) => id === settings.provider) ? settings.provider : other;
  return { ...settings, provider, model: shortName(provider, settings.model), ...secrets };
}

/** The fields of another provider; without one those of a server that is still to be named. */
export function chosen(provider: ModelProvider | undefined): ModelSettings {
  const { id = other, model = "", baseUrl = "" } = provider ?? {};
  return { ...defaults, provider: id, model, baseUrl };
}

/** What the form would save. */
export function settingsOf({ provider, model, baseUrl, apiMode, nativeToolCalling }: Draft): ModelSettings {
  const prefix = prefixOf(provider);
  const name = model.trim();
  return { provider, model: name.startsWith(prefix) ? name : prefix + name, baseUrl: mendedUrl(baseUrl), apiMode, nativeToolCalling };
}

const shortName = (provider: string, model: string): string =>
  model.startsWith(prefixOf(provider)) ? model.slice(prefixOf(provider).length) : model;

/** Whether the user may change the address: of a program on a computer, which may be another one, or of a server that is named. */
export const hasBaseUrl = ({ provider }: Draft): boolean => provider === other || isLocal(serverUrl(provider) ?? "");

/** The server to which the key in the form belongs; empty while its address is none. */
export function serverOfDraft({ baseUrl }: Draft): string {
  const url = mendedUrl(baseUrl);
  return problemOfUrl(url) === null ? serverOf(url) : "";
}
