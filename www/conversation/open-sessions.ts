// Sessions in the background: leaving a conversation does not stop its run; the session is closed when it ends.

import { report } from "../layout/notices.tsx";
import { Session } from "./session.ts";

const background = new Map<string, { session: Session; stopWatching: () => void }>();

/** Whether an agent runs in a conversation that is not shown. */
export const isRunningInBackground = (): boolean => background.size > 0;

/** Stops the agent of a conversation that is not shown. */
export function stopInBackground(conversationId: string): void {
  background.get(conversationId)?.session.thread.stop();
}

export async function openSession(conversationId: string): Promise<Session> {
  const existing = background.get(conversationId);
  if (existing === undefined) return Session.open(conversationId);
  background.delete(conversationId);
  existing.stopWatching();
  return existing.session;
}

export async function leaveSession(session: Session): Promise<void> {
  if (!session.running) return session.close();
  const stopWatching = session.onChange(() => {
    if (session.running) return;
    stopWatching();
    background.delete(session.id);
    session.close().catch((error: unknown) => report(error));
  });
  background.set(session.id, { session, stopWatching });
}
