// Several tabs with the same conversation: one writes, the others read along and take over when it closes.
// The library says who writes; this tells the others when to look again.

const channel = new BroadcastChannel("threadkeep-demo");
const listeners = new Set<(conversationId: string) => void>();
channel.addEventListener("message", ({ data }) => {
  for (const listener of listeners) listener(String(data));
});

/** Something of this conversation was stored, or it is gone. */
export function tellOtherTabs(conversationId: string): void {
  channel.postMessage(conversationId);
}

export function onOtherTab(listener: (conversationId: string) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/**
 * Waits for this tab's turn with a conversation and calls `onTurn` when it has come: at once if no other tab has it,
 * else when that tab closes, however it does. The turn is kept until the returned function is called.
 */
export function takeTurn(conversationId: string, onTurn: () => void): () => void {
  // Without Web Locks (an origin that is not secure) nobody is told; opening the conversation again still works.
  if (!("locks" in navigator)) return () => undefined;
  const leaving = new AbortController();
  const held = new Promise<void>((release) => leaving.signal.addEventListener("abort", () => release()));
  navigator.locks
    .request(`threadkeep-demo:${conversationId}`, { signal: leaving.signal }, () => {
      onTurn();
      return held;
    })
    .catch(() => undefined); // The turn had not come when this tab left the conversation.
  return () => leaving.abort();
}
