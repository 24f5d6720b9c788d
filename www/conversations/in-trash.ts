// A notice above a conversation that is in the trash, which somebody may have put there in another tab.

import { byId } from "../shell/dom.ts";
import { offer, withdraw } from "../shell/notices.ts";
import type { Session } from "../thread/session.ts";

const NOTICE = "This conversation is in the trash.";
/** The tab in which it is deleted leaves it within this time. */
const PATIENCE = 700;

let told: string | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

export const isInTrash = (session: Session): boolean => "trashed" in session.conversation.state.tags;

/** Called after each change of the open conversation; `null` if there is none. */
export function tellOfTrash(session: Session | null): void {
  const trashed = session !== null && isInTrash(session) ? session : null;
  if ((trashed?.id ?? null) === told) return;
  told = trashed?.id ?? null;
  clearTimeout(timer);
  withdraw(NOTICE);
  if (trashed !== null) timer = setTimeout(() => offer(NOTICE, "Restore", () => restore(trashed)), PATIENCE);
}

/** The notice goes when that is done, and its button cannot keep the focus. */
function restore({ id, title }: Session): boolean {
  byId("title").focus();
  void import("./acts.ts").then(({ mark }) => mark([{ id, title }], "trashed", false));
  return false;
}
