// The models' keys. Each belongs to one server and is sent to no other: a profile or a fallback at another server needs a
// key of its own.

/** Keys by server, such as `https://api.openai.com`. */
export type Keys = Readonly<Record<string, string>>;

/** The server of a base URL; empty if the URL is incomplete. */
export function serverOf(baseUrl: string): string {
  try {
    return baseUrl === "" ? "" : new URL(baseUrl, location.href).origin;
  } catch {
    return "";
  }
}

/** Without a key, the stored one of this server is removed. */
export function withKey(keys: Keys, baseUrl: string, key: string): Keys {
  const { [serverOf(baseUrl)]: _, ...others } = keys;
  return key === "" ? others : { ...others, [serverOf(baseUrl)]: key };
}

export const isEmpty = (keys: Keys): boolean => Object.keys(keys).length === 0;

export const areSame = (some: Keys, others: Keys): boolean =>
  Object.keys({ ...some, ...others }).every((server) => some[server] === others[server]);

export const textOf = (keys: Keys): string => (isEmpty(keys) ? "" : JSON.stringify(keys));

/** An earlier version stored only one key, which belongs to the server in the settings. */
export function keysOf(text: string, baseUrl: string): Keys {
  if (!text.startsWith("{")) return withKey({}, baseUrl, text);
  try {
    return JSON.parse(text) as Keys;
  } catch {
    return {};
  }
}
