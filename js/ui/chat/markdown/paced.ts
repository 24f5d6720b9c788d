// Draws a text that grows as often as there is time for it: the rest of the page's thread is for what the user does.

/** A pause in times of what the drawing before it took. */
const PAUSE = 4;
/** The longest pause, and the longest drawing that needs none, in milliseconds. */
const LONGEST_PAUSE = 150;
const CHEAP = 4;

export class Paced {
  readonly #draw: (text: string, isLate: boolean) => void;
  readonly #now: () => number;
  #text = "";
  /** Whether the text is drawn when the pause is over. */
  #isPausing = false;

  /** A text that is drawn late is drawn on its own, after the pause. */
  constructor(draw: (text: string, isLate: boolean) => void, now = () => performance.now()) {
    this.#draw = draw;
    this.#now = now;
  }

  /** Draws the text now, or the last one that was given when the pause after the drawing before is over. */
  update(text: string): void {
    this.#text = text;
    if (!this.#isPausing) this.#drawNow(false);
  }

  #drawNow(isLate: boolean): void {
    const drawn = this.#text;
    const started = this.#now();
    this.#draw(drawn, isLate);
    // A timer comes after the frame: painting many blocks takes longer than making them.
    setTimeout(() => this.#pause(drawn, this.#now() - started));
  }

  #pause(drawn: string, took: number): void {
    if (this.#isPausing || took <= CHEAP) return;
    this.#isPausing = true;
    const end = () => {
      this.#isPausing = false;
      if (this.#text !== drawn) this.#drawNow(true);
    };
    setTimeout(end, Math.min(took * PAUSE, LONGEST_PAUSE));
  }
}
