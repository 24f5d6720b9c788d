// A thread as assistant-ui reads it: its messages with their alternatives.
import { type ExportedMessageRepository, INTERNAL, type ThreadMessage } from "@assistant-ui/react";
import type { Thread, ThreadSnapshot, UIMessage } from "../thread/types.js";
import { type Alternative, alternativesOf, leftBehind, repositoryOf } from "./branches.js";
import { Converter } from "./convert.js";

/** A new object whenever something changes. */
export interface View {
  snapshot: ThreadSnapshot;
  repository: ExportedMessageRepository;
  /** The place where assistant-ui keeps the messages; another one if their order is another one, which it would not notice. */
  kept: MessageRepository | undefined;
}

type MessageRepository = InstanceType<typeof INTERNAL.MessageRepository>;

/** The view of a thread, to be ended before the thread is closed. Its functions need no `this`. */
export class ThreadView {
  readonly thread: Thread;
  readonly #converter = new Converter();
  readonly #listeners = new Set<() => void>();
  readonly #unsubscribe: () => void;
  #view: View | null = null;
  #kept = new INTERNAL.MessageRepository();
  #converted: readonly ThreadMessage[] = [];
  #alternatives: readonly Alternative[] = [];
  #messages: readonly UIMessage[] = [];
  /** Whether the branches may be others than those that were read. */
  #isOutdated = true;
  #isEnded = false;

  constructor(thread: Thread) {
    this.thread = thread;
    this.#unsubscribe = thread.subscribe(this.#changed);
    thread.opened().then(this.#changed, () => {});
  }

  subscribe = (listener: () => void): (() => void) => {
    const own = () => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  };

  getView = (): View => {
    const snapshot = this.thread.getSnapshot();
    if (this.#view?.snapshot === snapshot) return this.#view;
    const converted = this.#converter.convert(snapshot.messages, snapshot);
    this.#notice(snapshot);
    const isSame = this.#view !== null && converted === this.#converted && snapshot.hasEarlier === this.#view.snapshot.hasEarlier;
    this.#converted = converted;
    const repository = isSame ? this.#view!.repository : repositoryOf(snapshot.messages, converted, this.#alternatives, snapshot.hasEarlier);
    return (this.#view = { snapshot, repository, kept: this.#kept });
  };

  /** Goes to the branch that begins with this message. Does nothing for a message of the active branch. */
  async switchTo(messageId: string | undefined): Promise<void> {
    const target = this.#alternatives.find(({ message }) => message.id === messageId);
    if (!target) return;
    try {
      await this.thread.navigateTo(target.leafEventId);
    } catch {
      // assistant-ui shows the other branch already; the reason is in the snapshot.
      this.#redraw();
    }
  }

  end(): void {
    this.#isEnded = true;
    this.#unsubscribe();
  }

  /** Compares the messages with the last ones: another branch is shown if they are not a continuation. */
  #notice({ messages }: ThreadSnapshot): void {
    const before = this.#messages;
    this.#messages = messages;
    if (before.every(({ id }, at) => id === messages[at]?.id)) return;
    this.#isOutdated = true;
    const left = leftBehind(before, messages, new Map(this.#converted.map((message) => [message.id, message])));
    if (left) this.#alternatives = [...this.#alternatives.filter(({ message }) => message.id !== left.message.id), left];
  }

  #changed = (): void => {
    const { snapshot } = this.getView();
    for (const listener of [...this.#listeners]) listener();
    if (this.#isOutdated && snapshot.phase === "open") void this.#readBranches();
  };

  async #readBranches(): Promise<void> {
    this.#isOutdated = false;
    try {
      const alternatives = alternativesOf(await this.thread.branches());
      if (this.#isEnded || this.#isOutdated) return;
      this.#alternatives = alternatives;
      this.#redraw();
    } catch {
      // Without the branches there is no picker; the next change of the branch reads them again.
    }
  }

  #redraw(): void {
    this.#view = null;
    this.#kept = new INTERNAL.MessageRepository();
    for (const listener of [...this.#listeners]) listener();
  }
}
