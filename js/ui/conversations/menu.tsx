/** @jsxImportSource preact */
// A menu that opens at a button, and a question: modal dialogs, which hold the focus, give it back, and close on Escape.
import type { TargetedEvent } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { focusedIn } from "./focus.js";
import { Icon, type IconName } from "./icons.js";
import { useListContext } from "./context.js";

export interface MenuItem {
  name: string;
  icon: IconName;
  act: () => unknown;
}

export interface MenuOptions {
  opener: HTMLElement;
  name: string;
  items: readonly MenuItem[];
}

/** The distance of the menu from its button and from the edges of the window, in pixels. */
const gap = 4;

export function Menu({ opener, name, items, close }: MenuOptions & { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    dialog.current!.showModal();
    place(dialog.current!, opener.getBoundingClientRect());
  }, []);
  const onKeyDown = (event: KeyboardEvent): void => {
    const buttons = [...dialog.current!.querySelectorAll("button")];
    const at = buttons.indexOf(focusedIn(dialog.current!) as HTMLButtonElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    // The keys are not those of the list below, nor of the page.
    event.stopPropagation();
    if (next === undefined) return;
    event.preventDefault();
    buttons.at(next % buttons.length)!.focus();
  };
  return (
    <dialog
      ref={dialog}
      class="conversations-menu"
      aria-label={name}
      onKeyDown={onKeyDown}
      // Of the dialog itself only the part around it is pressed: its buttons fill it.
      onClick={({ target }) => target === dialog.current && dialog.current?.close()}
      onClose={close}
    >
      {items.map((item) => (
        <button
          key={item.name}
          type="button"
          class="button plain"
          onClick={() => {
            // The opener has the focus again before the action moves it, so that what opens next gives it back there.
            dialog.current!.close();
            item.act();
          }}
        >
          <Icon name={item.icon} />
          <span dir="auto">{item.name}</span>
        </button>
      ))}
    </dialog>
  );
}

/** Below the button, or above it if there is no room. */
function place(dialog: HTMLElement, { left, top, bottom }: DOMRect): void {
  const { width, height } = dialog.getBoundingClientRect();
  const fits = bottom + gap + height <= innerHeight - gap;
  dialog.style.left = `${Math.max(gap, Math.min(left, innerWidth - width - gap))}px`;
  dialog.style.top = `${Math.max(gap, fits ? bottom + gap : top - gap - height)}px`;
}

export interface QuestionOptions {
  heading: string;
  text?: string;
  /** A text that is asked for: its label, and what it is at first. */
  field?: { label: string; value: string };
  /** The name of the button that does it, and whether it cannot be undone. */
  action: string;
  isDanger?: boolean;
  /** Gets the text of the field. */
  act: (text: string) => unknown;
}

export function Question({ heading, text, field, action, isDanger, act, close }: QuestionOptions & { close: () => void }) {
  const { labels } = useListContext();
  const dialog = useRef<HTMLDialogElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const cancel = useRef<HTMLButtonElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    dialog.current!.showModal();
    // The default is not what cannot be undone.
    (input.current ?? cancel.current)!.focus();
    input.current?.select();
  }, []);
  // The browser tells of it later, when another question may have taken the place of this one.
  const onClose = ({ currentTarget }: TargetedEvent<HTMLDialogElement>): void => {
    const answer = currentTarget.returnValue;
    const value = currentTarget.querySelector("input")?.value.trim() ?? "";
    close();
    if (answer === "yes" && (field === undefined || value !== "")) act(value);
  };
  return (
    <dialog ref={dialog} class="conversations-dialog" aria-labelledby={id} onKeyDown={(event) => event.stopPropagation()} onClose={onClose}>
      <form method="dialog">
        <h2 id={id}>{heading}</h2>
        {text && <p>{text}</p>}
        {field && (
          <label>
            {field.label}
            <input ref={input} type="text" defaultValue={field.value} maxLength={200} required autocomplete="off" />
          </label>
        )}
        <div class="buttons">
          <button value="yes" class={`button ${isDanger ? "danger" : "primary"}`}>
            {action}
          </button>
          <button ref={cancel} value="" class="button" formNoValidate>
            {labels.cancel}
          </button>
        </div>
      </form>
    </dialog>
  );
}
