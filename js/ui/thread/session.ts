// A conversation that this page has open for one or several threads: opening, what is shown of it, and runs.
import {
  Conversation,
  type ConversationOptions,
  type ErrorCode,
  type MessageEvent,
  type RunResult,
  type Store,
  ThreadkeepError,
} from "threadkeep";
import { type LastShown, Picture } from "./picture.js";
import { withEarlier } from "./runs.js";
import { openingSnapshot } from "./snapshot.js";
import { isSameList } from "./transcript.js";
import type { ThreadSnapshot } from "./types.js";
import { ConversationView } from "./view.js";

/** How long the one that writes elsewhere may take to answer, in milliseconds, until the snapshot says so. */
const patience = 3_000;

/** The checked options of a thread that are not those of the conversation. */
export interface SessionOptions {
  pageSize: number;
  resume: boolean;
  /** The store of the conversation, if it is known. */
  store: Store | null;
}

export class Session {
  /** Called after every change. */
  readonly listeners = new Set<() => void>();
  readonly opened: Promise<Conversation>;
  readonly #conversationId: string;
  readonly #reading: Pick<SessionOptions, "pageSize" | "store">;
  readonly #resumes: boolean;
  readonly #open: () => Promise<Conversation>;
  readonly #picture: Picture | null;
  /** What was shown last, until the conversation is open. */
  #last: LastShown | null = null;
  #view: ConversationView | null = null;
  #phase: ThreadSnapshot["phase"] = "opening";
  #error: ThreadkeepError | null = null;
  #run: Promise<RunResult> | null = null;
  /** The number of times that the user has stopped or paused what goes on. */
  #stops = 0;
  /** Whether the one that writes elsewhere has not answered for some time. */
  #isSilent = false;
  #question: Promise<void> | null = null;
  #snapshot: Session["snapshot"] | null = null;
  #isChanged = true;

  constructor(conversationId: string, { resume, ...reading }: SessionOptions, open: () => Promise<Conversation>) {
    this.#conversationId = conversationId;
    this.#reading = reading;
    this.#resumes = resume;
    this.#open = open;
    this.#picture = Picture.of(reading.store, conversationId, () => (this.#phase === "open" && this.#view?.settled) || null);
    // Before anything else, and beside all of it.
    void this.#picture?.read().then((last) => this.#showLast(last));
    this.opened = this.#begin();
    // A failure is in the snapshot.
    this.opened.catch(() => {});
  }

  /** A session that opens the conversation, and closes it. */
  static opening(options: ConversationOptions & { conversationId: string }, own: SessionOptions): Session {
    return new Session(options.conversationId, own, () => Conversation.open(options));
  }

  get snapshot(): ThreadSnapshot & { conversationId: string } {
    if (!this.#isChanged && this.#snapshot) return this.#snapshot;
    this.#isChanged = false;
    const view = this.#view;
    const next: Session["snapshot"] = {
      ...openingSnapshot,
      ...(view ? this.#shown(view) : this.#last),
      phase: this.#phase,
      conversationId: this.#conversationId,
      error: this.#error,
    };
    // The same object as long as nothing that it shows is different.
    if (this.#snapshot && isSameList(Object.values(next), Object.values(this.#snapshot))) return this.#snapshot;
    return (this.#snapshot = next);
  }

  /** What is known once the conversation is open. */
  #shown(view: ConversationView): Omit<ThreadSnapshot, "phase" | "conversationId" | "error"> {
    const { conversation } = view;
    const isOpen = this.#phase === "open";
    return {
      conversation,
      access: conversation.access,
      home: conversation.home,
      isSilent: isOpen && (this.#isSilent || conversation.access === "free"),
      status: conversation.executionStatus,
      isRunning: isOpen && (view.runs > 0 || view.isRunning),
      waiting: view.waiting,
      isCondensing: isOpen && view.isCondensing,
      messages: view.messages,
      hasEarlier: view.hasEarlier,
      continuations: view.continuations,
      approvals: view.approvals,
      title: view.title,
      warnings: view.warnings,
    };
  }

  get view(): ConversationView {
    if (this.#view && this.#phase === "open") return this.#view;
    throw new ThreadkeepError("invalid_state", "the thread is closed; open it again with openThread()");
  }

  /**
   * Performs an action of the user; its failure is in the snapshot until another one works, which one that only reads does not count as.
   * One that would go on to run looks whether the user has meanwhile stopped it.
   */
  perform<T>(action: (view: ConversationView, isStopped: () => boolean) => Promise<T>, isReading = false): Promise<T> {
    const done = this.#perform(action, isReading);
    // Views that show the error of the snapshot need not await every click.
    done.catch(() => {});
    return done;
  }

  async #perform<T>(action: (view: ConversationView, isStopped: () => boolean) => Promise<T>, isReading: boolean): Promise<T> {
    try {
      await this.opened;
      const before = this.#error;
      const stops = this.#stops;
      const acting = action(this.view, () => this.#stops > stops);
      if (!isReading) this.#askWhetherThere();
      const result = await acting;
      // Not one that has come meanwhile, such as that of the run.
      if (!isReading && this.#error === before) this.#fail(null);
      return result;
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  /** Stops what goes on, and what actions that were begun before would run. */
  stop(how: "interrupt" | "pause"): Promise<void> {
    this.#stops += 1;
    return this.view.conversation[how]();
  }

  /** Runs the agent; a run that is under way already is returned. Resolves once its result is in the snapshot. */
  run(): Promise<RunResult> {
    return this.#run ?? this.start((conversation) => conversation.run());
  }

  /** Starts a run in another way; refused while one is under way. */
  start(begin: (conversation: Conversation) => PromiseLike<RunResult>): Promise<RunResult> {
    const run = this.#runOf(begin);
    this.#run ??= run.finally(() => (this.#run = null));
    this.#run.catch(() => {});
    return run;
  }

  /** Runs the agent for nobody who waits; a failure is in the snapshot. A run that another page has begun goes on for both. */
  runOn(): void {
    this.run().catch((error) => {
      if (!(error instanceof ThreadkeepError && error.code === "invalid_state" && this.#view?.isRunning)) this.#fail(error);
    });
  }

  async #runOf(begin: (conversation: Conversation) => PromiseLike<RunResult>): Promise<RunResult> {
    const { view } = this;
    view.runs += 1;
    this.#fail(null);
    let result: RunResult;
    try {
      result = await begin(view.conversation);
      while (view.isUnanswered) result = withEarlier(result, await view.conversation.run());
    } finally {
      await view.readCalls().catch(() => {});
      view.runs -= 1;
      if (view.runs === 0) view.endRun();
    }
    if (result.status === "error" && !view.showsError) this.#fail(unnamed());
    return result;
  }

  /** Shows a message that may not be part of the branch yet. */
  sent(event: MessageEvent, replaced?: string): MessageEvent {
    this.view.addSent(event, replaced);
    return event;
  }

  /** Ends what is shown. Closes the conversation if this session has opened it. */
  async end(closes: boolean): Promise<void> {
    await this.opened.catch(() => {});
    this.#picture?.end();
    this.#phase = "closed";
    this.#view?.end();
    try {
      if (closes) await this.#view?.conversation.close();
    } finally {
      this.changed();
    }
  }

  /**
   * The action itself may take long, such as a run. A question that is answered at once shows whether anybody is there; it has
   * its answer, too, when this page becomes the writer.
   */
  #askWhetherThere(): void {
    const { conversation } = this.view;
    if (conversation.access !== "follower" || this.#question) return;
    const note = (isSilent: boolean) => {
      if (this.#isSilent === isSilent) return;
      this.#isSilent = isSilent;
      this.changed();
    };
    const timer = setTimeout(() => note(true), patience);
    const over = () => {
      clearTimeout(timer);
      this.#question = null;
      note(false);
    };
    this.#question = conversation.queue.list().then(over, over);
  }

  changed = (): void => {
    this.#isChanged = true;
    if (this.#phase === "open") this.#picture?.changed();
    for (const listener of this.listeners) listener();
  };

  #showLast(last: LastShown | null): void {
    if (last === null || this.#phase !== "opening") return;
    this.#last = { messages: last.messages, title: last.title };
    this.changed();
  }

  #fail(error: unknown): void {
    if (error === this.#error) return;
    this.#error = error === null ? null : errorOf(error);
    this.changed();
  }

  async #begin(): Promise<Conversation> {
    try {
      const conversation = await this.#open();
      const listener = {
        changed: this.changed,
        ended: () => this.#picture?.keep(),
        becameWriter: () => this.#phase === "open" && this.#resume(conversation),
        deleted: () => void (this.#phase = "closed"),
      };
      const view = new ConversationView(conversation, this.#reading, listener);
      await view.open();
      this.#view = view;
      this.#phase = "open";
      this.changed();
      this.#resume(conversation);
      return conversation;
    } catch (error) {
      this.#phase = "failed";
      this.#last = null;
      this.#picture?.end();
      this.#fail(error);
      throw error;
    }
  }

  /** Goes on with a run in which a page died. Where calls wait for the user, a run would approve them. */
  #resume({ access, executionStatus, warnings }: Conversation): void {
    const wasCutOff = access === "writer" && warnings.some(({ code }) => code === "interrupted");
    if (this.#resumes && wasCutOff && !["waiting_for_confirmation", "running"].includes(executionStatus)) this.runOn();
  }
}

/** The failure of a run of which only its status tells. */
function unnamed(): ThreadkeepError {
  const text =
    "the run has ended with an error that the conversation does not name, as when the server that ran it was killed; resume() goes on";
  return new ThreadkeepError("unknown", text);
}

function errorOf(error: unknown): ThreadkeepError {
  if (error instanceof ThreadkeepError) return error;
  const code: ErrorCode = "internal";
  return new ThreadkeepError(code, error instanceof Error ? error.message : String(error), { cause: error });
}
