// The values of secrets that were given since the page was loaded: a conversation that is opened again gets them again. They are only
// in memory; their names are stored with the conversation.

const given = new Map<string, Record<string, string>>();

export const secretsOf = (conversationId: string): Record<string, string> => given.get(conversationId) ?? {};

/** `value` is null for a secret that was removed. */
export function keepSecret(conversationId: string, name: string, value: string | null): void {
  const { [name]: _, ...others } = secretsOf(conversationId);
  given.set(conversationId, value === null ? others : { ...others, [name]: value });
}
