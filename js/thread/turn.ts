// A follower's turn: the moment when the tab that writes a conversation has ended.

/**
 * Resolves when the lock on this conversation is free, to be taken by whoever is quicker; false where there are no Web Locks,
 * or nobody holds one, and so nothing tells when it ends.
 */
export async function untilFree(conversationId: string, signal: AbortSignal): Promise<boolean> {
  const locks = globalThis.navigator?.locks;
  if (!locks) return false;
  const ending = `:${conversationId.replaceAll("-", "")}`;
  const { held = [] } = await locks.query();
  const name = held.find(({ name }) => name?.startsWith("threadkeep:") && name.endsWith(ending))?.name;
  if (name === undefined) return false;
  await locks.request(name, { signal }, () => {});
  return true;
}
