// The values of secrets that were given since the page was loaded: a conversation that is opened again gets them again.
// They are only in memory; their names are stored with the conversation.

import type { Conversation } from "threadkeep";

const given = new Map<string, Record<string, string>>();
/** Those for the next conversation, which has no id before its first message. */
let early: Record<string, string> = {};

export const givenSecrets = (conversationId: string): Record<string, string> => ({ ...given.get(conversationId) });

export interface KnownSecret {
  name: string;
  /** False if only the name survived a reload. */
  hasValue: boolean;
}

/** The secrets of a conversation; without one, of the next. */
export function secretsOf(conversation: Conversation | null): KnownSecret[] {
  if (conversation === null) return Object.keys(early).map((name) => ({ name, hasValue: true }));
  const known = given.get(conversation.id) ?? {};
  return Object.keys(conversation.state.secret_registry?.secret_sources ?? {}).map((name) => ({
    name,
    hasValue: Object.hasOwn(known, name),
  }));
}

/** Gives a secret, or removes it if `value` is null. */
export async function setSecret(conversation: Conversation | null, name: string, value: string | null): Promise<void> {
  await conversation?.updateSecrets({ [name]: value });
  const { [name]: _, ...others } = conversation === null ? early : (given.get(conversation.id) ?? {});
  const known = value === null ? others : { ...others, [name]: value };
  if (conversation === null) early = known;
  else given.set(conversation.id, known);
}

export const earlySecrets = (): Record<string, string> => ({ ...early });

/** The next conversation has them and was created. */
export function keepEarlySecrets(conversationId: string): void {
  given.set(conversationId, early);
  early = {};
}
