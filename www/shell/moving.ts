// Takes the open conversation to the agent server of the settings, or brings it home. Loaded when somebody does so.

import { bringHome, moveToServer, ThreadkeepError } from "threadkeep";
import { createAgentOnServer } from "../agent/agent.ts";
import { needServerKey, serverAt } from "../agent/on-server.ts";
import { nameOf } from "../settings/agent-server.ts";
import { needKey } from "../settings/unlock.ts";
import { announce } from "./announcer.ts";
import { ask } from "./dialogs.ts";
import { el } from "./dom.ts";
import { notify, report, showWork } from "./notices.ts";

export interface Moved {
  id: string;
  title: string;
  /** Closes the conversation, does this, and opens it again wherever it is then. Rejects with the failure of `act`. */
  closedDuring: (act: () => Promise<void>) => Promise<void>;
}

/** Asks before. Never rejects. */
export async function moveThere(moved: Moved, host: string): Promise<void> {
  const name = nameOf(host);
  const answer = await ask({
    heading: "Move it to the server?",
    body: [
      el(
        "p",
        {},
        `All messages of “${moved.title}” move to ${name}, and the agent goes on there, with the model's key and the server's files.`,
      ),
      el("p", { class: "quiet" }, "Secrets and the files of this conversation do not move. A copy of the messages stays here."),
    ],
    actions: [{ value: "move", name: "Move to server", look: "primary" }],
  });
  if (answer !== "move") return;
  await attempt(moved, host, "The conversation could not be moved", `Moving “${moved.title}” to ${name}`, async (onProgress) => {
    await needKey();
    const agent = await createAgentOnServer();
    await moved.closedDuring(() => moveToServer(moved.id, { agent, server: serverAt(host), onProgress }));
    notify(`“${moved.title}” runs on ${name} now.`);
  });
}

/** Asks before. Never rejects. */
export async function moveHome(moved: Moved, host: string): Promise<void> {
  const name = nameOf(host);
  const answer = await ask({
    heading: "Bring it home?",
    body: [
      el("p", {}, `“${moved.title}” goes on in this browser with all its messages, and is deleted on ${name}.`),
      el("p", { class: "quiet" }, "Secrets, and the files in the directory on the server, stay there."),
    ],
    actions: [{ value: "bring", name: "Bring home", look: "primary" }],
  });
  if (answer !== "bring") return;
  await attempt(moved, host, "The conversation could not be brought home", `Bringing “${moved.title}” home`, async () => {
    await moved.closedDuring(() => bringHome(moved.id, { server: serverAt(host) }));
    notify(`“${moved.title}” runs in this browser now.`);
  });
}

async function attempt(
  moved: Moved,
  host: string,
  failed: string,
  name: string,
  act: (onProgress: (progress: { done: number; total: number }) => void) => Promise<void>,
): Promise<void> {
  announce(`${name}.`);
  const work = showWork(name);
  // A page that is left in the middle leaves the conversation on its way.
  const stay = (event: Event): void => event.preventDefault();
  addEventListener("beforeunload", stay);
  try {
    await needServerKey(host);
    await act(work.onProgress);
  } catch (error) {
    report(explained(error), { title: failed, retry: () => attempt(moved, host, failed, name, act) });
  } finally {
    removeEventListener("beforeunload", stay);
    work.end();
  }
}

/** In the words of this page. */
function explained(error: unknown): unknown {
  if (!(error instanceof ThreadkeepError)) return error;
  if (error.code === "locked_elsewhere") return new Error("it is open in another tab: close it there first");
  if (error.code === "unsupported" && /does not have the tools/.test(error.message))
    return new Error(`${error.message}. Conversations that begin from now on have only tools that the server has, too`);
  return error;
}
