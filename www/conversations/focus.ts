// The focus in the list, which stays in it when rows move or go.

import { byId } from "../shell/dom.ts";

const rowsOf = (list: HTMLElement): HTMLElement[] => [...list.querySelectorAll<HTMLElement>("[data-id]")];
const keyed = (list: HTMLElement, key: string): HTMLElement | undefined =>
  [...list.querySelectorAll<HTMLElement>("[data-focus]")].find((each) => each.dataset["focus"] === key);

/** The stops of the arrows: the link or the checkbox of each row that is drawn. */
export const stopsOf = (list: HTMLElement): HTMLElement[] =>
  [...list.querySelectorAll<HTMLElement>("[data-stop]")].filter((stop) => stop.closest("[hidden]") === null && !stop.matches(":disabled"));

/** Draws the list. If what had the focus is gone, the row that has taken its place gets it. */
export function keepingFocus(list: HTMLElement, draw: () => void): void {
  const focused = document.activeElement as HTMLElement | null;
  if (focused === null || !list.contains(focused)) return draw();
  const key = focused.dataset["focus"] ?? "";
  const at = rowsOf(list).findIndex((row) => row.contains(focused));
  draw();
  if (document.activeElement === focused && focused.closest("[hidden]") === null) return;
  const again = keyed(list, key);
  const stops = stopsOf(list);
  const next = at < 0 ? undefined : stops[Math.min(at, stops.length - 1)];
  (again?.closest("[hidden]") === null ? again : (next ?? byId("new-conversation"))).focus({ preventScroll: true });
}

/** Moves the focus to a row, or to the first one if it is not drawn. */
export function focusRow(list: HTMLElement, id: string): void {
  const stops = stopsOf(list);
  (stops.find((stop) => stop.dataset["focus"] === `${id} stop`) ?? stops[0] ?? byId("new-conversation")).focus();
}

/** One stop for Tab at a row and its buttons: where the focus is, or the open conversation, or the first; arrows lead to the others. */
export function rove(list: HTMLElement): void {
  const stops = stopsOf(list);
  const focused = document.activeElement?.closest("[data-id]");
  const stop = stops.find((each) => focused?.contains(each)) ?? stops.find((each) => each.hasAttribute("aria-current")) ?? stops[0];
  const row = stop?.closest("[data-id]");
  for (const each of list.querySelectorAll<HTMLElement>("[data-id] [data-focus]")) each.tabIndex = row?.contains(each) ? 0 : -1;
}
