// What the list has to say: news that goes by itself, failures that stay, and work that is under way.

export interface NoticeAction {
  name: string;
  act: () => unknown;
}

export interface Notice {
  /** It replaces the notice with the same subject. */
  subject: string;
  kind: "news" | "offer" | "failure" | "work";
  title?: string;
  text: string;
  actions: readonly NoticeAction[];
  /** How much of the work is done, from 0 to 1. */
  done?: number;
}

export class Notices {
  #list: readonly Notice[] = [];
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get list(): readonly Notice[] {
    return this.#list;
  }

  put(notice: Notice): void {
    const isOther = (each: Notice): boolean => each.subject !== notice.subject;
    // Work that goes on stays in its place, because its button may have the focus.
    const stays = notice.kind === "work" && !this.#list.every(isOther);
    this.#list = stays ? this.#list.map((each) => (isOther(each) ? each : notice)) : [...this.#list.filter(isOther), notice];
    this.#changed();
  }

  remove(subject: string): void {
    if (!this.#list.some((each) => each.subject === subject)) return;
    this.#list = this.#list.filter((each) => each.subject !== subject);
    this.#changed();
  }

  /** A success, perhaps with an action. The next one replaces it. */
  notify(text: string, ...actions: NoticeAction[]): void {
    this.put({ subject: "news", kind: "news", text, actions });
  }
}
