// The scroll position of the list: it follows the end while the reader is there, and stays where the reader is otherwise.

/** Who is this near to the end follows it. In pixels. */
const NEAR_END = 80;

export class Follow {
  /** Whether the end is followed. */
  isAtEnd = true;
  #scroller: HTMLElement;
  #onChange: (isAtEnd: boolean) => void;
  /** The position that was last written here or by the virtualizer: an event for it is not the reader's doing. */
  #written = -1;
  #last = 0;
  /** Whether the reader has scrolled further than the end, to what waits for the user. */
  #isBeyond = false;
  /** How high the list and its content were last, and whether all to the very last line was in sight. */
  #seen = { height: 0, content: 0, isAll: false };

  constructor(scroller: HTMLElement, onChange: (isAtEnd: boolean) => void) {
    this.#scroller = scroller;
    this.#onChange = onChange;
  }

  /** Has to be told of positions that are written elsewhere. */
  wrote(): void {
    this.#written = this.#last = this.#scroller.scrollTop;
  }

  /** Takes a scroll event. Only the reader's own way up leaves the end, since content may shrink. */
  scrolled(): void {
    const top = this.#scroller.scrollTop;
    const isOwn = Math.abs(top - this.#written) < 2;
    const isUp = top < this.#last;
    this.#last = top;
    this.#look();
    const end = this.#end();
    if (!isOwn) this.#isBeyond = top > end;
    const isNear = end - top < NEAR_END;
    if (isNear) this.#set(true);
    else if (isUp && !isOwn) this.#set(false);
  }

  leave(): void {
    this.#set(false);
  }

  /** Scrolls to the end, if it is followed. Returns whether that has changed the position. */
  keep(): boolean {
    if (!this.isAtEnd) return false;
    const before = this.#scroller.scrollTop;
    // The last button stays above a field that grows while one writes.
    if (this.#isCovered()) [this.#isBeyond, this.#scroller.scrollTop] = [true, this.#scroller.scrollHeight];
    // Whoever has scrolled further down, to the last button, stays there.
    else this.#scroller.scrollTop = this.#isBeyond ? Math.max(before, this.#end()) : this.#end();
    this.wrote();
    this.#look();
    return this.#scroller.scrollTop !== before;
  }

  /** Scrolls to the end, and follows it from now on. */
  toEnd(): void {
    this.#set(true);
    this.#isBeyond = false;
    this.keep();
  }

  #look(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    this.#seen = { height: clientHeight, content: scrollHeight, isAll: scrollHeight - clientHeight - scrollTop < 2 };
  }

  /** Whether the list has become lower under a field with a text, and its last line was in sight. */
  #isCovered(): boolean {
    const { height, content, isAll } = this.#seen;
    const { activeElement: field } = this.#scroller.getRootNode() as Document | ShadowRoot;
    const isWriting = field instanceof HTMLTextAreaElement && field.value !== "";
    return isWriting && isAll && this.#scroller.clientHeight < height && this.#scroller.scrollHeight <= content;
  }

  /** The position where the last line is visible, or the beginning of what waits for the user if that is longer. */
  #end(): number {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
    const bottom = scrollHeight - clientHeight;
    const next = this.#scroller.querySelector(".next");
    if (next === null || next.childElementCount === 0) return bottom;
    return Math.min(bottom, scrollTop + next.getBoundingClientRect().top - this.#scroller.getBoundingClientRect().top);
  }

  #set(isAtEnd: boolean): void {
    if (this.isAtEnd === isAtEnd) return;
    this.isAtEnd = isAtEnd;
    this.#onChange(isAtEnd);
  }
}
