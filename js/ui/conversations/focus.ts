// The focus in the list, which stays in it when rows move or go.

const rowsOf = (list: HTMLElement): HTMLElement[] => [...list.querySelectorAll<HTMLElement>("[data-id]")];

/** What has the focus in the document or the shadow root of an element. */
export const focusedIn = (element: HTMLElement): HTMLElement | null =>
  (element.getRootNode() as Document | ShadowRoot).activeElement as HTMLElement | null;

/** The stops of the arrows: the link, the button or the checkbox of each row. */
export const stopsOf = (list: HTMLElement): HTMLElement[] =>
  [...list.querySelectorAll<HTMLElement>("[data-stop]")].filter((stop) => !stop.matches(":disabled"));

export interface Focus {
  element: HTMLElement;
  /** By which it is found again when it was drawn anew. */
  key: string;
  /** The place of its row; -1 outside of rows. */
  at: number;
}

/** What has the focus in the list; `null` if it is elsewhere. */
export function focusOf(list: HTMLElement | null): Focus | null {
  const element = list && focusedIn(list);
  if (!list || !element || !list.contains(element)) return null;
  return { element, key: element.dataset["focus"] ?? "", at: rowsOf(list).findIndex((row) => row.contains(element)) };
}

/** If what had the focus is gone, the same control of its row gets it, or else the row that has taken its place. */
export function restoreFocus(list: HTMLElement, before: Focus | null, otherwise: HTMLElement | null): void {
  if (before === null || before.element.isConnected || list.contains(focusedIn(list))) return;
  const again = [...list.querySelectorAll<HTMLElement>("[data-focus]")].find((each) => each.dataset["focus"] === before.key);
  const stops = stopsOf(list);
  const next = before.at < 0 ? undefined : stops[Math.min(before.at, stops.length - 1)];
  (again ?? next ?? otherwise)?.focus({ preventScroll: true });
}

/** Moves the focus to a row, or to the first one if it is not drawn. */
export function focusRow(list: HTMLElement, id: string): void {
  const stops = stopsOf(list);
  const stop = stops.find((each) => each.dataset["focus"] === `${id} stop`) ?? stops[0];
  stop?.focus();
  stop?.scrollIntoView({ block: "nearest" });
}

/** One stop for Tab at a row and its buttons: where the focus is, or the open conversation, or the first; arrows lead to the others. */
export function rove(list: HTMLElement): void {
  const stops = stopsOf(list);
  const focused = focusedIn(list)?.closest("[data-id]");
  const stop = stops.find((each) => focused?.contains(each)) ?? stops.find((each) => each.hasAttribute("aria-current")) ?? stops[0];
  const row = stop?.closest("[data-id]");
  for (const each of list.querySelectorAll<HTMLElement>("[data-id] [data-focus]")) each.tabIndex = row?.contains(each) ? 0 : -1;
}
