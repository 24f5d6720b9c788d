/** @jsxImportSource preact */
// The list of shortcuts, in a dialog. Loaded when it is opened.
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { useLabels } from "./context.js";

export interface Shortcut {
  /** The `key` of the event of the keyboard: one character, such as `"n"`, without Control, Alt or Meta. */
  key: string;
  /** Its purpose, for the list. */
  name: string;
  act: () => void;
}

interface ShortcutListProps {
  shortcuts: readonly Shortcut[];
  areSingleKeysOn: boolean;
  setSingleKeys: (on: boolean) => void;
  close: () => void;
}

export function ShortcutList({ shortcuts, areSingleKeysOn, setSingleKeys, close }: ShortcutListProps) {
  const labels = useLabels();
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // The browser returns the focus when it closes.
  useLayoutEffect(() => dialog.current!.showModal(), []);
  const row = (keys: readonly string[], name: string) => (
    <div key={keys.join()} class="shortcut">
      <dt>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{name}</dd>
    </div>
  );
  return (
    <dialog ref={dialog} class="shortcut-list" aria-labelledby={id} onClose={close}>
      <h2 id={id}>{labels.shortcuts}</h2>
      <dl>
        {areSingleKeysOn && shortcuts.map(({ key, name }) => row([key.length === 1 ? key.toUpperCase() : key], name))}
        {row([labels.keyEnter], labels.shortcutSend)}
        {row([labels.keyShift, labels.keyEnter], labels.shortcutLine)}
        {row([labels.keyEscape], labels.shortcutStop)}
        {row([labels.keyControl, "/"], labels.shortcutList)}
      </dl>
      <label class="single-keys">
        <input type="checkbox" checked={areSingleKeysOn} onChange={({ currentTarget }) => setSingleKeys(currentTarget.checked)} />
        {labels.singleKeys}
      </label>
      <p class="quiet">{labels.singleKeysHelp}</p>
      <form method="dialog" class="buttons">
        <button type="submit" class="button primary">
          {labels.closeList}
        </button>
      </form>
    </dialog>
  );
}
