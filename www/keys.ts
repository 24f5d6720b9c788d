// The models' keys. Each belongs to one server and is sent to no other: a profile, or a fallback, that is elsewhere
// needs a key of its own.

/** By server, such as `https://api.openai.com`. */
export type Keys = Readonly<Record<string, string>>;

/** The server of a base URL; empty where it is not one yet. */
export function serverOf(baseUrl: string): string {
  try {
    return baseUrl === "" ? "" : new URL(baseUrl, location.href).origin;
  } catch {
    return "";
  }
}

/** Without a key, the server's is forgotten. */
export function withKey(keys: Keys, baseUrl: string, key: string): Keys {
  const { [serverOf(baseUrl)]: _, ...others } = keys;
  return key === "" ? others : { ...others, [serverOf(baseUrl)]: key };
}

export const isEmpty = (keys: Keys): boolean => Object.keys(keys).length === 0;

export const areSame = (some: Keys, others: Keys): boolean =>
  Object.keys({ ...some, ...others }).every((server) => some[server] === others[server]);

export const textOf = (keys: Keys): string => (isEmpty(keys) ? "" : JSON.stringify(keys));

/** What was stored when the page kept one key only was that of the server that was chosen. */
export function keysOf(text: string, baseUrl: string): Keys {
  if (!text.startsWith("{")) return withKey({}, baseUrl, text);
  try {
    return JSON.parse(text) as Keys;
  } catch {
    return {};
  }
}
