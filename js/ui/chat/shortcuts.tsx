/** @jsxImportSource preact */
// The shortcuts of the chat, and the list of them. Single keys work only while nobody types, and can be turned off, because who
// speaks to a computer, or has a cat, presses them without meaning to (WCAG 2.1.4). None of them decides anything.
import { isOfComposition } from "./composition.js";
import type { RefObject } from "preact";
import { useEffect, useImperativeHandle, useRef, useState } from "preact/hooks";
import { lazy } from "./lazy.js";
import { useLabels } from "./context.js";
import type { Shortcut } from "./shortcut-list.js";

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

const list = lazy(() => import("./shortcut-list.js"));

const storageKey = "threadkeep-chat:single-keys";

/** Keys for the chat in which it is; in an app, for the element with the class `threadkeep`. */
export function Shortcuts({ more = [], handle }: ShortcutsProps) {
  const labels = useLabels();
  const place = useRef<HTMLDivElement>(null);
  const [List, setList] = useState<typeof import("./shortcut-list.js").ShortcutList | null>(null);
  const [isOpen, setOpen] = useState(false);
  const [areSingleKeysOn, setSingleKeys] = useState(() => stored() !== "off");
  const open = (): void => list.use(({ ShortcutList }) => (setList(() => ShortcutList), setOpen(true)));
  useImperativeHandle(handle ?? null, () => ({ open }));

  const root = (): ParentNode => place.current!.closest(".threadkeep") ?? (place.current!.getRootNode() as ParentNode);
  const focus = (selector: string) => () => root().querySelector<HTMLElement>(selector)?.focus();
  const own: Shortcut[] = [
    { key: "m", name: labels.shortcutWrite, act: focus(".composer-text") },
    { key: "a", name: labels.shortcutApprove, act: focus(".approvals .ask .buttons button") },
    { key: "?", name: labels.shortcutList, act: open },
  ];
  const all = [...more, ...own];

  useEffect(() => {
    const where = root();
    const onKey = (event: Event): void => {
      const { key, ctrlKey, metaKey, altKey } = event as KeyboardEvent;
      if (event.defaultPrevented || isOfComposition(event as KeyboardEvent) || altKey || isInDialog(event)) return;
      if (ctrlKey || metaKey) {
        if (key !== "/") return;
        event.preventDefault();
        return open();
      }
      const found = areSingleKeysOn && !isTyping(event) && all.find((each) => each.key === key);
      if (!found) return;
      event.preventDefault();
      found.act();
    };
    where.addEventListener("keydown", onKey);
    return () => where.removeEventListener("keydown", onKey);
  });

  const setStored = (on: boolean): void => {
    setSingleKeys(on);
    try {
      localStorage.setItem(storageKey, on ? "on" : "off");
    } catch {
      // Without storage it holds for this page.
    }
  };
  return (
    <div ref={place} class="shortcuts">
      {isOpen && List && <List shortcuts={all} areSingleKeysOn={areSingleKeysOn} setSingleKeys={setStored} close={() => setOpen(false)} />}
    </div>
  );
}

function stored(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}

/** The innermost element, also of another element's shadow root. */
const targetOf = (event: Event): Element | null =>
  event.composedPath()[0] instanceof Element ? (event.composedPath()[0] as Element) : null;

/** Whether the key belongs to a field, or chooses in a list. */
function isTyping(event: Event): boolean {
  const target = targetOf(event);
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input:not([type=checkbox], [type=radio], [type=button]), textarea, select"))
  );
}

const isInDialog = (event: Event): boolean => event.composedPath().some((each) => each instanceof HTMLDialogElement);
