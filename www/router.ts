// The URL's hash holds which conversation is open, so that a reload, a bookmark and the back button mean what they say.

export type Route = { conversationId: string } | null;

export function currentRoute(): Route {
  const match = /^#\/c\/([\w-]+)$/.exec(location.hash);
  return match ? { conversationId: match[1]! } : null;
}

export const hrefOf = (conversationId: string): string => `#/c/${conversationId}`;
export const HOME = "#/";

export function goTo(conversationId: string): void {
  location.hash = hrefOf(conversationId);
}

export function goHome(): void {
  location.hash = HOME;
}

/** For a conversation that was just created on this very page: the address changes, nothing is opened anew. */
export function nameCurrent(conversationId: string): void {
  history.replaceState(null, "", hrefOf(conversationId));
}

export function onRoute(listener: (route: Route) => void): void {
  addEventListener("hashchange", () => listener(currentRoute()));
}
