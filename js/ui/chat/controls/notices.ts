// A short sentence about what the user has just done. Each replaces the one before, and goes away by itself.
import { useEffect, useState } from "preact/hooks";
import type { Thread } from "../../thread/index.js";

/** In milliseconds. */
const life = 6000;

class Notices {
  text = "";
  readonly listeners = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  show(text: string): void {
    clearTimeout(this.#timer);
    if (text !== "") this.#timer = setTimeout(() => this.show(""), life);
    this.text = text;
    for (const listener of this.listeners) listener();
  }
}

const byThread = new WeakMap<Thread, Notices>();

function noticesOf(thread: Thread): Notices {
  const notices = byThread.get(thread) ?? new Notices();
  byThread.set(thread, notices);
  return notices;
}

/** Shows this sentence at the end of the messages, in place of an earlier one. */
export const notify = (thread: Thread, text: string): void => noticesOf(thread).show(text);

/** The sentence that is shown now, or `""`. */
export function useNotice(thread: Thread): string {
  const notices = noticesOf(thread);
  const [text, setText] = useState(notices.text);
  useEffect(() => {
    const listener = (): void => setText(notices.text);
    listener();
    notices.listeners.add(listener);
    return () => void notices.listeners.delete(listener);
  }, [notices]);
  return text;
}
