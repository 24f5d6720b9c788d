// The conversation that is open: the library's object, the page of events that is loaded, and what streams in.
// It draws nothing. Whoever draws subscribes, and is told at most once per turn of the event loop.

import { Conversation, type ConversationEvent, type LiveEvent } from "threadkeep";
import { createAgent, createLLM } from "./agent.ts";
import type { StoredEvent } from "./event-shapes.ts";
import { newest } from "./timeline.ts";

const PAGE = 100;

export interface Draft {
  reasoning: string;
  text: string;
}

export class Session {
  readonly conversation: Conversation;
  events: StoredEvent[] = [];
  /** How many events lie before the loaded ones. */
  earlier = 0;
  draft: Draft | null = null;
  running = false;
  /** Calls without an answer that nobody is working on. */
  pending: StoredEvent[] = [];
  /** Why the last run ended, where that is not in the log. */
  failure: unknown = null;
  readonly progress = new Map<string, string>();

  #listeners = new Set<() => void>();
  #unsubscribe = (): void => undefined;
  #known = new Set<string>();
  #announced = false;

  private constructor(conversation: Conversation) {
    this.conversation = conversation;
  }

  static async open(conversationId: string): Promise<Session> {
    return Session.#over(await Conversation.open({ agent: createAgent(), conversationId }));
  }

  static async create(title: string): Promise<Session> {
    return Session.#over(await Conversation.open({ agent: createAgent(), tags: { title } }));
  }

  static async #over(conversation: Conversation): Promise<Session> {
    const session = new Session(conversation);
    // First listen, then read: an event that arrives in between is known by its id and not taken twice.
    session.#unsubscribe = conversation.subscribe((event) => session.#take(event));
    const page = (await conversation.events.slice(-PAGE)) as unknown as StoredEvent[];
    session.#prepend(page);
    session.earlier = Math.max(0, conversation.events.length - session.events.length);
    session.pending = (await conversation.pendingActions()) as unknown as StoredEvent[];
    return session;
  }

  get id(): string {
    return this.conversation.id;
  }

  get title(): string {
    return this.conversation.state.tags["title"] ?? "Untitled conversation";
  }

  /** What calls without an answer are doing. */
  get openCallsAre(): "running" | "waiting" | "interrupted" {
    if (this.running) return "running";
    return this.conversation.executionStatus === "waiting_for_confirmation" ? "waiting" : "interrupted";
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async loadEarlier(): Promise<void> {
    const end = this.earlier;
    const start = Math.max(0, end - PAGE);
    this.#prepend((await this.conversation.events.slice(start, end)) as unknown as StoredEvent[]);
    this.earlier = start;
    this.#changed();
  }

  /** Resolves when the message is stored; the run it starts goes on by itself. */
  async send(text: string): Promise<void> {
    await this.conversation.sendMessage(text);
    void this.run();
  }

  /** Never rejects: how it ended is in the log or in `failure`. */
  async run(): Promise<void> {
    if (this.running) return; // A run that is under way picks up the message by itself.
    this.#set({ running: true, failure: null, pending: [] });
    try {
      do await this.conversation.run();
      while (this.#messageCameTooLate());
    } catch (error) {
      if (newest(this.events)?.kind !== "ConversationErrorEvent") this.failure = error;
    }
    this.progress.clear();
    const pending = await this.conversation.pendingActions().catch(() => []);
    this.#set({ running: false, draft: null, pending: pending as unknown as StoredEvent[] });
  }

  stop(): Promise<void> {
    return this.conversation.interrupt();
  }

  async skipPending(reason: string): Promise<void> {
    await this.conversation.rejectPendingActions(reason);
    await this.run();
  }

  async rename(title: string): Promise<void> {
    await this.conversation.setTags({ ...this.conversation.state.tags, title });
    this.#changed();
  }

  /** Takes up changed settings; a run that is under way finishes with the old ones. */
  async useCurrentSettings(): Promise<void> {
    await this.conversation.switchLLM(createLLM());
    this.#changed();
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    this.#listeners.clear();
    await this.conversation.close();
  }

  #take(event: ConversationEvent | LiveEvent): void {
    switch (event.kind) {
      case "StreamingDeltaEvent":
        this.draft ??= { reasoning: "", text: "" };
        this.draft.reasoning += event.reasoning_content ?? "";
        this.draft.text += event.content ?? "";
        break;
      case "StreamingResetEvent":
        this.draft = null;
        break;
      case "ToolProgressEvent":
        this.progress.set(event.tool_call_id, event.text);
        break;
      default:
        this.#takeStored(event as unknown as StoredEvent);
    }
    this.#changed();
  }

  #takeStored(event: StoredEvent): void {
    if (this.#known.has(event.id)) return;
    this.#known.add(event.id);
    this.events.push(event);
    // The whole answer takes the place of its preview.
    if (event.source === "agent") this.draft = null;
  }

  #prepend(page: StoredEvent[]): void {
    const fresh = page.filter(({ id }) => !this.#known.has(id));
    for (const { id } of fresh) this.#known.add(id);
    this.events = [...fresh, ...this.events];
  }

  /** A message stored in the moment a run ended leaves the status at idle, with nobody to answer it. */
  #messageCameTooLate(): boolean {
    const last = newest(this.events);
    return this.conversation.executionStatus === "idle" && last?.kind === "MessageEvent" && last.source === "user";
  }

  #set(fields: Partial<Pick<Session, "running" | "failure" | "pending" | "draft">>): void {
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
