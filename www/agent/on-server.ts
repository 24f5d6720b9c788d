// Conversations on the agent server of the settings: how they are opened, and why one cannot be reached.

import { agentServer, type AgentServer, ThreadkeepError } from "threadkeep";
import type { Thread } from "threadkeep/thread";
import { nameOf } from "../settings/agent-server.ts";
import { agentServerKey, agentServerState, settings } from "../settings/settings.ts";
import { askUnlock } from "../settings/unlock.ts";

/**
 * The server of a copy, with the key if it is here. Without it the server refuses everything, and the copy is shown all the same.
 */
export function serverAt(host: string): AgentServer {
  const known = settings().agentServer;
  const apiKey = agentServerState(host) === "ready" ? agentServerKey(host) : "";
  return agentServer({ host, workingDir: known?.workingDir ?? "", ...(apiKey !== "" && { apiKey }) });
}

/** The settings with which a conversation on a server was opened: with others it is opened again. */
export const serverSettings = (host: string): string => JSON.stringify([host, agentServerState(host), agentServerKey(host)]);

/** Resolves when the server of the settings can be asked. @throws ThreadkeepError `key_locked`, `server_auth` */
export async function needServerKey(host: string): Promise<void> {
  if (agentServerState(host) === "locked" && !(await askUnlock("The agent server is asked with it, so nothing is sent before.")))
    throw new ThreadkeepError("key_locked", "nothing was sent, because the key is locked: unlock it, or begin in this browser");
  if (agentServerState(host) === "forgotten")
    throw new ThreadkeepError(
      "server_auth",
      `nothing was sent, because the key of ${nameOf(host)} was not stored: enter it in the settings`,
    );
}

/** A sentence about a server that cannot be asked, with the way out; `null` if it can. */
export function whyUnusable(host: string): string | null {
  const name = nameOf(host);
  return {
    ready: null,
    other: `This conversation runs on ${name}, which is not the agent server in the settings. You see the copy on this device; set the server up to go on.`,
    locked: `This conversation runs on ${name}, whose key is locked. You see the copy on this device; unlock the key to go on.`,
    forgotten: `This conversation runs on ${name}, whose key was not stored. You see the copy on this device; enter the key again to go on.`,
  }[agentServerState(host)];
}

/** The same thread, whose failures say what to do here about a key that the server refuses. */
export function withServerFailures(thread: Thread, host: string): Thread {
  const telling =
    <Args extends unknown[], Result>(act: (...args: Args) => Promise<Result>) =>
    (...args: Args): Promise<Result> =>
      act(...args).catch((error: unknown) => {
        if (!(error instanceof ThreadkeepError && error.code === "server_auth")) throw error;
        throw new ThreadkeepError("server_auth", `${nameOf(host)} does not accept the key: unlock it, or enter it in the settings`);
      });
  const { send, resume, approve, reject, regenerate, editMessage } = thread;
  return {
    ...thread,
    send: telling(send),
    resume: telling(resume),
    approve: telling(approve),
    reject: telling(reject),
    regenerate: telling(regenerate),
    editMessage: telling(editMessage),
  };
}
