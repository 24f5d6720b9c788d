// The values of secrets that were given since the page was loaded: a conversation that is opened again gets them again. They are only
// in memory; their names are stored with the conversation.

import type { Conversation } from "threadkeep";

/** By the id of the conversation. Those of the next one, which has no id before its first message, are under "next". */
const given = new Map<string, Record<string, string>>();
const NEXT = "next";

export const secretsOf = (conversationId = NEXT): Record<string, string> => given.get(conversationId) ?? {};

/** Gives a secret, or removes it if `value` is null. Without a conversation it is for the next one. */
export async function setSecret(conversation: Conversation | undefined, name: string, value: string | null): Promise<void> {
  await conversation?.updateSecrets({ [name]: value });
  const { [name]: _, ...others } = secretsOf(conversation?.id);
  given.set(conversation?.id ?? NEXT, value === null ? others : { ...others, [name]: value });
}

/** The next conversation has them and was created. */
export function keepSecrets(conversationId: string): void {
  given.set(conversationId, secretsOf());
  given.delete(NEXT);
}
