// The conversations that transports of this page have open. All transports of a chat share one: an app may make a new
// transport with every rendering, and two handles could not both write the conversation.
import {
  Conversation,
  type ConversationEvent,
  type ConversationOptions,
  type LiveEvent,
  type RunResult,
  type Store,
  ThreadkeepError,
  indexedDBStore,
} from "threadkeep";
import { nothingRan, withEarlier } from "../thread/runs.js";
import { openCalls } from "./approvals.js";
import { LastingHandle } from "./lasting.js";
import { isAnswer, isUserMessage } from "./parts.js";

/** The options of a transport. */
export type ChatOptions = Omit<ConversationOptions, "conversationId">;

const chats = new Map<unknown, Map<string, Promise<OpenChat>>>();

/** Opens the conversation of a chat for this transport, unless it is open already. */
export function openChat(options: ChatOptions, id: string, transport: object): Promise<OpenChat> {
  const ids = chatsOf(options.store);
  const opening = (ids.get(id) ?? Promise.reject())
    .catch(() => null)
    .then(async (known) => {
      if (known && !known.mustReopen(options)) return known;
      await known?.close();
      return new OpenChat(await Conversation.open({ ...options, conversationId: id }), options, known);
    });
  ids.set(id, opening);
  opening.then(
    (chat) => chat.users.add(transport),
    () => ids.get(id) === opening && ids.delete(id),
  );
  return opening;
}

/** Gives the chats of this transport up, or one of them. The last transport closes the conversation. */
export async function leaveChats(store: Store | undefined, transport: object, only?: string): Promise<void> {
  const ids = chatsOf(store);
  const leave = async (id: string, opening: Promise<OpenChat>) => {
    const chat = await opening.catch(() => null);
    if (!chat?.users.delete(transport) || chat.users.size > 0) return;
    if (ids.get(id) === opening) ids.delete(id);
    await chat.close();
  };
  await Promise.all([...ids].map(([id, opening]) => (only === undefined || only === id ? leave(id, opening) : undefined)));
}

/** By the name of the store, which all its objects have in common. */
function chatsOf(store: Store | undefined): Map<string, Promise<OpenChat>> {
  const scope = (store ?? indexedDBStore()).name ?? store;
  const ids = chats.get(scope) ?? new Map<string, Promise<OpenChat>>();
  chats.set(scope, ids);
  return ids;
}

/** A conversation that is open for a chat. */
export class OpenChat {
  readonly conversation: Conversation;
  /** The conversation for the app, which lasts when the chat is opened again. */
  readonly handle: LastingHandle;
  /** Whether another tab may have written what the views of this page do not show. */
  mayLack: boolean;
  readonly options: ChatOptions;
  /** The transports that use it. */
  readonly users: Set<object>;
  /** The event of each message that `useChat` has named itself; `null` for one that is not stored. */
  readonly sent: Map<string, string | null>;
  /** The stream that was asked for last. */
  latest: object | null = null;
  /** The pieces of the answer that is coming. */
  pieces: LiveEvent[] = [];
  #run: Promise<RunResult> | null = null;
  #isUnanswered = false;
  /** Ends the waiting for a run elsewhere. */
  readonly #closed = new AbortController();

  /** `earlier` is the same chat, opened with other options. */
  constructor(conversation: Conversation, options: ChatOptions, earlier: OpenChat | null) {
    this.conversation = conversation;
    this.options = options;
    this.users = earlier?.users ?? new Set();
    this.sent = earlier?.sent ?? new Map();
    this.handle = earlier?.handle ?? new LastingHandle(conversation);
    if (earlier) this.handle.follow(conversation);
    this.mayLack = earlier?.mayLack === true || conversation.access !== "writer";
    conversation.subscribe((event) => this.#hear(event));
  }

  /** The run under way, or `null`. */
  get run(): Promise<RunResult> | null {
    return this.#run;
  }

  /** Whether it has to be opened again: with another agent. */
  mustReopen({ agent }: ChatOptions): boolean {
    return this.#run === null && agent !== this.options.agent;
  }

  /** Starts a run in this way, or returns the one that is under way. It also answers messages that came too late for it. */
  start(begin: () => PromiseLike<RunResult>): Promise<RunResult> {
    this.#run ??= this.#complete(begin).finally(() => {
      this.#run = null;
      this.pieces = [];
    });
    return this.#run;
  }

  async #complete(begin: () => PromiseLike<RunResult>): Promise<RunResult> {
    let result = await begin();
    while (this.#isUnanswered && this.conversation.executionStatus === "idle") result = withEarlier(result, await this.go());
    return result;
  }

  /**
   * Runs these calls and those that need no decision, and goes on. A plain `run()` would approve all calls that wait. A run that
   * another tab has begun goes on for both.
   */
  async go(approved: readonly string[] = []): Promise<RunResult> {
    const { waiting, ready } = await openCalls(this.conversation);
    const ids = [...approved, ...ready.map(({ id }) => id)];
    try {
      return await this.conversation.run(waiting.length > 0 ? { approve: ids } : {});
    } catch (error) {
      if (!(error instanceof ThreadkeepError && error.code === "invalid_state" && this.runsElsewhere)) throw error;
      return this.ofAnother();
    }
  }

  /** Whether a run is under way that was not begun here. */
  get runsElsewhere(): boolean {
    return this.conversation.executionStatus === "running";
  }

  /** The end of a run that another tab has begun. What it took is not known here. */
  async ofAnother(): Promise<RunResult> {
    const { conversation } = this;
    const { signal } = this.#closed;
    await new Promise<void>((resolve) => {
      const look = () => {
        if (this.runsElsewhere && !signal.aborted) return;
        unsubscribe();
        resolve();
      };
      const unsubscribe = conversation.subscribe(look);
      signal.addEventListener("abort", look, { once: true });
      look();
    });
    return { status: conversation.executionStatus, finalResponse: await conversation.finalResponse(), ...nothingRan };
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.conversation.close();
  }

  /** Stops the run under way, and rejects the calls that wait: the conversation goes on from an earlier message. */
  async leave(): Promise<void> {
    if (this.#run) {
      await this.conversation.interrupt();
      await this.#run.catch(() => {});
    }
    const { waiting } = await openCalls(this.conversation);
    if (waiting.length > 0) await this.conversation.rejectPendingActions("The user has gone back to an earlier message.");
  }

  /** The id of the event of a message, or `null` if it is not stored. */
  async eventOf(messageId: string): Promise<string | null> {
    const sent = this.sent.get(messageId);
    if (sent !== undefined) return sent;
    return this.conversation.events.getIndex(messageId).then(
      () => messageId,
      () => null,
    );
  }

  #hear(event: ConversationEvent | LiveEvent): void {
    this.mayLack ||= this.conversation.access !== "writer";
    if (event.kind === "StreamingDeltaEvent") this.pieces.push(event);
    else if (event.kind === "WaitingEvent") this.pieces = [];
    else if ("id" in event && (isUserMessage(event) || isAnswer(event))) {
      this.#isUnanswered = isUserMessage(event);
      this.pieces = [];
    }
  }
}
