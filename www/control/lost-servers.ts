// Notices above the conversation about MCP servers that are down or ask for a token: one whenever a server gets into that
// state, until it is connected.

import type { MCPServerState } from "threadkeep";
import { report, withdraw } from "../shell/notices.ts";
import type { Session } from "../thread/session.ts";

let conversationId = "";
/** The states of the conversation's servers that were told, by name. While a server is being connected, the last one counts. */
const told = new Map<string, MCPServerState["state"]>();

/** Called after each change of the open conversation; `null` if there is none. */
export function tellOfServers(session: Session | null): void {
  const servers = session?.conversation.mcp?.servers ?? [];
  const gone =
    session?.id !== conversationId ? [...told.keys()] : [...told.keys()].filter((name) => !servers.some((each) => each.name === name));
  for (const name of gone) forget(name);
  conversationId = session?.id ?? "";
  for (const server of servers) tell(server, () => void session?.conversation.mcp?.reconnect(server.name).catch(() => undefined));
}

function tell({ name, state, error }: MCPServerState, reconnect: () => void): void {
  if (state === "connecting" || told.get(name) === state) return;
  if (state !== "failed" && state !== "login") return forget(name);
  told.set(name, state);
  const retry = (): void => {
    told.delete(name);
    reconnect();
  };
  if (state === "login")
    report(new Error("it asks for a token: remove it in the settings, and add it with one"), {
      title: titleOf(name),
      recoveries: ["settings"],
    });
  else report(new Error(error ?? "it does not answer"), { title: titleOf(name), recoveries: [], retry });
}

function forget(name: string): void {
  if (told.delete(name)) withdraw(titleOf(name));
}

const titleOf = (name: string): string => `The server ${name} is not connected`;
