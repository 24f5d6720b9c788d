// Messages that are not sent yet, one for each conversation: they survive a reload, and end with the tab.

const prefix = "threadkeep-chat:draft:";

export const readDraft = (conversationId: string): string => draftAt(conversationId) ?? "";

/** An empty text removes the draft. */
export const writeDraft = (conversationId: string, text: string): void => setDraft(conversationId, text === "" ? null : text);

export const draftAt = (name: string): string | null => attempt((storage) => storage.getItem(prefix + name));

export function setDraft(name: string, text: string | null): void {
  attempt((storage) => (text === null ? storage.removeItem(prefix + name) : storage.setItem(prefix + name, text)));
}

/** Without storage (a sandboxed frame, no room) there is no draft, and the field works all the same. */
function attempt<T>(act: (storage: Storage) => T): T | null {
  try {
    return act(sessionStorage);
  } catch {
    return null;
  }
}
