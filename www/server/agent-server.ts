// The agent server of the settings, a machine on which conversations can run: how it is asked, and why it cannot be. MCP servers, which
// only have tools, are others.

import { agentServer, type AgentServer, ThreadkeepError } from "threadkeep";
import type { Session } from "../conversation/session.ts";
import { report, withdraw } from "../layout/notices.tsx";
import { askUnlock, keyIsLockedFor, models, settings } from "../settings/settings.ts";

/** The address as the library stores it with a copy. */
export const addressOf = (host: string): string => new URL(host).href.replace(/\/+$/, "");

/** Such as `agents.example`. A stored copy may have any text there. */
export const nameOf = (host: string): string => (URL.canParse(host) ? new URL(host).host : host);

/** Its key is kept among the keys, under an address that neither a model nor an MCP server has. */
export const keyNameOf = (host: string): string => `${addressOf(host)}/api/conversations`;
const keyOf = (host: string): string => models.keys.get(keyNameOf(host));

/** The server of a copy, with the key if it is here. Without it the server refuses everything, and the copy is shown all the same. */
export function serverAt(host: string): AgentServer {
  const apiKey = stateOf(host) === "ready" ? keyOf(host) : "";
  return agentServer({ host, workingDir: settings().agentServer?.workingDir ?? "", ...(apiKey !== "" && { apiKey }) });
}

/** The settings with which a conversation on a server was opened: with others it is opened again. */
export const serverSettings = (host: string): string => JSON.stringify([host, stateOf(host), keyOf(host)]);

/** Resolves when the server of the settings can be asked. @throws ThreadkeepError `server_auth` */
export async function needServerKey(host: string): Promise<void> {
  if (stateOf(host) === "locked") await askUnlock();
  const reason = reasons[stateOf(host)];
  if (reason !== "") throw new ThreadkeepError("server_auth", `nothing was sent: ${nameOf(host)} ${reason}`);
}

/** Why a server cannot be asked. */
const reasons = {
  ready: "",
  other: "is not the agent server in the settings: set it up to go on",
  locked: "has a key that is locked: unlock it to go on",
  forgotten: "has a key that was not stored: enter it again to go on",
} as const;

function stateOf(host: string): keyof typeof reasons {
  const { agentServer: server } = settings();
  if (server === null || addressOf(server.host) !== host) return "other";
  if (!server.hadKey || keyOf(host) !== "") return "ready";
  return keyIsLockedFor(keyNameOf(host)) ? "locked" : "forgotten";
}

const title = "The agent server is not connected";
let told = "";

/** A notice while the server of the open conversation cannot be asked. A connection that is lost is shown by the chat, which tries again. */
export function tellOfServer(session: Session | null): void {
  const server = session?.server ?? null;
  const waiting = session?.conversation.waiting;
  const refused = waiting?.seconds === 0 ? `refuses: ${waiting.message}` : "";
  const reason = server === null ? "" : reasons[stateOf(server)] || refused;
  const next = reason && `${session!.id} ${reason}`;
  if (next === told) return;
  told = next;
  if (server === null || reason === "") return withdraw(title);
  const isLocked = stateOf(server) === "locked";
  report(new ThreadkeepError("server_auth", `${nameOf(server)} ${reason}. You see the copy on this device`), {
    title,
    recoveries: isLocked ? [] : ["settings"],
    // The notice goes when the conversation is opened again with the key.
    ...(isLocked && { retry: () => (void askUnlock(), false), retryName: "Unlock it" }),
  });
}
