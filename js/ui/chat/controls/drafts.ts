// Messages that are not sent yet, one for each conversation: they survive a reload, and end with the tab.

const prefix = "threadkeep-chat:draft:";

export function readDraft(conversationId: string): string {
  return attempt((storage) => storage.getItem(prefix + conversationId)) ?? "";
}

/** An empty text removes the draft. */
export function writeDraft(conversationId: string, text: string): void {
  attempt((storage) => (text === "" ? storage.removeItem(prefix + conversationId) : storage.setItem(prefix + conversationId, text)));
}

/** Without storage (a sandboxed frame, no room) there is no draft, and the field works all the same. */
function attempt<T>(act: (storage: Storage) => T): T | null {
  try {
    return act(sessionStorage);
  } catch {
    return null;
  }
}
