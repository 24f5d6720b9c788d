// The URL's hash names the open conversation, so that reload, bookmarks and the back button work, and may name an event in it.

export type Route = { conversationId: string; eventId: string | null } | null;

export function currentRoute(): Route {
  const match = /^#\/c\/([\w-]+)(?:\/([\w-]+))?$/.exec(location.hash);
  return match ? { conversationId: match[1]!, eventId: match[2] ?? null } : null;
}

export const hrefOf = (conversationId: string, eventId?: string): string =>
  `#/c/${conversationId}${eventId === undefined ? "" : `/${eventId}`}`;
export const HOME = "#/";

export function goTo(conversationId: string): void {
  location.hash = hrefOf(conversationId);
}

export function goHome(): void {
  location.hash = HOME;
}

/** For a conversation that was just created in this page: changes the URL without opening it again. */
export function nameCurrent(conversationId: string): void {
  history.replaceState(null, "", hrefOf(conversationId));
}

export function onRoute(listener: (route: Route) => void): void {
  addEventListener("hashchange", () => listener(currentRoute()));
}
