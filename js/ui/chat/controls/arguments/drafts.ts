// Arguments that are being edited and are not sent: they survive a reload, and end with the tab.
import { draftAt, setDraft } from "../drafts.js";

const nameOf = (conversationId: string | null, actionId: string): string => `arguments:${conversationId}:${actionId}`;

/** The text that was kept for this call, or `null`. */
export const keptArguments = (conversationId: string | null, actionId: string): string | null => draftAt(nameOf(conversationId, actionId));

/** `null` forgets it. */
export const keepArguments = (conversationId: string | null, actionId: string, text: string | null): void =>
  setDraft(nameOf(conversationId, actionId), text);
