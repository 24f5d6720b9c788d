// The values of secrets that were given since the page was loaded, for as long as it is: a conversation that is opened
// anew gets them again. They are stored nowhere; what is stored with the conversation is their names.

import type { Conversation } from "threadkeep";

const given = new Map<string, Map<string, string>>();

export const givenSecrets = (conversationId: string): Record<string, string> => Object.fromEntries(given.get(conversationId) ?? []);

export interface KnownSecret {
  name: string;
  /** False where only the name outlived a reload. */
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
