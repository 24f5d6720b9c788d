// The conversations that are selected in the list, so that something is done with all of them at once.

let isOn = false;
const ids = new Set<string>();
/** The one that was clicked last: a click with Shift selects from there. */
let anchor: string | null = null;

export const isSelecting = (): boolean => isOn;
export const isSelected = (id: string): boolean => ids.has(id);
export const selectedIds = (): ReadonlySet<string> => ids;

/** Nothing is selected at the beginning, nor after the end. */
export function setSelecting(on: boolean): void {
  isOn = on;
  ids.clear();
  anchor = null;
}

/** Selects a conversation, or no longer; with `range` all of these ids between it and the last one, too. */
export function select(id: string, on: boolean, range: readonly string[] | null): void {
  const [from, to] = [range?.indexOf(anchor ?? id) ?? -1, range?.indexOf(id) ?? -1];
  const all = from < 0 || to < 0 ? [id] : range!.slice(Math.min(from, to), Math.max(from, to) + 1);
  for (const each of all) {
    if (on) ids.add(each);
    else ids.delete(each);
  }
  anchor = id;
}

/** Forgets those that are no longer in the list. */
export function keepSelected(listed: (id: string) => boolean): void {
  for (const id of ids) if (!listed(id)) ids.delete(id);
}
