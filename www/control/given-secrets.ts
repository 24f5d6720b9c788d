// The values of secrets that were given since the page was loaded: a conversation that is opened again gets them again.
// They are only in memory; their names are stored with the conversation.

import type { Conversation } from "threadkeep";

const given = new Map<string, Map<string, string>>();

export const givenSecrets = (conversationId: string): Record<string, string> => Object.fromEntries(given.get(conversationId) ?? []);

export interface KnownSecret {
  name: string;
  /** False if only the name survived a reload. */
  hasValue: boolean;
}

export function secretsOf({ id, state }: Conversation): KnownSecret[] {
  const known = given.get(id);
  return Object.keys(state.secret_registry?.secret_sources ?? {}).map((name) => ({ name, hasValue: known?.has(name) ?? false }));
}

export async function giveSecret(conversation: Conversation, name: string, value: string): Promise<void> {
  await conversation.updateSecrets({ [name]: value });
  const known = given.get(conversation.id) ?? new Map<string, string>();
  given.set(conversation.id, known.set(name, value));
}

export async function removeSecret(conversation: Conversation, name: string): Promise<void> {
  await conversation.updateSecrets({ [name]: null });
  given.get(conversation.id)?.delete(name);
}
