/** @jsxImportSource preact */
// The list of shortcuts, in a dialog. Loaded when it is opened.
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { useLabels } from "./context.js";
import { isCapital, isMac, type Shortcut } from "./keys.js";

interface ShortcutListProps {
  shortcuts: readonly Shortcut[];
  close: () => void;
}

export function ShortcutList({ shortcuts, close }: ShortcutListProps) {
  const labels = useLabels();
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const control = isMac ? "⌘" : labels.keyControl;
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
        {shortcuts.map(({ key, name }) => row([control, ...(isCapital(key) ? [labels.keyShift] : []), key.toUpperCase()], name))}
        {row([labels.keyEnter], labels.shortcutSend)}
        {row([labels.keyShift, labels.keyEnter], labels.shortcutLine)}
        {row([labels.keyEscape], labels.shortcutStop)}
      </dl>
      <form method="dialog" class="buttons">
        <button type="submit" class="button primary">
          {labels.closeList}
        </button>
      </form>
    </dialog>
  );
}
