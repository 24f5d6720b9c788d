// The MCP servers of the settings, and the options for the library.

import type { MCPServer } from "threadkeep";
import { models } from "./settings.ts";

export interface ServerAddress {
  name: string;
  url: string;
}

/** A server's token is kept among the keys, under its complete URL. */
export const tokenOf = (url: string): string => models.keys.get(tokenName(url));

export const tokenName = (url: string): string => new URL(url, location.href).href;

export const mcpServers = (servers: readonly ServerAddress[]): Record<string, MCPServer> =>
  Object.fromEntries(servers.map(({ name, url }) => [name, { url, ...(tokenOf(url) !== "" && { auth: { token: tokenOf(url) } }) }]));

/** The servers that were stored with a conversation, for example by the Python SDK, and that these settings do not have. */
export function missingServers(config: unknown, servers: readonly ServerAddress[]): Array<{ name: string; url: string | null }> {
  const { mcpServers: nested } = (config ?? {}) as { mcpServers?: object };
  return Object.entries(nested ?? config ?? {}).flatMap(([name, server]) => {
    const url: unknown = (server as Record<string, unknown> | null)?.["url"];
    const address = typeof url === "string" && /^https?:/.test(url) && URL.canParse(url) ? url : null;
    return servers.some((each) => each.name === name) ? [] : [{ name, url: address }];
  });
}
