/** @jsxImportSource preact */
// Modal dialogs on the browser's <dialog>, which holds the focus, returns it, and closes on Escape.

import { type ComponentChildren, createContext, type AllHTMLAttributes } from "preact";
import { useContext, useId, useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "./icons.tsx";
import { useValue, Value } from "./value.ts";

interface Shown {
  key: number;
  content: ComponentChildren;
  onClose: (returnValue: string) => void;
}

const dialogs = new Value<readonly Shown[]>([]);
let last = 0;

/** Shows a `<Dialog>`, which is removed when it closes. Resolves then, to its return value. */
export function showDialog(content: ComponentChildren): Promise<string> {
  return new Promise((resolve) => {
    const shown: Shown = {
      key: (last += 1),
      content,
      onClose: (returnValue) => {
        dialogs.set(dialogs.get().filter((each) => each !== shown));
        resolve(returnValue);
      },
    };
    dialogs.set([...dialogs.get(), shown]);
  });
}

const Closing = createContext<Shown["onClose"]>(() => undefined);

/** The place of the dialogs in the page. */
export const Dialogs = () => (
  <>
    {useValue(dialogs).map(({ key, content, onClose }) => (
      <Closing.Provider key={key} value={onClose}>
        {content}
      </Closing.Provider>
    ))}
  </>
);

export const isDialogOpen = (): boolean => dialogs.get().length > 0;

interface DialogProps {
  heading: string;
  class?: string;
  /** The name of the button that closes it, for one that has no other. */
  close?: string;
  children: ComponentChildren;
}

/** A dialog with its heading. What is in it scrolls. */
export function Dialog({ heading, class: className = "", close, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const onClose = useContext(Closing);
  const id = useId();
  useLayoutEffect(() => {
    dialog.current!.showModal();
    // The browser would choose the button that closes it.
    dialog.current!.querySelector<HTMLElement>(":is([data-first], select, input)")?.focus();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={`dialog ${className}`}
      aria-labelledby={id}
      onClose={({ currentTarget }) => onClose(currentTarget.returnValue)}
    >
      <header class="dialog-head">
        <h2 id={id}>{heading}</h2>
        {close && (
          <button type="button" class="icon-button" aria-label={close} onClick={() => dialog.current!.close()}>
            <Icon name="close" />
          </button>
        )}
      </header>
      <div class="dialog-scroll">{children}</div>
    </dialog>
  );
}

interface Action {
  value: string;
  name: string;
  look?: "primary" | "danger";
}

/** A question with these answers, and “Cancel”. Resolves to the value of the answer; empty if the user cancels. */
export function ask(heading: string, children: ComponentChildren, ...actions: Action[]): Promise<string> {
  return showDialog(
    <Dialog heading={heading}>
      <form method="dialog" class="question">
        {children}
        <div class="buttons">
          {actions.map(({ value, name, look }) => (
            <button key={value} value={value} class={`button ${look ?? ""}`}>
              {name}
            </button>
          ))}
          {/* The default is not what cannot be undone. */}
          <button value="" class="button" formnovalidate data-first={actions[0]?.look === "danger" ? "" : undefined}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>,
  );
}

interface FieldProps extends Omit<AllHTMLAttributes<HTMLInputElement>, "label"> {
  id: string;
  label: string;
  help?: string | undefined;
}

/** A field with its label and a help text that screen readers find. */
export const Field = ({ label, help, ...input }: FieldProps) => (
  <div class="field">
    <label for={input.id}>{label}</label>
    <input type="text" spellcheck={false} autocomplete="off" aria-describedby={help && `${input.id}-help`} {...(input as object)} />
    <Help {...{ id: input.id, help }} />
  </div>
);

/** A box to tick; with a `name` one of several, of which one is chosen. */
export const Check = ({ label, help, ...input }: FieldProps) => (
  <div class="check">
    <input type={input.name === undefined ? "checkbox" : "radio"} aria-describedby={help && `${input.id}-help`} {...(input as object)} />
    <label for={input.id}>{label}</label>
    <Help {...{ id: input.id, help }} />
  </div>
);

const Help = ({ id, help }: Pick<FieldProps, "id" | "help">) =>
  help ? (
    <p class="quiet" id={`${id}-help`}>
      {help}
    </p>
  ) : null;
