// Reads an open conversation, and keeps its messages and calls up to date.
import type {
  ActionEvent,
  Conversation,
  ConversationEvent,
  ConversationWarning,
  LiveEvent,
  MessageEvent,
  SecurityRisk,
  Store,
  Versions,
  WaitingEvent,
} from "threadkeep";
import { ThreadkeepError } from "threadkeep";
import { argumentsOf } from "./fields.js";
import type { Shown } from "./picture.js";
import { Transcript, isSameList } from "./transcript.js";
import type { Approval, UIMessage } from "./types.js";

/** The riskiest first. A call whose risk nobody knows may be any of the others. */
const byRisk: readonly SecurityRisk[] = ["HIGH", "UNKNOWN", "MEDIUM", "LOW"];

const elsewhere = () => import("./elsewhere.js");

/** How long another branch waits for the versions of its messages, in milliseconds; their file may have to be loaded first. */
const patience = 200;

/** Hears of a view. */
export interface ViewListener {
  changed(): void;
  /** A run is over, here or elsewhere. */
  ended(): void;
  /** This page writes the conversation from now on. */
  becameWriter(): unknown;
  deleted(): void;
}

export class ConversationView {
  readonly conversation: Conversation;
  /** How many runs of this page are under way. */
  runs = 0;
  hasEarlier = false;
  approvals: readonly Approval[] = [];
  /** Ids of calls that run with the next run, without a question. */
  ready: readonly string[] = [];
  waiting: WaitingEvent | null;
  isCondensing = false;
  title: string | null = null;
  warnings: readonly ConversationWarning[] = [];
  readonly #pageSize: number;
  /** `null` if it is not known: then the work of sub-agents is shown only while it is heard. */
  readonly #store: Store | null;
  readonly #listener: ViewListener;
  readonly #unsubscribe: () => void;
  #transcript: Transcript;
  /** The number of events to read from the end. */
  #limit: number;
  /** The event of the branch before those that are shown; `null` if there is none. */
  #before: string | null = null;
  /** By the id of a version: the last event of the newest branch with it. */
  #leaves: ReadonlyMap<string, string> = new Map();
  #continuations: readonly string[] = [];
  #versionReadings = 0;
  /** While the branch is read, the events that are stored meanwhile. */
  #arrived: ConversationEvent[] | null = null;
  #reading: Promise<void> | null = null;
  #callReadings = 0;
  #callReading: Promise<void> | undefined;
  #pending: readonly ActionEvent[] = [];
  #leftOut: ReadonlySet<string> = new Set();
  #begun: ReadonlySet<string> = new Set();
  #risks: Record<string, SecurityRisk> = {};
  /** Ids of the calls that would not wait if the user always allowed their tool. */
  #allowable: ReadonlySet<string> = new Set();
  /** The messages while the branch is read. */
  #shown: readonly UIMessage[] = [];

  constructor(conversation: Conversation, { pageSize, store }: { pageSize: number; store: Store | null }, listener: ViewListener) {
    this.conversation = conversation;
    this.#pageSize = pageSize;
    this.#store = store;
    this.#limit = pageSize;
    this.#listener = listener;
    this.#transcript = new Transcript();
    this.waiting = conversation.waiting;
    this.#unsubscribe = conversation.subscribe((event) => this.#take(event));
  }

  /** Until a changed branch is read, the messages are those from before: otherwise a reader would see both for a moment. */
  get messages(): readonly UIMessage[] {
    return this.#arrived === null ? (this.#shown = this.#transcript.messages) : this.#shown;
  }

  /** The same list as long as it contains the same ids. */
  get continuations(): readonly string[] {
    const found = this.#transcript.continuations;
    return isSameList(found, this.#continuations) ? this.#continuations : (this.#continuations = found);
  }

  /** Whether a run is under way, here or elsewhere, as far as the conversation tells. */
  get isRunning(): boolean {
    const { access, executionStatus } = this.conversation;
    return access !== "free" && executionStatus === "running";
  }

  /** What is stored of what is shown; `null` while something goes on, and if there is nothing. */
  get settled(): Shown | null {
    const { conversation, title } = this;
    const { messages, leaf } = { messages: this.#transcript.stored, leaf: this.#transcript.lastEventId };
    if (this.isRunning || this.#arrived !== null || leaf === null) return null;
    return { messages, title, leaf, length: conversation.events.length, tags: conversation.state.tags };
  }

  /** Whether the last message has a failure in it. */
  get showsError(): boolean {
    return this.messages.at(-1)?.parts.some(({ type }) => type === "error") ?? false;
  }

  /** Whether a message of the user was stored too late for the run that has just ended. */
  get isUnanswered(): boolean {
    return this.conversation.executionStatus === "idle" && this.#transcript.endsWithUser;
  }

  async open(): Promise<void> {
    await this.readBranch();
    this.readState();
    this.#follow(this.#readQueue());
  }

  /**
   * Messages of an earlier page wait only until the user has decided about calls, those of another one also while that runs, and
   * those for a server until it can be reached.
   */
  async #readQueue(): Promise<void> {
    const { access, executionStatus, home, queue } = this.conversation;
    const mayWait = executionStatus === "waiting_for_confirmation" || (access !== "writer" && executionStatus === "running");
    if (access === "free" || (!mayWait && home !== "server")) return;
    for (const event of await queue.list()) this.addSent(event);
  }

  /** In the log, a message for a server has another id. */
  async #takeQueue(ids: readonly string[]): Promise<void> {
    for (const { id, state } of this.messages) if (state === "queued" && !ids.includes(id)) this.removeSent(id);
    await this.#readQueue();
  }

  end(): void {
    this.#unsubscribe();
  }

  /** Shows a message at once that is not part of the branch yet. */
  addSent(event: MessageEvent, replaced?: string): void {
    this.#transcript.addSent(event, replaced);
    this.#listener.changed();
  }

  removeSent(messageId: string): void {
    this.#transcript.removeSent(messageId);
    this.#listener.changed();
  }

  isQueued(messageId: string): boolean {
    return this.messages.some(({ id, state }) => id === messageId && state === "queued");
  }

  /**
   * Reads twice as many events as before, or all. Each reading begins at the end of the branch, and the doubling keeps the
   * sum of all readings below four times the last one.
   */
  async loadEarlier(all: boolean): Promise<boolean> {
    if (this.hasEarlier) {
      this.#limit = all ? Number.MAX_SAFE_INTEGER : this.#limit + Math.max(this.#limit, this.#pageSize);
      await this.readBranch(true);
    }
    return this.hasEarlier;
  }

  /**
   * Reads the active branch. A reading that is asked for while another one is under way follows it. One that waits for the
   * versions shows both at once, so that the arrows at a message do not go away for a moment.
   */
  readBranch(waits = false): Promise<void> {
    this.#arrived ??= [];
    const read = (this.#reading ?? Promise.resolve()).then(() => this.#readBranch(waits));
    const reading = read
      .catch(() => {})
      .then(() => {
        if (this.#reading !== reading) return;
        const events = this.#arrived ?? [];
        this.#reading = this.#arrived = null;
        for (const event of events) this.#append(event);
        this.#listener.changed();
      });
    this.#reading = reading;
    return read;
  }

  async #readBranch(waits: boolean): Promise<void> {
    const limit = this.#limit;
    // One more than is shown: behind it no version is missing.
    const events = await this.conversation.activeBranch({ limit: limit + 1 });
    const isLinear = this.#isLinear(events);
    this.hasEarlier = events.length > limit;
    this.#before = this.hasEarlier ? events.shift()!.id : null;
    const transcript = new Transcript((task) => this.#startOf(task));
    for (const event of this.#page(events, limit)) transcript.load(event);
    transcript.adopt(this.#transcript);
    for (const event of this.#arrived ?? []) transcript.append(event);
    transcript.setDraft(this.conversation.draft);
    this.#transcript = transcript;
    await this.readCalls();
    void this.#readWork(transcript);
    // The messages are shown without waiting for it.
    const versions = isLinear.then(
      (is) => this.#readBeside(is, transcript, events),
      () => {},
    );
    if (waits) await Promise.race([versions, new Promise((resolve) => setTimeout(resolve, patience))]);
  }

  /** Whether the log has nothing beside these events at its end. So a conversation without versions needs no list of them. */
  async #isLinear(branch: readonly ConversationEvent[]): Promise<boolean> {
    const { events } = this.conversation;
    const [first, length] = [branch[0], events.length - branch.length];
    return (first ? await events.getIndex(first.id) : 0) === length;
  }

  /** Reads what the log has beside the branch of this transcript. */
  async #readBeside(isLinear: boolean, transcript: Transcript, events: readonly ConversationEvent[]): Promise<void> {
    if (transcript !== this.#transcript) return;
    if (isLinear) return this.#showVersions([]);
    void this.#readOriginals(transcript, events);
    await this.#readVersions();
  }

  /** Never rejects: without the work of its sub-agent a call is still shown. */
  async #readWork(transcript: Transcript): Promise<void> {
    const { unheard } = transcript;
    if (unheard.length === 0 || this.#store === null) return;
    const { conversation } = this;
    const store = this.#store;
    const work = await elsewhere()
      .then(({ storedWork }) => storedWork(store, conversation, unheard))
      .catch(() => null);
    if (!work || work.size === 0) return;
    transcript.setWork(work);
    this.#listener.changed();
  }

  /** Reads the calls as they were before the user changed them. Never rejects. */
  async #readOriginals(transcript: Transcript, branch: readonly ConversationEvent[]): Promise<void> {
    if (!branch.some(({ kind }) => kind === "ActionEvent")) return;
    const found = await elsewhere()
      .then(({ originalsOf }) => originalsOf(this.conversation, branch, 4 * this.#limit))
      .catch(() => null);
    if (!found || found.size === 0) return;
    transcript.setOriginals(found);
    this.#listener.changed();
  }

  /** Never rejects: without its versions a message is still shown. */
  async #readVersions(): Promise<void> {
    const number = ++this.#versionReadings;
    const versions = await this.conversation.versions({ after: this.#before }).catch(() => null);
    if (versions && number === this.#versionReadings) this.#showVersions(versions);
  }

  #showVersions(all: readonly Versions[]): void {
    this.#versionReadings += 1;
    this.#leaves = new Map(all.flatMap(({ versions }) => versions.map(({ id, leafEventId }) => [id, leafEventId] as const)));
    this.#transcript.setVersions(all);
    this.#listener.changed();
  }

  /** The last event of the newest branch with this version; `null` if it is shown. @throws ThreadkeepError `not_found` */
  leafOf(versionId: string): string | null {
    if (this.messages.some(({ versions }) => versions?.ids[versions.index] === versionId)) return null;
    const leaf = this.#leaves.get(versionId);
    if (leaf === undefined) throw new ThreadkeepError("not_found", `no message of this thread has the version ${versionId}`);
    return leaf;
  }

  /** A page begins with a message of the user, if one is near: then no answer is cut. */
  #page(events: ConversationEvent[], limit: number): ConversationEvent[] {
    if (!this.hasEarlier) return events;
    const start = events.findIndex(({ kind, source }) => kind === "MessageEvent" && source === "user");
    return start > 0 && start < limit / 2 ? events.slice(start) : events;
  }

  /** Reads what no event reports. */
  readState(): void {
    const { warnings, title } = this.conversation;
    if (
      !isSameList(
        warnings.map(({ message }) => message),
        this.warnings.map(({ message }) => message),
      )
    )
      this.warnings = warnings;
    this.title = title;
    this.#listener.changed();
  }

  /** After a run: the pieces of an answer that was cut off are gone. */
  endRun(): void {
    this.#transcript.endAnswer();
    this.#transcript.setDraft(this.conversation.draft);
    this.waiting = null;
    this.showCalls();
    this.readState();
  }

  /** Reads the calls without a result, and who waits for whom. Of several readings under way the last one counts. */
  readCalls(): Promise<void> {
    return (this.#callReading = this.#readCalls());
  }

  async #readCalls(): Promise<void> {
    const number = ++this.#callReadings;
    // The first reading reads the complete branch, so a page that only shows a long conversation does without.
    const mayHaveCalls = this.#transcript.hasOpenCalls || this.conversation.executionStatus === "waiting_for_confirmation";
    const actions = mayHaveCalls ? await this.conversation.pendingActions() : [];
    const allowable = actions.length > 0 ? await this.conversation.pendingActions({ allowable: true }) : [];
    if (number !== this.#callReadings) return this.#callReading;
    this.#pending = actions;
    this.#allowable = new Set(allowable.map(({ id }) => id));
    const stored = (actions.length === 0 ? undefined : this.conversation.state.agent_state) ?? {};
    this.#leftOut = idsIn(stored["unapproved_actions"]);
    this.#begun = idsIn(stored["interrupted_actions"]);
    this.#risks = actions.length === 0 ? {} : this.conversation.securityRisks;
    this.showCalls();
  }

  /** Derives the stages of the calls from what was read last, and from the status, which may have changed since. */
  showCalls(): void {
    const { executionStatus } = this.conversation;
    const asks = executionStatus === "waiting_for_confirmation";
    // All calls of an answer wait until the user has decided about one, or a page has died in one.
    const allWait = asks && this.#leftOut.size === 0 && this.#begun.size === 0;
    // The waiting calls of a sub-agent are in the list in place of the call that has started it.
    const waits = ({ id }: ActionEvent) => this.#leftOut.has(id) || allWait || (asks && !this.#transcript.has(id));
    const waiting = new Set(this.#pending.filter(waits).map(({ id }) => id));
    const isRunning = this.runs > 0 || executionStatus === "running";
    this.#transcript.setCalls({ waiting: new Set([...waiting, ...this.#leftOut]), begun: this.#begun, risks: this.#risks, isRunning });
    const approvals = this.#pending.flatMap((action) => {
      const why = waiting.has(action.id) ? "approval" : asks && this.#begun.has(action.id) ? "interrupted" : null;
      return why === null ? [] : [this.#approval(action, why)];
    });
    approvals.sort((one, other) => byRisk.indexOf(one.risk) - byRisk.indexOf(other.risk));
    if (!isSameList(approvals, this.approvals)) this.approvals = approvals;
    this.ready = this.#pending.flatMap(({ id }) => (approvals.some(({ actionId }) => actionId === id) ? [] : [id]));
    this.#listener.changed();
  }

  /** The same object as before, if nothing about it has changed. */
  #approval(action: ActionEvent, why: Approval["why"]): Approval {
    const risk = this.#risks[action.id] ?? action.security_risk;
    const canAlwaysAllow = why === "approval" && this.#allowable.has(action.id);
    const known = this.approvals.find(({ actionId }) => actionId === action.id);
    if (known?.why === why && known.risk === risk && known.canAlwaysAllow === canAlwaysAllow) return known;
    const { id: actionId, tool_call_id: toolCallId, tool_name: toolName, summary = null } = action;
    return { actionId, toolCallId, toolName, args: argumentsOf(action), summary, risk, why, canAlwaysAllow, action };
  }

  #take(event: ConversationEvent | LiveEvent): void {
    if ("id" in event) this.#takeStored(event);
    else this.#takeLive(event);
    this.#listener.changed();
  }

  #takeStored(event: ConversationEvent): void {
    this.waiting = null;
    if (this.title === null) this.title = this.conversation.title;
    if (this.#pending.length > 0) this.#pending = this.#pending.filter((action) => !isResult(event, action));
    if (this.#arrived) this.#arrived.push(event);
    else this.#append(event);
  }

  #append(event: ConversationEvent): void {
    const isBeside = this.#transcript.isBeside;
    if (!this.#transcript.append(event)) this.#follow(this.readBranch());
    else if (isBeside && (event.kind === "MessageEvent" || event.kind === "ActionEvent")) void this.#readVersions();
  }

  #takeLive(event: LiveEvent): void {
    if (event.kind === "PendingActionsEvent") this.#follow(this.readCalls());
    else if (event.kind === "ConversationStateUpdateEvent") this.#takeState(event);
    else if (event.kind === "WaitingEvent") this.waiting = event.seconds > 0 ? event : null;
    else if (event.kind === "CondensingEvent") this.isCondensing = !event.is_over;
    else if (event.kind === "StreamingDeltaEvent") this.waiting = null;
    this.#transcript.live(event);
  }

  #takeState({ key, value }: { key: string; value: unknown }): void {
    if (key === "execution_status") {
      this.#follow(this.readCalls());
      if (!this.isRunning) this.#listener.ended();
    } else if (key === "tags") this.readState();
    else if (key === "leaf_event_id") {
      if (this.#arrived === null && value !== this.#transcript.lastEventId) this.#follow(this.readBranch());
    } else if (key === "access") this.#takeAccess(value);
    else if (key === "queue") this.#follow(this.#takeQueue(value as string[]));
  }

  #takeAccess(value: unknown): void {
    // It ends with the one that has asked for it.
    this.isCondensing = false;
    if (value === "deleted") this.#listener.deleted();
    if (value !== "writer") return;
    // A run that the last writer has left is repaired, and its draft is known here.
    this.readState();
    this.#follow(this.readBranch().then(() => this.#readQueue()));
    this.#listener.becameWriter();
  }

  /** A reading that nobody awaits fails only if the conversation is being closed, or its storage fails, which runs report. */
  #follow(reading: Promise<void>): void {
    reading.catch(() => {});
  }

  /** The action that has started the sub-agent of a task. */
  #startOf(task: string): string | undefined {
    return this.conversation.state.agent_state?.subagent_tasks?.[task]?.action;
  }
}

const idsIn = (list: unknown): ReadonlySet<string> => new Set(Array.isArray(list) ? list : []);

/** Whether this event is the result of this call. Errors name a call by the id that the provider gave it. */
function isResult(event: ConversationEvent, { id, tool_call_id }: ActionEvent): boolean {
  if (event.kind === "AgentErrorEvent") return event.tool_call_id === tool_call_id;
  return (event.kind === "ObservationEvent" || event.kind === "UserRejectObservation") && event.action_id === id;
}
