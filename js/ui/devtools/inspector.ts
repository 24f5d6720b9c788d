// Records what conversations do, for a view: requests and answers as they are sent, events, changes of the status, waits.
import {
  type Conversation,
  type ConversationEvent,
  type ExecutionStatus,
  type LiveEvent,
  type ObservedRequest,
  ThreadkeepError,
  observeRequests,
} from "threadkeep";
import { ensureConversation, objectOf } from "../thread/given.js";

/**
 * A request to a model with its answer. Headers are never recorded, and keys and secrets that the conversation knows are
 * hidden, also where a server sends them back.
 */
export interface InspectedRequest {
  /** Counts from 1 in this page. */
  number: number;
  conversationId: string;
  url: string;
  /** JSON text in the wire API of the model. */
  body: string;
  /** The HTTP status; `null` before the answer, and if there was none. */
  status: number | null;
  /** The answer as it arrived: server-sent events, or one JSON text. */
  answer: string;
  state: "waiting" | "answering" | "done" | "failed";
  /** Milliseconds since the Unix epoch. */
  startedAt: number;
  /** Milliseconds from the start to the first bytes of the answer; `null` before them. */
  firstBytesAfter: number | null;
  /** Milliseconds from the start to the end; `null` before the end. */
  duration: number | null;
}

/** An event of the log, or a live event except for the pieces of answers. */
export interface InspectedEvent {
  /** Counts from 1 in this page. */
  number: number;
  conversationId: string;
  /** When it reached this page: milliseconds since the Unix epoch. */
  at: number;
  event: ConversationEvent | LiveEvent;
}

/** A status, and since when a conversation has it. */
export interface InspectedStatus {
  conversationId: string;
  status: ExecutionStatus;
  at: number;
}

/** The record so far. A new object whenever something changes. */
export interface InspectorSnapshot {
  requests: readonly InspectedRequest[];
  events: readonly InspectedEvent[];
  statuses: readonly InspectedStatus[];
}

export interface InspectOptions {
  /** The most requests that are kept; older ones are dropped. Default: 100. */
  maxRequests?: number | undefined;
  /** The most events that are kept. Default: 2000. */
  maxEvents?: number | undefined;
}

export interface Inspector {
  /** Calls `listener` after every change, at most once in 100 milliseconds. Returns a function that ends it. */
  subscribe(listener: () => void): () => void;
  getSnapshot(): InspectorSnapshot;
  /** Records the events of an open conversation too; its requests are recorded in any case. Returns a function that ends it. */
  watch(conversation: Conversation): () => void;
  clear(): void;
  /** The record as JSON text, to attach to a report. It contains everything that was said, with keys and secrets hidden. */
  export(): string;
  /** Stops recording. */
  close(): void;
}

/** Pieces of answers come by the hundred; a view does not need to know of each. */
const pause = 100;

/**
 * Records all requests of this page to models from now on, and the events of the conversations that it is told to watch.
 * Nothing is stored or sent.
 * @throws ThreadkeepError `invalid_options`
 */
export function inspect(options: InspectOptions = {}): Inspector {
  const { maxRequests = 100, maxEvents = 2000, ...unknown } = objectOf("inspect()", "options", options);
  const [odd] = Object.keys(unknown);
  if (odd !== undefined) throw new ThreadkeepError("invalid_options", `inspect() has no option ${JSON.stringify(odd)}`);
  for (const limit of [maxRequests, maxEvents]) {
    if (!Number.isInteger(limit) || limit < 1)
      throw new ThreadkeepError("invalid_options", "maxRequests and maxEvents are numbers of at least 1");
  }

  let snapshot: InspectorSnapshot = { requests: [], events: [], statuses: [] };
  const numbers = { request: 0, event: 0 };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listeners = new Set<() => void>();
  const watched = new Set<() => void>();

  const change = (changed: Partial<InspectorSnapshot>) => {
    snapshot = { ...snapshot, ...changed };
    timer ??= setTimeout(() => {
      timer = undefined;
      for (const listener of [...listeners]) listener();
    }, pause);
  };
  const stop = observeRequests((request) => {
    const exchange = exchangeOf(request, ++numbers.request, (next) => {
      change({ requests: snapshot.requests.map((each) => (each.number === next.number ? next : each)) });
    });
    change({ requests: [...snapshot.requests, exchange.first].slice(-maxRequests) });
    return exchange.observed;
  });

  return {
    subscribe(listener) {
      const own = () => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    getSnapshot: () => snapshot,
    watch(conversation) {
      ensureConversation("watch()", conversation);
      const conversationId = conversation.id;
      change({ statuses: [...snapshot.statuses, { conversationId, status: conversation.executionStatus, at: Date.now() }] });
      const unsubscribe = conversation.subscribe((event) => {
        if (event.kind === "StreamingDeltaEvent") return;
        const at = Date.now();
        const events = [...snapshot.events, { number: ++numbers.event, conversationId, at, event }].slice(-maxEvents);
        const status = statusOf(event);
        change({ events, ...(status && { statuses: [...snapshot.statuses, { conversationId, status, at }].slice(-maxEvents) }) });
      });
      const end = () => {
        unsubscribe();
        watched.delete(end);
      };
      watched.add(end);
      return end;
    },
    clear: () => change({ requests: [], events: [], statuses: [] }),
    export: () => JSON.stringify(snapshot, null, 2),
    close() {
      stop();
      for (const end of [...watched]) end();
      clearTimeout(timer);
      listeners.clear();
    },
  };
}

/** The record of one exchange: its first state, and the observer that passes on the next ones. */
function exchangeOf({ conversationId, url, body, masked }: ObservedRequest, number: number, change: (next: InspectedRequest) => void) {
  const startedAt = Date.now();
  const begun = performance.now();
  const decoder = new TextDecoder();
  const first: InspectedRequest = {
    number,
    conversationId,
    url,
    body,
    status: null,
    answer: "",
    state: "waiting",
    startedAt,
    firstBytesAfter: null,
    duration: null,
  };
  let now = first;
  const next = (changed: Partial<InspectedRequest>) => change((now = { ...now, ...changed }));
  const elapsed = () => Math.round(performance.now() - begun);
  let answer = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** The whole answer, because a secret may come in pieces; not for each of them, because that takes longer and longer. */
  const shown = () => {
    clearTimeout(timer);
    timer = undefined;
    return { answer: masked(answer) };
  };
  const observed = {
    onResponse: (status: number) => next({ status, state: "answering" }),
    onBytes(bytes: Uint8Array) {
      answer += decoder.decode(bytes, { stream: true });
      if (now.firstBytesAfter === null) next({ firstBytesAfter: elapsed() });
      timer ??= setTimeout(() => next(shown()), pause);
    },
    onEnd: () => next({ ...shown(), state: now.status !== null && now.status < 400 ? "done" : "failed", duration: elapsed() }),
  };
  return { first, observed };
}

function statusOf(event: ConversationEvent | LiveEvent): ExecutionStatus | undefined {
  const isStatus = event.kind === "ConversationStateUpdateEvent" && event.key === "execution_status";
  return isStatus ? (event.value as ExecutionStatus) : undefined;
}
