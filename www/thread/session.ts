// The conversation that the page has open: a thread of the library, and what this page does with it beside showing it.

import type { Conversation } from "threadkeep";
import type { Thread } from "threadkeep/thread";
import { createConversation, createLLM, deleteStored, limits, type Opened, openStored } from "../agent/agent.ts";
import { serverSettings } from "../agent/server.ts";
import { waitsForKey } from "../settings/unlock.ts";
import { report } from "../shell/notices.ts";
import { askForPersistence } from "../shell/persistence.ts";

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
    this.thread = thread;
    this.server = server;
    this.#settings = this.#readSettings();
    this.#unsubscribe = thread.subscribe(() => this.#follow());
    // It may have come to its end while no tab showed it.
    if (this.home !== "here") void this.#name();
  }

  #readSettings(): string {
    return this.server === null ? limits() : serverSettings(this.server);
  }

  /** @throws ThreadkeepError `not_found`: a link to a deleted conversation must not create it again. */
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

  /** Where the agent runs. In another tab, the model is that of that tab. */
  get home(): Conversation["home"] {
    return this.conversation.home;
  }

  get running(): boolean {
    const { isRunning, isCondensing } = this.thread.getSnapshot();
    return isRunning || isCondensing;
  }

  /** Whether nothing runs or waits, so that its context can be condensed, and another version shown. */
  get isIdle(): boolean {
    return !this.running && this.thread.getSnapshot().approvals.length === 0;
  }

  /** Whether its agent has something that condenses; one that began on a server has nothing. */
  get hasCondenser(): boolean {
    return Boolean(this.conversation.state.agent?.["condenser"]);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Tells the listeners of a change that no event reports. */
  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Copies the conversation up to this event. Resolves to the id of the copy. */
  async fork(fromEventId: string): Promise<string> {
    const copy = await this.conversation.fork({ fromEventId, title: `${this.title} (copy)` });
    await copy.close();
    return copy.id;
  }

  /** Gives the conversation a title, which the model then no longer does. */
  async rename(title: string): Promise<void> {
    await this.conversation.setTags({ ...this.conversation.state.tags, title });
    this.changed();
  }

  /** Applies changed settings. Another model answers from the next request on, also in a run that is under way. */
  async applySettings(): Promise<void> {
    let isOutdated = this.home === "tab" || this.#settings !== this.#readSettings();
    try {
      // The worker may keep the conversation as it is, for another tab that shows it. A server keeps its model.
      const mayKeep = !isOutdated || this.running || this.home === "worker";
      if (this.server === null && mayKeep) await this.conversation.switchLLM(await createLLM());
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

  /** Once there is an answer, the model makes a title, unless there is one. That of a server makes none. */
  async #name(): Promise<void> {
    const { conversation, home } = this;
    const isNamed = (): boolean => conversation.state.tags?.["title"] !== undefined;
    if (home === "tab" || home === "server" || isNamed() || conversation.executionStatus !== "finished") return;
    const name = async (): Promise<void> => {
      // Its answer comes after everything that the worker has stored for another tab.
      if (home === "worker") await conversation.queue.list();
      if (isNamed()) return;
      const title = await conversation.generateTitle();
      // The user may have been quicker.
      if (!isNamed()) await this.rename(title);
    };
    try {
      // Every tab that shows a conversation of the worker wants to name it.
      await ("locks" in navigator ? navigator.locks.request(`threadkeep-demo:title:${conversation.id}`, name) : name());
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
