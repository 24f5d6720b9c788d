// The bar below the list while conversations are selected: its buttons do something with all of them. Loaded when somebody selects.

import type { ConversationInfo } from "threadkeep";
import { byId, el } from "../shell/dom.ts";
import { type Flag, mark } from "./acts.ts";

let chosen: readonly ConversationInfo[] = [];
let finish = (): void => undefined;

const count = el("p", { class: "quiet", role: "status" });
const buttons = (["pinned", "archived", "trashed"] as const).map(
  (flag) => [flag, el("button", { type: "button", class: "button small", onclick: () => act(flag) })] as const,
);

/** Shows the bar for these; `done` is called when something is done with them. */
export function drawSelectionBar(selected: readonly ConversationInfo[], done: () => void): void {
  chosen = selected;
  finish = done;
  const bar = byId("selection-bar");
  if (bar.childElementCount === 0) bar.append(count, el("div", { class: "buttons" }, ...buttons.map(([, button]) => button)));
  count.textContent = selected.length === 0 ? "Select conversations" : `${selected.length} selected`;
  for (const [flag, button] of buttons) {
    button.textContent = NAMES[flag][isSet(flag) ? 1 : 0];
    // One that is disabled could not keep the focus.
    button.setAttribute("aria-disabled", String(selected.length === 0));
  }
}

/** Does to the selected ones what the button of this flag says. */
export function act(flag: Flag): void {
  if (chosen.length === 0) return;
  const value = !isSet(flag);
  const changed = chosen.filter((info) => isMarked(info, flag) !== value);
  finish();
  void mark(changed, flag, value);
}

const NAMES: Record<Flag, readonly [set: string, unset: string]> = {
  pinned: ["Pin", "Unpin"],
  archived: ["Archive", "Unarchive"],
  trashed: ["Delete", "Delete"],
};

const isMarked = ({ pinnedAt, archivedAt, trashedAt }: ConversationInfo, flag: Flag): boolean =>
  ({ pinned: pinnedAt, archived: archivedAt, trashed: trashedAt })[flag] !== null;

/** Whether all of them are marked so; then the button takes it away. */
const isSet = (flag: Flag): boolean => chosen.length > 0 && chosen.every((info) => isMarked(info, flag));
