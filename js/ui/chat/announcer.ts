import { beginning } from "./beginning.js";
// Announcements for screen readers: one polite live region. A streaming answer is announced only when it is finished.

const LONGEST = 600;
/** Screen readers miss a text that is gone too soon. In milliseconds. */
const STAYS = 8000;

export class Announcer {
  #region: HTMLElement | null = null;
  #waiting: string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** The element with `aria-live`; `null` when it is gone. */
  readonly setRegion = (region: HTMLElement | null): void => {
    this.#region = region;
    if (region === null) clearTimeout(this.#timer);
  };

  /** Sentences of the same moment are read together; a repeated one is read again. `rest` ends a text that is cut. */
  announce(sentence: string, rest: string): void {
    const text = sentence.replace(/\s+/g, " ").trim();
    if (text === "") return;
    this.#waiting.push(text.length > LONGEST ? beginning(text, LONGEST) + rest : text);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#say(this.#waiting.join(" "));
      this.#waiting = [];
      this.#timer = setTimeout(() => this.#say(""), STAYS);
    }, 150);
  }

  #say(text: string): void {
    if (this.#region !== null) this.#region.textContent = text;
  }
}
