// The writer, for the other handles of its conversation: carries out what they ask, and passes on live events. Loaded with the first
// of them.
import type { ConversationEvent, LiveEvent, MessageEvent } from "../../events/events.js";
import { newId } from "../../input/arguments.js";
import { ask, fromCore, ThreadkeepError } from "../../input/errors.js";
import type { Store } from "../../store/store.js";
import { aborted, type RunResult } from "../run.js";
import type { Acting, ActingSession, Listeners } from "../types.js";
import type { Verb, Verbs } from "../verbs.js";
import { type Elsewhere, type FromFollower, type FromWriter, type Shown, type Unsigned, channelOf } from "./channel.js";
import { type PageCall, pagesFor } from "./pages.js";

/** The session of the writer. */
export interface ServingSession extends ActingSession {
  readonly id: string;
  readonly store: Store;
  readonly core: Acting["core"];
  readonly listeners: Listeners;
  /** The run that is under way. */
  readonly underWay: Promise<RunResult> | undefined;
  /** Whether the last writer has died during a run, and none has begun since. */
  readonly wasCutOff: boolean;
  /** Whether a summary is being written. */
  readonly isCondensing: boolean;
  stored(id: string): Promise<ConversationEvent | undefined>;
}

/** A call of another handle. */
export interface Asked {
  client: string;
  number: number;
  settled: number;
  verb: Verb;
  args: readonly unknown[];
  /** Whether an earlier writer may have carried it out. */
  isAgain: boolean;
  signal: AbortSignal | undefined;
}

export interface Serving {
  /** Tells the others that something is stored. */
  committed(): void;
  /** Carries out a call, unless an earlier writer has done that. The calls of a handle have to come in their order. */
  carryOut(call: Asked): Promise<unknown>;
  /** Runs a tool in the page of a follower. */
  runInPage(call: PageCall): Promise<string>;
  /**
   * @param isClosing Whether it ends because its handle is closed, which also stops a run. Then it returns a promise if
   * others have been told that their runs are left, and resolves it when they may have heard of it.
   */
  end(isClosing: boolean): Promise<void> | undefined;
}

/** The answer to a call. */
type Answer = Extract<Unsigned<FromWriter, "by">, { result: number }>;

/** The live events that a follower cannot derive from what is stored. */
const passedOn: ReadonlySet<string> = new Set([
  "StreamingDeltaEvent",
  "WaitingEvent",
  "CondensingEvent",
  "ToolProgressEvent",
  "MCPServerEvent",
  "SubagentEvent",
] satisfies LiveEvent["kind"][]);

/** The least time between two messages with live events, in milliseconds: each costs all tabs a task. */
const between = 8;

/** Answers the other handles from now on. `verbs` are the methods that they may ask for, `since` the time since which it writes. */
export function serve(session: ServingSession, verbs: Verbs, since: number): Serving {
  const by = newId();
  const { core } = session;
  const channel = channelOf(session.store, session.id);
  const where: Elsewhere = "WorkerGlobalScope" in globalThis ? "worker" : "tab";
  /** The calls of each handle that it may ask for again, and the end of those whose place in the order is decided. */
  const clients = new Map<string, { calls: Map<number, Promise<Answer>>; placed: Promise<unknown> | undefined }>();
  const stops = new Map<string, AbortController>();
  /** The runs that others have asked for, and that go on without any approval. */
  const runs = new Set<{ to: string; left: number }>();
  /** After the end nothing is answered, not even what is refused because of it: the next writer is asked the same. */
  let isOver = false;
  const post = (message: Unsigned<FromWriter, "by">) => {
    if (!isOver) channel?.postMessage({ ...message, by });
  };
  const pages = where === "worker" ? pagesFor(post) : undefined;

  const shown = (): Shown => ({ limits: core.limits(), waiting: session.network.now, isCondensing: session.isCondensing });

  /**
   * Live events since the last message. They are sent in the next task, together, or a few milliseconds after the last ones. Timers are
   * late in a hidden tab, so the next event looks at the clock as well.
   */
  let live: LiveEvent[] = [];
  const soon = new MessageChannel();
  let isScheduled = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let flushed = 0;
  soon.port1.onmessage = () => {
    isScheduled = false;
    const rest = flushed + between - performance.now();
    if (rest > 0) timer ??= setTimeout(flush, rest);
    else flush();
  };
  (soon.port1 as { unref?(): void }).unref?.();
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (live.length === 0) return;
    flushed = performance.now();
    const events = live;
    live = [];
    post({ live: events, shown: shown() });
  };
  const listener = (event: ConversationEvent | LiveEvent) => {
    if ("id" in event || !passedOn.has(event.kind)) return;
    if (!extend(live.at(-1), event)) live.push({ ...event });
    if (isScheduled || (timer !== undefined && performance.now() < flushed + between)) return;
    isScheduled = true;
    soon.port2.postMessage(undefined);
  };
  session.listeners.add(listener);

  const clientOf = (name: string) => {
    const client = clients.get(name) ?? { calls: new Map<number, Promise<Answer>>(), placed: undefined };
    clients.set(name, client);
    return client;
  };

  const begin = ({ client, number, settled, verb, args, signal }: Asked): Promise<unknown> => {
    // The next writer is asked for it.
    if (isOver) return Promise.reject(new ThreadkeepError("locked_elsewhere", "another handle writes this conversation from now on"));
    const acting: Acting = { session, core: repeatable.has(verb) ? core : core.asked(client, number, settled) };
    const given = signal ? [...args.slice(0, -1), { ...(args.at(-1) as object), signal }] : args;
    const act = verbs[verb] as (on: Acting, ...args: readonly unknown[]) => Promise<unknown>;
    if (verb !== "executeTool") return act(acting, ...given);
    // The effects of a tool are outside, so nobody could tell afterwards whether it was called.
    return ask(acting.core, "beginAsked").then(() => act(acting, ...given));
  };

  /** The result of a call that an earlier writer has carried out. */
  const repeated = async ({ verb, signal }: Asked, event: string | null): Promise<unknown> => {
    if (verb === "run" || verb === "regenerate") {
      if (session.underWay) return stopping(session.underWay, signal);
      // A run would approve what waits for the user.
      const isWaiting = session.state().execution_status === "waiting_for_confirmation";
      return session.wasCutOff && !isWaiting ? verbs.run({ session, core }, { signal }) : session.result();
    }
    if (verb === "executeTool")
      throw new ThreadkeepError("aborted", "the tab that ran the tool has ended; nobody knows whether the call has taken effect");
    return event === null ? undefined : ((await session.stored(event)) as MessageEvent | undefined);
  };

  /** The result of a run that others have begun, which this signal stops as well. */
  const stopping = async (run: Promise<RunResult>, signal: AbortSignal | undefined): Promise<RunResult> => {
    const interrupt = () => void ask(core, "interrupt").catch(() => {});
    if (signal?.aborted) interrupt();
    signal?.addEventListener("abort", interrupt);
    try {
      const result = await run;
      if (signal?.aborted && result.status === "paused") throw aborted(signal);
      return result;
    } finally {
      signal?.removeEventListener("abort", interrupt);
    }
  };

  const carryOut = (call: Asked): Promise<unknown> => {
    const client = clientOf(call.client);
    const before = client.placed;
    if (!before && !call.isAgain) return begin(call);
    const found = (async () => {
      await before;
      return call.isAgain ? ask(core, "carriedOut", call.client, call.number) : undefined;
    })();
    const placed = found
      .then((event) => ({ result: event === undefined ? begin(call) : repeated(call, event) }))
      .catch((error: unknown) => ({ result: Promise.reject(error) }));
    placed.then(({ result }) => result.catch(() => {}));
    client.placed = placed;
    void placed.then(() => client.placed === placed && (client.placed = undefined));
    return placed.then(({ result }) => result);
  };

  const answer = async (to: string, result: number, value: Promise<unknown>): Promise<Answer> => {
    const message = await value.then(
      (value): Answer => ({ to, result, value }),
      (error: unknown): Answer => {
        const { code, message, retryable, status } = fromCore(error);
        return { to, result, error: { code, message, retryable, status } };
      },
    );
    flush();
    post(message);
    return message;
  };

  const hear = (message: FromFollower) => {
    const { from } = message;
    pages?.hear(message);
    if ("hello" in message) {
      flush();
      const answer = core.answer();
      post({ to: from, welcome: where, since, answer: answer && [answer.id, answer.content], shown: shown() });
    } else if ("abort" in message) {
      stops.get(`${from}/${message.abort}`)?.abort();
    } else if ("gone" in message) {
      clients.delete(from);
      ask(core, "forgetCommands", from).catch(() => {});
    } else if ("call" in message) {
      const { to, call: number, verb, settled, args, isAgain } = message;
      if (to !== by || !Object.hasOwn(verbs, verb)) return;
      const { calls } = clientOf(from);
      for (const other of calls.keys()) if (other <= settled) calls.delete(other);
      // It is carried out once. The page that asks again may have been away when the answer came.
      const before = calls.get(number);
      if (before) return void before.then(post);
      const stop = message.signal === "none" ? undefined : new AbortController();
      const key = `${from}/${number}`;
      if (stop) stops.set(key, stop);
      if (message.signal === "aborted") stop?.abort();
      const value = carryOut({ client: from, number, settled, verb, args, isAgain, signal: stop?.signal });
      const isRun = verb === "regenerate" || (verb === "run" && !(args[0] as { approve?: unknown } | undefined)?.approve);
      const run = { to: from, left: number };
      if (isRun) runs.add(run);
      const over = () => {
        stops.delete(key);
        runs.delete(run);
      };
      calls.set(number, answer(from, number, value).finally(over));
    }
  };
  channel?.addEventListener("message", ({ data }: MessageEventOf<FromWriter | FromFollower>) => {
    if ("from" in data) hear(data);
  });
  post({ here: where, since });
  // Rows that stay cost some bytes and nothing else.
  ask(core, "forgetCommands").catch(() => {});
  return {
    committed() {
      flush();
      post({ committed: true, shown: shown() });
    },
    carryOut,
    runInPage(call) {
      return pages!.run(call);
    },
    end(isClosing) {
      if (isOver) return undefined;
      const left = isClosing && session.underWay ? [...runs] : [];
      left.forEach(post);
      isOver = true;
      session.listeners.delete(listener);
      channel?.close();
      soon.port1.close();
      clearTimeout(timer);
      pages?.end();
      return left.length > 0 ? new Promise((resolve) => setTimeout(resolve)) : undefined;
    },
  };
}

type MessageEventOf<T> = globalThis.MessageEvent<T>;

/** Methods that have nothing to record: they change nothing that is stored, or asking again is what their caller wants. */
const repeatable: ReadonlySet<Verb> = new Set<Verb>(["askAgent", "changeTags", "generateTitle", "pendingActions", "queued", "retryNow"]);

/** Adds a piece of text to the piece before it. */
function extend(last: LiveEvent | undefined, next: LiveEvent): boolean {
  if (last?.kind !== "StreamingDeltaEvent" || next.kind !== "StreamingDeltaEvent" || last.message_id !== next.message_id) return false;
  const isText = (event: typeof next) =>
    event.content !== undefined && event.reasoning_content === undefined && event.tool_calls === undefined;
  if (!isText(last) || !isText(next)) return false;
  last.content! += next.content!;
  return true;
}
