// The open conversation: the library's object, the loaded page of its events, and the streaming answer. Draws nothing;
// subscribers are notified at most once per turn of the event loop.

import { type Branch, type Content, Conversation, type ConversationEvent, type JSONValue, type LiveEvent, type RunResult, ThreadkeepError, type WaitingEvent } from "threadkeep";
import { createConversation, createLLM, limits, openStored, PROVISIONAL } from "../agent/agent.ts";
import { lengthBefore, type OtherBranch, type Parting, partings } from "./branches.ts";
import { asStored, type StoredEvent } from "./event-shapes.ts";
import { Subagents } from "./subagents.ts";
import { onOtherTab, takeTurn, notifyOtherTabs } from "../shell/tabs.ts";
import { newest } from "./timeline.ts";

const PAGE = 100;
/** Of one answer. */
const MOST_CALLS = 50;

export interface Draft {
  reasoning: string;
  text: string;
}

export type Waiting = WaitingEvent & { until: number };

export class Session {
  /** The last events of the active branch. */
  events: StoredEvent[] = [];
  /** Whether the branch has events before the loaded ones. */
  hasEarlier = false;
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
  readonly subagents = new Subagents(() => this.#conversation);

  #conversation: Conversation;
  /** The settings with which the conversation was opened. */
  #limits = limits();
  #listeners = new Set<() => void>();
  #stops: Array<() => void> = [];
  /** The ids of all events that were seen, on whatever branch. */
  #known = new Set<string>();
  /** While the branch is read, the events that were stored meanwhile. */
  #arrived: StoredEvent[] | null = null;
  #others: OtherBranch[] = [];
  #places = new Map<string, number>();
  #announced = false;
  #isNaming = false;
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
    await session.#subscribe();
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

  /** Whether the conversation can be continued from another place. */
  get canBranch(): boolean {
    return !this.running && !this.isFollower && this.sent.length === 0 && (this.pending.length === 0 || this.openCallsAre !== "waiting");
  }

  /** The places where other branches part from the loaded events. */
  get partings(): Parting[] {
    return partings(this.events, this.#others, !this.hasEarlier, (id) => this.#places.get(id) ?? Infinity);
  }

  async loadEarlier(): Promise<void> {
    await this.#readBranch({ limit: this.events.length * 2 });
    await this.#readOthers();
  }

  /** Continues from this event, the last one of another branch. */
  async navigateTo(eventId: string): Promise<void> {
    await this.#conversation.navigateTo(eventId);
    // Both at once, for each makes sense with the other only.
    await this.#readBranch({ withOthers: true });
    this.#set({ failure: null, pending: await this.#readPending() });
    notifyOtherTabs(this.id);
  }

  /** Sends a message in place of an earlier one, with that one's images. Its answer continues by itself. */
  async editMessage({ id, llm_message: earlier }: StoredEvent, text: string): Promise<void> {
    const parts = Array.isArray(earlier?.content) ? earlier.content : [];
    const images = parts.filter(({ type }) => type === "image") as Content[];
    await this.#conversation.editMessage(id, [...(text === "" ? [] : [{ type: "text" as const, text }]), ...images]);
    await this.#readBranch();
    void this.run();
    void this.#readOthers();
  }

  /** Answers the last message again. Never rejects, see `run`. */
  async regenerate(): Promise<void> {
    // The earlier answer is on another branch as soon as this is stored.
    this.events = this.events.slice(0, this.events.findLastIndex(({ kind, source }) => kind === "MessageEvent" && source === "user") + 1);
    await this.#run(() => this.#conversation.regenerate());
    try {
      await this.#readBranch({ withOthers: true });
    } catch (error) {
      this.#failedToRead(error);
    }
  }

  /** Copies the conversation up to this event. Resolves to the id of the copy. */
  async fork(fromEventId: string): Promise<string> {
    const copy = await this.#conversation.fork({ fromEventId, title: `${this.title} (copy)` });
    await copy.close();
    return copy.id;
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
    await this.#run(() => this.#conversation.run(options));
  }

  async #run(start: () => PromiseLike<RunResult>): Promise<void> {
    this.#set({ running: true, failure: null, pending: [] });
    try {
      await start();
      while (this.#messageCameTooLate()) await this.#conversation.run();
    } catch (error) {
      if (newest(this.events)?.kind !== "ConversationErrorEvent") this.failure = error;
    }
    this.progress.clear();
    this.hasRun = true;
    this.#set({ running: false, draft: null, waiting: null, pending: await this.#readPending() });
    void this.#nameByModel();
    if (this.#reopenAgain) void this.reopen();
  }

  /** Once there is an answer, the model makes a title, unless the user gave one. */
  async #nameByModel(): Promise<void> {
    const conversation = this.#conversation;
    const isProvisional = (): boolean => conversation.state.tags?.[PROVISIONAL] !== undefined;
    if (this.#isNaming || !isProvisional() || conversation.executionStatus !== "finished") return;
    this.#isNaming = true;
    try {
      const title = await conversation.generateTitle();
      // The user may have been quicker.
      if (isProvisional()) await this.rename(title);
    } catch {
      // The conversation was closed meanwhile: there is another chance after the next answer.
    }
    this.#isNaming = false;
  }

  /** Replaces a part of the history by a summary, for the model. Rejects if there is nothing to replace. */
  async condense(): Promise<void> {
    this.#set({ running: true });
    try {
      await this.#conversation.condense();
    } finally {
      this.#set({ running: false, draft: null, waiting: null });
      if (this.#reopenAgain) void this.reopen();
    }
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
    await this.#readOthers();
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

  /** Gives the conversation a title, which the model then no longer does. */
  async rename(title: string): Promise<void> {
    const { [PROVISIONAL]: _, ...tags } = this.#conversation.state.tags;
    await this.#conversation.setTags({ ...tags, title });
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
        await this.#subscribe();
      } catch (error) {
        this.failure = error;
      }
      this.#changed();
    }
  }

  /** Subscribes before it reads: an event that arrives in between is recognised by its id. */
  async #subscribe(): Promise<void> {
    this.#known.clear();
    this.#conversation.subscribe((event) => this.#take(event));
    await this.#readBranch();
    this.pending = await this.#readPending();
    void this.#readOthers();
  }

  async #readBranch({ limit = Math.max(PAGE, this.events.length), withOthers = false } = {}): Promise<void> {
    const arrived: StoredEvent[] = (this.#arrived = []);
    const branch = (await this.#conversation.activeBranch({ limit })).map(asStored);
    if (withOthers) this.#others = await this.#findOthers(branch);
    this.#arrived = null;
    for (const { id } of branch) this.#known.add(id);
    this.events = branch;
    for (const event of arrived) if (!branch.some(({ id }) => id === event.id)) this.#append(event);
    this.hasEarlier = branch.length === limit;
    this.sent = this.sent.filter(({ id }) => !this.#known.has(id));
    this.#changed();
  }

  /** Lists the other branches, which takes seconds the first time if the log is long. Never rejects. */
  async #readOthers(): Promise<void> {
    try {
      this.#others = await this.#findOthers(this.events);
      this.#changed();
    } catch (error) {
      this.#failedToRead(error);
    }
  }

  /** A conversation that was closed meanwhile, perhaps to be opened again, cannot be read, which is no failure. */
  #failedToRead(error: unknown): void {
    if (!this.#closed && !(error instanceof ThreadkeepError && error.code === "invalid_state")) this.#set({ failure: error });
  }

  /** The branches that part from this one, with their places in the log and those of the messages that they are versions of. */
  async #findOthers(branch: StoredEvent[]): Promise<OtherBranch[]> {
    const conversation = this.#conversation;
    const others = await Promise.all((await conversation.branches()).map((other) => otherBranch(conversation, other)));
    for (const { shown } of partings(branch, others, true, () => 0)) {
      if (shown && !this.#places.has(shown.id)) this.#places.set(shown.id, await conversation.events.getIndex(shown.id));
    }
    return others;
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
    } else if (event.kind === "SubagentEvent") {
      this.subagents.take(event);
    } else if ("id" in event) {
      if (this.#known.has(event.id)) return;
      this.#known.add(event.id);
      this.#arrived?.push(asStored(event));
      this.#append(asStored(event));
      this.sent = this.sent.filter(({ id }) => id !== event.id);
      // The complete answer replaces its preview.
      if (event.source === "agent") this.draft = null;
      notifyOtherTabs(this.id);
    }
    this.#changed();
  }

  /** An event that does not follow the last one begins another branch, which is then the active one. */
  #append(event: StoredEvent): void {
    const length = lengthBefore(this.events, event, (id) => this.#known.has(id));
    if (length !== null) this.events = [...this.events.slice(0, length), event];
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

async function otherBranch({ events }: Conversation, { leafEventId: leaf, forkEventId: after, firstEvent }: Branch): Promise<OtherBranch> {
  const first = asStored(firstEvent);
  const place = await events.getIndex(first.id);
  const answer = first.kind === "ActionEvent" ? (await events.slice(place, place + MOST_CALLS)).map(asStored) : [];
  const end = answer.findIndex(({ kind }) => kind !== "ActionEvent");
  return { leaf, after, first, place, calls: end < 0 ? answer : answer.slice(0, end) };
}
