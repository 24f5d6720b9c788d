// The agent server of the settings: a machine on which conversations can run. MCP servers, which only have tools, are others.

export interface AgentServerAddress {
  host: string;
  /** The directory on the server in which the agents of new conversations work. */
  workingDir: string;
  /** Whether a key was given: after a reload the page can say that it is gone. */
  hadKey: boolean;
}

/** The address as the library stores it with a copy. */
export const addressOf = (host: string): string => new URL(host).href.replace(/\/+$/, "");

/** Such as `agents.example`. A stored copy may have any text there. */
export const nameOf = (host: string): string => (URL.canParse(host) ? new URL(host).host : host);

/** Its key is kept among the keys, under an address that neither a model nor an MCP server has. */
export const keyNameOf = (host: string): string => `${addressOf(host)}/api/conversations`;

/** A sentence about the first thing that is wrong; empty if nothing is. */
export function problemOfHost(host: string): string {
  if (!/^https?:\/\//.test(host) || !URL.canParse(host)) return "The address has to be complete and to begin with https:// or http://.";
  const { username, password, search, hash } = new URL(host);
  if (username || password || search || hash) return "The address must not contain a key or a query: enter the key below.";
  return "";
}
