// The conversation that the page has open: a thread of the library, and what this page does with it beside showing it.

import type { Conversation } from "threadkeep";
import type { Thread } from "threadkeep/thread";
import { createConversation, createLLM, deleteStored, limits, type Opened, openStored } from "../agent/agent.ts";
import { report } from "../layout/notices.tsx";
import { serverSettings } from "../server/agent-server.ts";
import { waitsForKey } from "../settings/settings.ts";
import { askForPersistence } from "../storage/storage.tsx";

export class Session {
  /** Another one after the conversation was opened again. */
  thread!: Thread;
  /** The address of the agent server that runs it; `null` if none does. */
  server!: string | null;
  /** The settings with which the conversation was opened. */
  #settings = "";
  #listeners = new Set<() => void>();
  #unsubscribe = (): void => undefined;
  #wasRunning = false;
  #reopening: Promise<void> | null = null;
  #reopenAgain = false;
  #closed = false;

  private constructor(opened: Opened) {
    this.#take(opened);
  }

  #take({ thread, server }: Opened): void {
    Object.assign(this, { thread, server });
    this.#settings = this.#readSettings();
    this.#unsubscribe = thread.subscribe(() => this.#follow());
  }

  #readSettings(): string {
    return this.server === null ? limits() : serverSettings(this.server);
  }

  /** @throws ThreadkeepError `not_found` */
  static async open(conversationId: string): Promise<Session> {
    return new Session(await openStored(conversationId));
  }

  static async create(): Promise<Session> {
    return new Session(await createConversation());
  }

  get conversation(): Conversation {
    return this.thread.getSnapshot().conversation!;
  }

  get id(): string {
    return this.conversation.id;
  }

  get title(): string {
    return this.conversation.title ?? "New conversation";
  }

  get running(): boolean {
    const { isRunning, isCondensing } = this.thread.getSnapshot();
    return isRunning || isCondensing;
  }

  /** Whether nothing runs or waits, so that its context can be condensed, and another version shown. */
  get isIdle(): boolean {
    return !this.running && this.thread.getSnapshot().approvals.length === 0;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Tells the listeners of a change that no event reports. */
  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Applies changed settings. Another model answers from the next request on, also in a run that is under way. */
  async applySettings(): Promise<void> {
    // In another tab, the model is that of that tab. A server keeps its model.
    let isOutdated = this.conversation.home === "tab" || this.#settings !== this.#readSettings();
    try {
      if (this.server === null && (!isOutdated || this.running)) await this.conversation.switchLLM(createLLM());
    } catch {
      isOutdated = true; // Reopening reports the error.
    }
    if (isOutdated) await this.reopen();
    this.changed();
  }

  /**
   * Opens the conversation again: with other limits, or to see what was imported into it. Never rejects; a failure is
   * reported. A run that is under way ends first.
   */
  reopen(): Promise<void> {
    this.#reopenAgain = true;
    if (this.running || waitsForKey()) return Promise.resolve();
    this.#reopening ??= this.#reopenUntilCurrent().finally(() => (this.#reopening = null));
    return this.#reopening;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#listeners.clear();
    this.#unsubscribe();
    await this.#reopening;
    await this.thread.close();
  }

  async delete(): Promise<void> {
    const { id } = this;
    await this.close();
    await deleteStored(id);
  }

  /** After each change. */
  #follow(): void {
    const { running } = this;
    if (this.#wasRunning && !running) {
      void this.#name();
      if (this.conversation.executionStatus === "finished") askForPersistence();
      if (this.#reopenAgain) void this.reopen();
    }
    this.#wasRunning = running;
    this.changed();
  }

  /** Once there is an answer, the model makes a title, unless there is one. The tab in which the agent runs asks it. */
  async #name(): Promise<void> {
    const { conversation } = this;
    const isNamed = (): boolean => conversation.state.tags?.["title"] !== undefined;
    if (conversation.home !== "here" || isNamed() || conversation.executionStatus !== "finished") return;
    try {
      const title = await conversation.generateTitle();
      // The user may have been quicker.
      if (!isNamed()) await conversation.setTags({ ...conversation.state.tags, title });
      this.changed();
    } catch {
      // The conversation was closed meanwhile: there is another chance after the next answer.
    }
  }

  async #reopenUntilCurrent(): Promise<void> {
    const { id } = this;
    while (this.#reopenAgain && !this.#closed) {
      this.#reopenAgain = false;
      try {
        this.#unsubscribe();
        await this.thread.close();
        this.#take(await openStored(id));
      } catch (error) {
        report(error, { title: "The conversation could not be opened again", isHere: true });
      }
      this.changed();
    }
  }
}
