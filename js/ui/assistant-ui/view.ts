// A thread as assistant-ui reads it: its messages with their versions.
import { type ExportedMessageRepository, INTERNAL, type ThreadMessage } from "@assistant-ui/react";
import type { Thread, ThreadSnapshot } from "../thread/types.js";
import { repositoryOf, shapeOf, versionOf } from "./branches.js";
import { Converter } from "./convert.js";

/** A new object whenever something changes. */
export interface View {
  snapshot: ThreadSnapshot;
  repository: ExportedMessageRepository;
  /** The place where assistant-ui keeps the messages; another one if they have other versions, which it would not notice. */
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
  #shape = "";

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
    const { messages, continuations } = snapshot;
    const converted = this.#converter.convert(messages, snapshot);
    const shape = shapeOf(messages, continuations);
    const isSame = this.#view !== null && converted === this.#converted && shape === this.#shape;
    if (shape !== this.#shape) this.#kept = new INTERNAL.MessageRepository();
    this.#converted = converted;
    this.#shape = shape;
    const repository = isSame ? this.#view!.repository : repositoryOf(messages, converted, continuations);
    return (this.#view = { snapshot, repository, kept: this.#kept });
  };

  /** Goes to the version for which this message stands. Does nothing for a message of the active branch. */
  async switchTo(messageId: string | undefined): Promise<void> {
    const version = versionOf(messageId ?? "");
    if (version === null) return;
    try {
      await this.thread.showVersion(version);
    } catch {
      // assistant-ui shows the other branch already; the reason is in the snapshot.
      this.#view = null;
      this.#shape = "";
      this.#kept = new INTERNAL.MessageRepository();
      this.#changed();
    }
  }

  end(): void {
    this.#unsubscribe();
  }

  #changed = (): void => {
    for (const listener of [...this.#listeners]) listener();
  };
}
