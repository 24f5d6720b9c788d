/** @jsxImportSource preact */
// The keys of the chat: letters that are typed in no field go to the message, and shortcuts, which want Control or Command, because who
// speaks to a computer, or has a cat, presses single keys without meaning to (WCAG 2.1.4). No shortcut decides anything.
import type { RefObject } from "preact";
import { useImperativeHandle, useLayoutEffect, useRef, useState } from "preact/hooks";
import { isOfComposition } from "./composition.js";
import { useLabels } from "./context.js";
import { isForField, isPressed, isTyped, type Shortcut } from "./keys.js";
import { lazy } from "./lazy.js";

export type { Shortcut };

export interface ShortcutsHandle {
  /** Opens the list. */
  open(): void;
}

export interface ShortcutsProps {
  /** Further ones of the page, which come first in the list. */
  more?: readonly Shortcut[] | undefined;
  handle?: RefObject<ShortcutsHandle | null> | undefined;
}

const list = lazy(() => import("./asked-for.js"));

/** Keys for the chat in which it is; in an app, for the element with the class `threadkeep`. */
export function Shortcuts({ more = [], handle }: ShortcutsProps) {
  const labels = useLabels();
  const place = useRef<HTMLDivElement>(null);
  const [List, setList] = useState<typeof import("./shortcut-list.js").ShortcutList | null>(null);
  const [isOpen, setOpen] = useState(false);
  const open = (): void => list.use(({ ShortcutList }) => (setList(() => ShortcutList), setOpen(true)));
  useImperativeHandle(handle ?? null, () => ({ open }));

  const root = (): HTMLElement | ShadowRoot =>
    place.current!.closest<HTMLElement>(".threadkeep") ?? (place.current!.getRootNode() as ShadowRoot);
  const focus = (selector: string) => () => root().querySelector<HTMLElement>(selector)?.focus();
  const all: readonly Shortcut[] = [
    ...more,
    { key: ".", name: labels.shortcutApprove, act: focus(".approvals .ask .buttons button") },
    { key: "/", name: labels.shortcutList, act: open },
  ];

  // An effect after the paint can come when the chat is gone already.
  useLayoutEffect(() => {
    const where = root();
    const onKey = (event: KeyboardEvent): void => {
      const isHere = event.composedPath().includes(where) || isFree() || isInListOf(where, event);
      if (!isHere || event.defaultPrevented || isOfComposition(event) || isInDialog(event)) return;
      // The field gets the character, because it has the focus when the browser types it.
      if (isTyped(event)) return isForField(event) ? undefined : focus(".composer-text")();
      const found = all.find((each) => isPressed(each, event));
      if (!found) return;
      event.preventDefault();
      found.act();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  });

  return (
    <div ref={place} class="shortcuts">
      {isOpen && List && <List shortcuts={all} close={() => setOpen(false)} />}
    </div>
  );
}

/** Nothing on the page has the focus. Of several chats the first takes the key, and with it the focus. */
const isFree = (): boolean => document.activeElement === null || document.activeElement === document.body;

/** In a `<threadkeep-conversations>` that opens what the user chooses in this chat: who has chosen goes on to write. */
const isInListOf = (where: HTMLElement | ShadowRoot, event: Event): boolean =>
  where instanceof ShadowRoot &&
  event.composedPath().some((each) => each instanceof HTMLElement && "chat" in each && each.chat === where.host);

const isInDialog = (event: Event): boolean => event.composedPath().some((each) => each instanceof HTMLDialogElement);
