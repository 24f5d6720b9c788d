// Several tabs with the same conversation: one writes, the others read and take over when it closes. The library decides who
// writes; this notifies the others of changes.

const channel = new BroadcastChannel("threadkeep-demo");
const listeners = new Set<(conversationId: string) => void>();
channel.addEventListener("message", ({ data }) => {
  for (const listener of listeners) listener(String(data));
});

/** Notifies other tabs that something of this conversation was stored, or that it was deleted. */
export function notifyOtherTabs(conversationId: string): void {
  channel.postMessage(conversationId);
}

export function onOtherTab(listener: (conversationId: string) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/**
 * Waits for this tab's turn with a conversation, then calls `onTurn`: at once if no other tab has it, otherwise when that
 * tab closes or crashes. The turn ends when the returned function is called.
 */
export function takeTurn(conversationId: string, onTurn: () => void): () => void {
  // Without Web Locks (an insecure origin) there is no notification; opening the conversation again still works.
  if (!("locks" in navigator)) return () => undefined;
  const leaving = new AbortController();
  const held = new Promise<void>((release) => leaving.signal.addEventListener("abort", () => release()));
  navigator.locks
    .request(`threadkeep-demo:${conversationId}`, { signal: leaving.signal }, () => {
      onTurn();
      return held;
    })
    .catch(() => undefined); // This tab left the conversation before its turn.
  return () => leaving.abort();
}
