// The MCP servers of the settings, and the options for the library.

import type { MCPServer } from "threadkeep";
import type { Keys } from "./keys.ts";

export interface ServerAddress {
  name: string;
  url: string;
}

/** A server's token is kept among the keys, under its complete URL. */
export const tokenOf = (keys: Keys, url: string): string => keys[new URL(url, location.href).href] ?? "";

export function withToken(keys: Keys, url: string, token: string): Keys {
  const { [new URL(url, location.href).href]: _, ...others } = keys;
  return token === "" ? others : { ...others, [new URL(url, location.href).href]: token };
}

export function mcpServers(servers: readonly ServerAddress[], keys: Keys): Record<string, MCPServer> {
  return Object.fromEntries(
    servers.map(({ name, url }) => [name, { url, ...(tokenOf(keys, url) !== "" && { auth: { token: tokenOf(keys, url) } }) }]),
  );
}

/** The servers that were stored with a conversation, for example by the Python SDK, and that these settings do not have. */
export function missingServers(config: unknown, servers: readonly ServerAddress[]): Array<{ name: string; url: string | null }> {
  const { mcpServers: nested } = (config ?? {}) as { mcpServers?: object };
  return Object.entries(nested ?? config ?? {}).flatMap(([name, server]) => {
    const url: unknown = (server as Record<string, unknown> | null)?.["url"];
    const address = typeof url === "string" && /^https?:/.test(url) && URL.canParse(url) ? url : null;
    return servers.some((each) => each.name === name) ? [] : [{ name, url: address }];
  });
}
