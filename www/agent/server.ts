// Conversations on the agent server of the settings: how it is asked, and why it cannot be.

import { agentServer, type AgentServer, ThreadkeepError } from "threadkeep";
import { nameOf } from "../settings/agent-server.ts";
import { agentServerKey, agentServerState, settings } from "../settings/settings.ts";
import { askUnlock } from "../settings/unlock.ts";
import { report, withdraw } from "../shell/notices.ts";
import type { Session } from "../thread/session.ts";

/** The server of a copy, with the key if it is here. Without it the server refuses everything, and the copy is shown all the same. */
export function serverAt(host: string): AgentServer {
  const apiKey = agentServerState(host) === "ready" ? agentServerKey(host) : "";
  return agentServer({ host, workingDir: settings().agentServer?.workingDir ?? "", ...(apiKey !== "" && { apiKey }) });
}

/** The settings with which a conversation on a server was opened: with others it is opened again. */
export const serverSettings = (host: string): string => JSON.stringify([host, agentServerState(host), agentServerKey(host)]);

/** Resolves when the server of the settings can be asked. @throws ThreadkeepError `key_locked`, `server_auth` */
export async function needServerKey(host: string): Promise<void> {
  if (agentServerState(host) === "locked") await askUnlock();
  const reason = WHY[agentServerState(host)];
  if (reason !== "") throw new ThreadkeepError("server_auth", `nothing was sent: ${nameOf(host)} ${reason}`);
}

const WHY = {
  ready: "",
  other: "is not the agent server in the settings: set it up to go on",
  locked: "has a key that is locked: unlock it to go on",
  forgotten: "has a key that was not stored: enter it again to go on",
} as const;

const TITLE = "The agent server is not connected";
let told = "";

/** A notice while the server of the open conversation cannot be asked. A connection that is lost is shown by the chat, which tries again. */
export function tellOfServer(session: Session | null): void {
  const server = session?.server ?? null;
  const waiting = session?.conversation.waiting;
  const refused = waiting?.seconds === 0 ? `refuses: ${waiting.message}` : "";
  const reason = server === null ? "" : WHY[agentServerState(server)] || refused;
  const next = reason && `${session!.id} ${reason}`;
  if (next === told) return;
  told = next;
  if (server === null || reason === "") return withdraw(TITLE);
  const isLocked = agentServerState(server) === "locked";
  report(new ThreadkeepError("server_auth", `${nameOf(server)} ${reason}. You see the copy on this device`), {
    title: TITLE,
    recoveries: isLocked ? [] : ["settings"],
    // The notice goes when the conversation is opened again with the key.
    ...(isLocked && { retry: () => (void askUnlock(), false), retryName: "Unlock it" }),
  });
}
