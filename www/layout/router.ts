// The URL's hash names the open conversation, so that reload, bookmarks and the back button work, and may name an event in it.

export type Route = { conversationId: string; eventId: string | null } | null;

export function currentRoute(): Route {
  const match = /^#\/c\/([\w-]+)(?:\/([\w-]+))?$/.exec(location.hash);
  return match ? { conversationId: match[1]!, eventId: match[2] ?? null } : null;
}

/** The address of a conversation or of an event in it, and with `null` of a new conversation. */
export const hrefOf = (conversationId: string | null, eventId?: string): string =>
  conversationId === null ? "#/" : `#/c/${conversationId}${eventId === undefined ? "" : `/${eventId}`}`;

export function goTo(conversationId: string | null): void {
  location.hash = hrefOf(conversationId);
}
