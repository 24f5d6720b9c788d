// The notice above a conversation whose agent server cannot be asked: because of the settings, or because it has said no for good. A
// connection that is lost is shown by the chat, which tries again.

import { ThreadkeepError } from "threadkeep";
import { whyUnusable } from "../agent/on-server.ts";
import { nameOf } from "../settings/agent-server.ts";
import { agentServerState } from "../settings/settings.ts";
import { askUnlock } from "../settings/unlock.ts";
import { report, withdraw } from "../shell/notices.ts";
import type { Session } from "../thread/session.ts";

const TITLE = "The agent server is not connected";
let told = "";

/** Called after each change of the open conversation; `null` if there is none. */
export function tellOfHome(session: Session | null): void {
  const reason = session?.server ? reasonOf(session, session.server) : null;
  const next = reason === null ? "" : `${session!.id} ${reason}`;
  if (next === told) return;
  told = next;
  if (reason === null) return withdraw(TITLE);
  const isLocked = agentServerState(session!.server!) === "locked";
  report(new ThreadkeepError("server_auth", reason), {
    title: TITLE,
    recoveries: isLocked ? [] : ["settings"],
    ...(isLocked && { retry: unlock, retryName: "Unlock it" }),
  });
}

/** The notice goes when the conversation is opened again with the key. */
function unlock(): boolean {
  void askUnlock();
  return false;
}

function reasonOf({ conversation }: Session, server: string): string | null {
  const reason = whyUnusable(server);
  if (reason !== null) return reason;
  const { waiting } = conversation;
  // Another attempt is made by itself.
  if (waiting === null || waiting.seconds > 0) return null;
  const name = nameOf(server);
  if (waiting.why === "server_auth") return `${name} does not accept the key in the settings. You see the copy on this device.`;
  if (waiting.why === "not_found")
    return `${name} does not have this conversation any more. “Bring home” goes on with the copy on this device.`;
  return `${name}: ${waiting.message}`;
}
