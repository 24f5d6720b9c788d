// The open conversation: the library's object, the loaded page of its events, and the streaming answer. Draws nothing;
// subscribers are notified at most once per turn of the event loop.

import { Conversation, type ConversationEvent, type JSONValue, type LiveEvent, type WaitingEvent } from "threadkeep";
import { createConversation, createLLM, limits, openStored } from "./agent.ts";
import { asStored, type StoredEvent } from "./event-shapes.ts";
import { onOtherTab, takeTurn, notifyOtherTabs } from "./tabs.ts";
import { newest } from "./timeline.ts";

const PAGE = 100;

export interface Draft {
  reasoning: string;
  text: string;
}

export type Waiting = WaitingEvent & { until: number };

export class Session {
  events: StoredEvent[] = [];
  /** The number of events before the loaded ones. */
  earlier = 0;
  draft: Draft | null = null;
  /** Messages that are stored beside the log until the current answer has ended. */
  sent: StoredEvent[] = [];
  /** The reason why the run waits, or null. */
  waiting: Waiting | null = null;
  running = false;
  /** Calls without a result that are not running. */
  pending: StoredEvent[] = [];
  /** Why the last run failed, if that is not in the log. */
  failure: unknown = null;
  /** Whether a run has ended in this page: then unfinished calls were not left by an earlier page. */
  hasRun = false;
  readonly progress = new Map<string, string>();

  #conversation: Conversation;
  /** The settings with which the conversation was opened. */
  #limits = limits();
  #listeners = new Set<() => void>();
  #stops: Array<() => void> = [];
  #known = new Set<string>();
  #announced = false;
  #reopening: Promise<void> | null = null;
  #reopenAgain = false;
  #closed = false;

  private constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  /** @throws ThreadkeepError `not_found`: a link to a deleted conversation must not create it again. */
  static async open(conversationId: string): Promise<Session> {
    return Session.#over(await openStored(conversationId));
  }

  static async create(title: string): Promise<Session> {
    return Session.#over(await createConversation(title));
  }

  static async #over(conversation: Conversation): Promise<Session> {
    const session = new Session(conversation);
    await session.#read(Math.max(0, conversation.events.length - PAGE));
    session.#stops.push(
      takeTurn(session.id, () => session.isFollower && void session.reopen()),
      onOtherTab((conversationId) => conversationId === session.id && session.isFollower && void session.reopen()),
    );
    return session;
  }

  get conversation(): Conversation {
    return this.#conversation;
  }

  get id(): string {
    return this.#conversation.id;
  }

  get title(): string {
    // A base state that was rebuilt by an import may lack anything.
    return this.#conversation.state.tags?.["title"] ?? "Untitled conversation";
  }

  /** The id of the newest event of the active branch. */
  get leaf(): string | undefined {
    return this.#conversation.state.leaf_event_id;
  }

  get isFollower(): boolean {
    return this.#conversation.access === "follower";
  }

  /** The states of the calls without a result. */
  get openCallsAre(): "running" | "waiting" | "interrupted" {
    const status = this.#conversation.executionStatus;
    if (this.running || (this.isFollower && status === "running")) return "running";
    return status === "waiting_for_confirmation" && this.interruptedCalls.length === 0 ? "waiting" : "interrupted";
  }

  /** The pending calls that may have taken effect when a page died; the others have not started. */
  get interruptedCalls(): StoredEvent[] {
    const ids = this.#conversation.state.agent_state?.["interrupted_actions"];
    return Array.isArray(ids) ? this.pending.filter(({ id }) => ids.includes(id)) : [];
  }

  /** Whether an earlier page died while it waited for the network. */
  get waited(): boolean {
    return this.#conversation.state.agent_state?.["waiting_for_network"] !== undefined;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async loadEarlier(): Promise<void> {
    const end = this.earlier;
    const start = Math.max(0, end - PAGE);
    const page = (await this.#conversation.events.slice(start, end)).map(asStored);
    for (const { id } of page) this.#known.add(id);
    this.events = [...page, ...this.events];
    this.earlier = start;
    this.#changed();
  }

  /**
   * Resolves when the message is stored; a run that it starts continues by itself. While calls wait for the user, `pending`
   * says what happens to them; with `"keep"` no run starts, because a run would approve them.
   */
  async send(text: string, images: Blob[], pending?: "reject" | "keep"): Promise<void> {
    const texts = text === "" ? [] : [{ type: "text" as const, text }];
    const stored = asStored(await this.#conversation.sendMessage([...texts, ...images], pending && { pending }));
    if (!this.#known.has(stored.id)) this.#set({ sent: [...this.sent, stored] });
    if (pending !== "keep") void this.run();
  }

  /** Never rejects: the result is in the log or in `failure`. With `approve`, only these of the waiting calls run. */
  async run(options: { approve?: string[] } = {}): Promise<void> {
    if (this.running) return; // The current run reads the message by itself.
    this.#set({ running: true, failure: null, pending: [] });
    try {
      do await this.#conversation.run(options);
      while (this.#messageCameTooLate());
    } catch (error) {
      if (newest(this.events)?.kind !== "ConversationErrorEvent") this.failure = error;
    }
    this.progress.clear();
    this.hasRun = true;
    this.#set({ running: false, draft: null, waiting: null, pending: await this.#readPending() });
    if (this.#reopenAgain) void this.reopen();
  }

  /** Stops after the current work. */
  pause(): Promise<void> {
    return this.#conversation.pause();
  }

  /** Stops at once. */
  stop(): Promise<void> {
    return this.#conversation.interrupt();
  }

  /** Rejects these or all waiting calls; the agent continues if none is left. */
  async reject(reason: string, actionIds?: string[]): Promise<void> {
    await this.#conversation.rejectPendingActions(reason, actionIds && { actionIds });
    await this.refresh();
    if (this.pending.length === 0) await this.run();
  }

  /** Changes the arguments of a waiting call, which continues to wait. */
  async edit(actionId: string, args: Record<string, unknown>): Promise<void> {
    await this.#conversation.editAction(actionId, args as JSONValue);
    await this.refresh();
  }

  /** Always allows this tool in this conversation, and runs its waiting calls. */
  async alwaysAllow(toolName: string): Promise<void> {
    await this.#conversation.setAllowedTools([...new Set([...this.#conversation.allowedTools, toolName])]);
    await this.run({ approve: this.pending.filter((call) => call.tool_name === toolName).map(({ id }) => id) });
  }

  /** Reads the state that events do not report. */
  async refresh(): Promise<void> {
    this.#set({ pending: await this.#readPending() });
  }

  async rename(title: string): Promise<void> {
    await this.#conversation.setTags({ ...this.#conversation.state.tags, title });
    notifyOtherTabs(this.id);
    this.#changed();
  }

  /** Applies changed settings. Another model answers from the next request on, also in a run that is under way. */
  async applySettings(): Promise<void> {
    let isOutdated = this.isFollower || this.#limits !== limits();
    try {
      if (!isOutdated || this.running) await this.#conversation.switchLLM(await createLLM());
    } catch {
      isOutdated = true; // Reopening reports the error.
    }
    if (isOutdated) await this.reopen();
    this.#changed();
  }

  /**
   * Opens the conversation again: with other limits, to see what another tab wrote, or to write after that tab has closed.
   * Never rejects; a failure is shown. A run that is under way ends first.
   */
  reopen(): Promise<void> {
    this.#reopenAgain = true;
    if (this.running) return Promise.resolve();
    this.#reopening ??= this.#reopenUntilCurrent().finally(() => (this.#reopening = null));
    return this.#reopening;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#listeners.clear();
    await this.#reopening;
    await this.#conversation.close();
    for (const stop of this.#stops) stop();
  }

  /** Closes and deletes the conversation before another waiting tab can open it. */
  async delete(): Promise<void> {
    this.#closed = true;
    await this.#reopening;
    await this.#conversation.close();
    try {
      await Conversation.delete(this.id);
    } finally {
      await this.close();
      notifyOtherTabs(this.id);
    }
  }

  async #reopenUntilCurrent(): Promise<void> {
    while (this.#reopenAgain && !this.#closed) {
      this.#reopenAgain = false;
      try {
        await this.#conversation.close();
        this.#limits = limits();
        this.#conversation = await openStored(this.id);
        await this.#read(this.earlier);
      } catch (error) {
        this.failure = error;
      }
      this.#changed();
    }
  }

  /** Subscribes before it reads: an event that arrives in between is recognised by its id. */
  async #read(start: number): Promise<void> {
    this.#known.clear();
    this.events = [];
    this.#conversation.subscribe((event) => this.#take(event));
    const page = (await this.#conversation.events.slice(start)).map(asStored).filter(({ id }) => !this.#known.has(id));
    for (const { id } of page) this.#known.add(id);
    this.events = [...page, ...this.events];
    this.sent = this.sent.filter(({ id }) => !this.#known.has(id));
    this.earlier = start;
    this.pending = await this.#readPending();
  }

  async #readPending(): Promise<StoredEvent[]> {
    return (await this.#conversation.pendingActions().catch(() => [])).map(asStored);
  }

  #take(event: ConversationEvent | LiveEvent): void {
    if (event.kind === "WaitingEvent") {
      this.waiting = event.seconds > 0 ? { ...event, until: Date.now() + event.seconds * 1000 } : null;
      // The pieces so far are void: the answer starts again.
      this.draft = null;
    } else if (event.kind === "StreamingDeltaEvent") {
      this.draft ??= { reasoning: "", text: "" };
      this.draft.reasoning += event.reasoning_content ?? "";
      this.draft.text += event.content ?? "";
    } else if (event.kind === "ToolProgressEvent") {
      this.progress.set(event.tool_call_id, event.text);
    } else {
      if (this.#known.has(event.id)) return;
      this.#known.add(event.id);
      this.events.push(asStored(event));
      this.sent = this.sent.filter(({ id }) => id !== event.id);
      // The complete answer replaces its preview.
      if (event.source === "agent") this.draft = null;
      notifyOtherTabs(this.id);
    }
    this.#changed();
  }

  /** A message that was stored just when a run ended leaves the status at idle, without a run that answers it. */
  #messageCameTooLate(): boolean {
    const last = newest(this.events);
    return this.#conversation.executionStatus === "idle" && last?.kind === "MessageEvent" && last.source === "user";
  }

  #set(fields: Partial<Pick<Session, "running" | "failure" | "pending" | "draft" | "sent" | "waiting">>): void {
    Object.assign(this, fields);
    this.#changed();
  }

  #changed(): void {
    if (this.#announced) return;
    this.#announced = true;
    queueMicrotask(() => {
      this.#announced = false;
      for (const listener of this.#listeners) listener();
    });
  }
}
