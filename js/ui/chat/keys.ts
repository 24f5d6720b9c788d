// What a key of the keyboard is to a chat: a character of a message, or a shortcut.

export interface Shortcut {
  /** The character that is pressed with Control, or with Command on a Mac, such as `"k"`; a capital letter wants Shift, too. */
  key: string;
  /** Its purpose, for the list. */
  name: string;
  act: () => void;
}

/** On a Mac shortcuts are pressed with Command; Control is for the keys of its fields there. */
export const isMac = /^(Mac|iP)/.test(globalThis.navigator?.platform ?? "");

/** Whether the key writes a character, or begins one. A space presses a button, or scrolls. */
export function isTyped(event: KeyboardEvent): boolean {
  const { key, ctrlKey, metaKey, altKey } = event;
  const writes = ([...key].length === 1 && key !== " ") || key === "Dead";
  // Keyboards of other languages have characters on the right Alt key, which Windows tells of as Control and Alt.
  return writes && (event.getModifierState("AltGraph") || (!ctrlKey && !metaKey && (isMac || !altKey)));
}

/** Whether the key belongs to a field, or chooses in a list. The target is the innermost element, also of another shadow root. */
export function isForField(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input:not([type=checkbox], [type=radio], [type=button]), textarea, select"))
  );
}

export function isPressed(shortcut: Shortcut, { key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  if (altKey || (isMac ? !metaKey || ctrlKey : !ctrlKey || metaKey)) return false;
  // A sign may need Shift on some keyboards; Caps Lock changes a letter.
  const isLetter = key.toLowerCase() !== key.toUpperCase();
  return isLetter ? key.toLowerCase() === shortcut.key.toLowerCase() && shiftKey === isCapital(shortcut.key) : key === shortcut.key;
}

/** Whether this key is written with Shift. */
export const isCapital = (key: string): boolean => key !== key.toLowerCase();
