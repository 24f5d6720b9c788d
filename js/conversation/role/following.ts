// A follower: a handle that shows what another handle writes, usually in another tab, and passes on what is asked of it. Loaded with
// the first follower.
import type { CoreConversation } from "../../../pkg/threadkeep.js";
import type { ConversationEvent, LiveEvent } from "../../events/events.js";
import { newId } from "../../input/arguments.js";
import { ask, textOf, ThreadkeepError } from "../../input/errors.js";
import type { join, lockOfWriter } from "../../store/changes.js";
import type { Store } from "../../store/store.js";
import type { ToolCalls } from "../../tool/calls.js";
import type { LazyHome } from "../../workspace/workspace.js";
import type { Place } from "../home/page.js";
import type { AskOptions, Listeners } from "../types.js";
import type { Verb } from "../verbs.js";
import type { Serving } from "./serving.js";
import { type Elsewhere, type FromFollower, type FromWriter, type Shown, type Unsigned, channelOf } from "./channel.js";
import { ownTools } from "./own-tools.js";

/** A follower, and functions of the core, whose first download would otherwise have one more file. */
interface Follower {
  store: Store;
  id: string;
  core: CoreConversation;
  home: LazyHome;
  tools: ToolCalls;
  /** The worker that it was opened in. */
  place: Place | undefined;
  emit(event: LiveEvent): void;
  readonly listeners: Listeners;
  join: typeof join;
  /** `undefined` where only messages tell of the writer's end. */
  lock: ReturnType<typeof lockOfWriter>;
  /** The writer has ended. Resolves to whether there is another one, of whose end this has to hear as well. */
  becameFree(): Promise<boolean>;
  /** Somebody writes. */
  isWritten(): void;
  /** The conversation is no longer stored. */
  deleted(): void;
}

/** A call that has no answer yet. */
export interface OpenCall {
  readonly number: number;
  verb: Verb;
  /** Without the signal of the last one. */
  args: readonly unknown[];
  readonly signal: AbortSignal | undefined;
  /** Whether a writer may have got it. */
  isSent: boolean;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export interface Following {
  /** Where the writer runs. */
  readonly home: Elsewhere;
  /** As the writer has told last. */
  readonly shown: Shown | undefined;
  /** Says that it is there: the answer has what was shown so far of an answer, and is for listeners that have to be there before. */
  greet(): void;
  /** The time since which the writer writes. @throws ThreadkeepError `unsupported` if nobody here can take its place */
  readonly since: number;
  /** Whether it has ended. */
  readonly isOver: boolean;
  /** Asks the writer. */
  ask(verb: Verb, args: readonly unknown[]): Promise<unknown>;
  /** Its handle writes from now on: ends it, and has the calls without an answer carried out here. */
  handOver(serve: () => Promise<Serving> | Serving): Promise<void>;
  /** Ends it; the calls without an answer are left to the caller. Later ones are rejected for this reason. */
  leave(reason?: unknown): OpenCall[];
}

const mostRemembered = 100;

/**
 * So many milliseconds after its writer was closed a conversation is left alone: whoever has closed it may be about to open it
 * again, or to delete it, which another writer would prevent.
 */
const grace = 250;

/**
 * So many times so many milliseconds a writer of the same page has to answer a greeting. One long time would pass while the page is
 * busy, and be over before its answer is read.
 */
const answersWithin = { turns: 10, milliseconds: 100 };

/** Whether the arguments are for this handle only: keys, and functions of the page. The writer looks the name of a model up. */
const isOwn = (verb: Verb, args: readonly unknown[]): boolean => {
  const asks = verb === "askAgent" || verb === "generateTitle";
  const llm = verb === "switchLLM" ? args[0] : asks ? (args.at(-1) as AskOptions | undefined)?.llm : undefined;
  return verb === "updateSecrets" || (llm !== undefined && typeof llm !== "string");
};

/**
 * Follows from now on. Resolves once everything is taken in that is stored by then.
 * @throws ThreadkeepError `store_lost`, those of the store, and `network` if a part of the library does not load
 */
export async function follow({
  store,
  id,
  core,
  home,
  place,
  tools,
  emit,
  listeners,
  join,
  lock,
  becameFree,
  isWritten,
  deleted,
}: Follower): Promise<Following> {
  const client = newId();
  const channel = channelOf(store, id);
  const open = new Map<number, OpenCall>();
  const end = new AbortController();
  const { signal } = end;
  let isStale = false;
  let reading: Promise<void> | undefined;
  /** The writer that answers. */
  let writer: string | undefined;
  /** The writer that has answered a greeting last. */
  let known: string | undefined;
  let where: Elsewhere = place ? "worker" : "tab";
  /** The time since which it writes: one that has written before was replaced, and may have been frozen until now. */
  let since = 0;
  let shown: Shown | undefined;
  let isFree = false;
  /** Whether the writer has said that it is closed. */
  let hasClosed = false;
  /** Whether a writer may answer a greeting. The answer of one that has ended may still come. */
  let hasGreeted = false;
  let last = 0;

  /**
   * While the browser has frozen this page. Messages still arrive then, but no answers of the database, which would keep a transaction
   * open, and so keep the writer from storing anything.
   */
  let asleep: Promise<unknown> | undefined;
  globalThis.document?.addEventListener(
    "freeze",
    () => {
      const awake = new Promise((resolve) => document.addEventListener("resume", resolve, { once: true }));
      asleep = awake.then(() => {
        asleep = undefined;
        awaitEnd();
      });
      // It would get the lock, and never let go.
      waiting?.abort();
    },
    { signal },
  );

  /** Reads until there is nothing new; a message that arrives meanwhile may be about something that was not read. */
  const read = async () => {
    while (isStale && !signal.aborted) {
      isStale = false;
      await ask(core, "catchUp");
      home.changed();
    }
  };
  const refresh = (): Promise<void> => {
    isStale = true;
    return (reading ??= (asleep ? asleep.then(read) : read()).finally(() => (reading = undefined)));
  };
  const fail = (error: unknown) => {
    // After other errors, such as a database that is blocked for a moment, the next message leads to another attempt.
    if ((error as { code?: unknown }).code !== "store_lost" || signal.aborted) return;
    for (const call of leave(error)) call.reject(error);
    deleted();
  };

  /** The last events that were taken in: reading may be ahead of the writer's messages, and pieces of a stored answer are late. */
  const stored: string[] = [];
  const remember = (event: ConversationEvent | LiveEvent) => {
    if ("id" in event && stored.push(event.id) > mostRemembered) stored.shift();
  };
  const isLate = (event: LiveEvent) => event.kind === "StreamingDeltaEvent" && stored.includes(event.message_id);

  /** In Node a call keeps the process alive, as a request does; following does not. */
  const keepAlive = () => (channel as { ref?(): void; unref?(): void } | undefined)?.[open.size > 0 ? "ref" : "unref"]?.();

  const settled = () => (open.size > 0 ? Math.min(...open.keys()) - 1 : last);
  const post = (message: Unsigned<FromFollower, "from">) => channel?.postMessage({ ...message, from: client });
  const own = ownTools(client, core, tools, post, signal);
  const hello = () => {
    hasGreeted = true;
    post({ hello: true });
  };
  /** Sends a call to the writer that answers. */
  const send = (call: OpenCall, to: string) => {
    const { number, verb, args, isSent } = call;
    const state = call.signal === undefined ? "none" : call.signal.aborted ? "aborted" : "open";
    post({ to, call: number, verb, args: [...args], isAgain: isSent, settled: settled(), signal: state });
    call.isSent = true;
  };
  const noWriter = () =>
    new ThreadkeepError(
      "locked_elsewhere",
      "the tab that wrote this conversation has ended, and this handle does not take its place by itself; call takeOver()",
    );

  const refuse = () => {
    isFree = true;
    for (const call of open.values()) call.reject(noWriter());
    open.clear();
    keepAlive();
  };

  const hear = async (message: FromWriter): Promise<void> => {
    if ("here" in message) {
      if (message.by !== writer && message.since >= since) hello();
    } else if ("welcome" in message) {
      if (message.to !== client || message.by === writer || message.since < since || !hasGreeted) return;
      const isKnown = message.by === known;
      writer = known = message.by;
      since = message.since;
      const wasCondensing = shown?.isCondensing ?? false;
      shown = message.shown;
      isFree = false;
      isWritten();
      if (where !== message.welcome) {
        where = message.welcome;
        emit({ kind: "ConversationStateUpdateEvent", key: "home", value: where });
      }
      const [message_id, content] = message.answer ?? [];
      if (message_id !== undefined && !stored.includes(message_id)) {
        // Of the answer of a known writer some pieces were shown, and others were lost: it begins anew.
        if (isKnown) emit({ kind: "StreamingDeltaEvent", message_id });
        emit({ kind: "StreamingDeltaEvent", message_id, content: content! });
      }
      const { isCondensing = false } = shown;
      if (isCondensing !== wasCondensing) emit({ kind: "CondensingEvent", is_over: wasCondensing });
      if (where === "worker") own.offer();
      for (const call of [...open.values()].sort((one, other) => one.number - other.number)) send(call, writer);
      // Everything that the last writer has stored is shown before an answer that looks it up.
      await refresh().catch(fail);
    } else if (message.by === writer) {
      if ("shown" in message) shown = message.shown;
      if ("live" in message) message.live.filter((event) => !isLate(event)).forEach(emit);
      else if ("committed" in message) await refresh().catch(fail);
      else if (message.to !== client) return;
      else if ("perform" in message || "stop" in message) own.hear(message);
      else if ("left" in message) leftOver(message.left);
      else answered(message);
    }
  };
  /** The writer is about to end, and stops a run for that: the next one goes on with it. */
  const leftOver = (number: number) => {
    const call = open.get(number);
    if (call) Object.assign(call, { verb: "run", args: [{}], isSent: false } satisfies Partial<OpenCall>);
  };
  const answered = (message: Extract<FromWriter, { result: number }>) => {
    const call = open.get(message.result);
    if (!open.delete(message.result) || !call) return;
    keepAlive();
    if (!("error" in message)) return call.resolve(message.value);
    const { code, message: text, status, retryable } = message.error;
    const options = { retryable, ...(status !== undefined && { status }), ...(call.signal?.aborted && { cause: call.signal.reason }) };
    call.reject(new ThreadkeepError(code, text, options));
  };
  // One after the other, so that listeners get everything in the writer's order.
  const heard: FromWriter[] = [];
  let hearing = false;
  const hearAll = async () => {
    if (hearing) return;
    hearing = true;
    for (let message = heard.shift(); message && !signal.aborted; message = heard.shift()) {
      // The next message reads the same.
      if ("committed" in message && heard[0] && "committed" in heard[0] && heard[0].by === message.by) continue;
      await hear(message);
    }
    hearing = false;
  };
  channel?.addEventListener("message", ({ data }: MessageEvent<FromWriter | FromFollower>) => {
    if (!("by" in data)) return;
    heard.push(data);
    void hearAll();
  });

  let waiting: AbortController | undefined;
  /** Hears of the end of the writer. The lock is shared and released at once, so that all followers get it. */
  const awaitEnd = () => {
    if (!lock || waiting || asleep || signal.aborted) return;
    const attempt = (waiting = new AbortController());
    const over = () => void (waiting === attempt && (waiting = undefined));
    lock.locks.request(lock.name, { mode: "shared", signal: attempt.signal }, over).then(ended, over);
  };
  const ended = async () => {
    if (signal.aborted) return;
    if (hasClosed) await new Promise((resolve) => setTimeout(resolve, grace));
    hasClosed = false;
    writer = undefined;
    since = 0;
    hasGreeted = false;
    own.stop();
    await refresh().catch(fail);
    if (signal.aborted || !(await becameFree())) {
      refuse();
    } else if (!signal.aborted) awaitEnd();
  };
  const member = join(store, (change) => {
    if (change.id !== id || change.word === "asking") return;
    if (change.isOver) {
      hasClosed = true;
      if (!lock) void ended();
      return;
    }
    isFree = false;
    isWritten();
    // The writer that answers tells of its commits over the channel, in order with its live events.
    if (writer === undefined) {
      refresh().catch(fail);
      if (channel) member.tell({ id, isListed: false, word: "asking" });
    }
    awaitEnd();
  });

  const greet = () => {
    hello();
    member.tell({ id, isListed: false, word: "asking" });
  };
  // WebKit keeps a page that is left, and shows it again, but not its messages: what was stored meanwhile is read, and what has no answer
  // is asked again.
  const shownAgain = ({ persisted }: PageTransitionEvent) => {
    if (!persisted || !channel) return;
    writer = undefined;
    greet();
    // With its locks, a page that is left loses what it waits for, and may not hear of that.
    waiting?.abort();
    waiting = undefined;
    awaitEnd();
  };
  globalThis.document && addEventListener("pageshow", shownAgain, { signal });

  const leave = (reason?: unknown): OpenCall[] => {
    if (signal.aborted) return [];
    end.abort(reason);
    waiting?.abort();
    listeners.delete(remember);
    member.leave();
    post({ gone: true });
    channel?.close();
    const left = [...open.values()];
    open.clear();
    return left;
  };
  listeners.add(remember);
  try {
    await refresh();
  } catch (error) {
    leave();
    throw error;
  }
  awaitEnd();
  return {
    greet() {
      if (!channel || signal.aborted) return;
      greet();
      // A store without a name is known in this page only, where a writer answers at once. Otherwise the one that has taken the
      // place of this handle has the conversation through another store, and cannot be asked.
      if (store.name !== undefined) return;
      let turns = 0;
      const look = () => {
        if (writer !== undefined || signal.aborted) return;
        if (turns++ === answersWithin.turns) refuse();
        else setTimeout(look, answersWithin.milliseconds);
      };
      look();
    },
    get home() {
      return where;
    },
    get shown() {
      return shown;
    },
    get since() {
      return since;
    },
    get isOver() {
      return signal.aborted;
    },
    ask(verb, given) {
      if (signal.aborted) return Promise.reject(signal.reason);
      if (isOwn(verb, given) && place && where === "worker")
        return place.pass(verb, given).then(async (value) => {
          // As after other calls, what has changed is shown.
          await refresh().catch(fail);
          return value;
        });
      if (isOwn(verb, given))
        return Promise.reject(unsupported(`${verb}() works in the tab that writes this conversation: call takeOver() first`));
      if (!channel)
        return Promise.reject(unsupported("this browser has no BroadcastChannel, so only the tab that writes this conversation can act"));
      if (isFree) return Promise.reject(noWriter());
      return new Promise((resolve, reject) => {
        const { args: kept, signal: stop } = withoutSignal(given.map(withNames));
        const args = copyOf(verb, kept);
        const number = ++last;
        const call: OpenCall = { number, verb, args, signal: stop, isSent: false, resolve, reject };
        open.set(number, call);
        keepAlive();
        const abort = () => {
          if (call.isSent && open.has(number)) post({ abort: number });
          else if (open.delete(number))
            reject(new ThreadkeepError("aborted", `${verb}() was stopped by its signal`, { cause: stop!.reason }));
        };
        stop?.addEventListener("abort", abort, { signal });
        if (writer !== undefined) send(call, writer);
      });
    },
    async handOver(serve) {
      // The limits that were set there hold here as well.
      if (shown && shown.limits !== core.limits()) await ask(core, "setLimits", JSON.parse(shown.limits)).catch(() => {});
      const serving = await serve();
      const done = settled();
      // From here on nothing is awaited, so that no call of the host can overtake those that wait, and none of these is also asked of
      // `serving` as of any other writer.
      const calls = leave().sort((one, other) => one.number - other.number);
      for (const { number, verb, args, signal: stop, isSent, resolve, reject } of calls)
        serving.carryOut({ client, number, settled: done, verb, args, isAgain: isSent, signal: stop }).then(resolve, reject);
    },
    leave,
  };
}

const unsupported = (message: string) => new ThreadkeepError("unsupported", message);

/** Node makes a Blob without a name of a File that is sent, so that of a message's file goes beside it. */
function withNames(given: unknown): unknown {
  if (!Array.isArray(given)) return given;
  return given.map((part) => (part?.type === "file" && part.file?.name ? { ...part, name: part.name ?? part.file.name } : part));
}

/** The arguments as they are, however late they are sent. @throws ThreadkeepError `unsupported` for those that cannot be sent */
function copyOf(verb: Verb, args: unknown[]): unknown[] {
  try {
    return structuredClone(args);
  } catch (error) {
    throw unsupported(`${verb}() cannot be passed on to the tab that writes this conversation: ${textOf(error)}`);
  }
}

/** The arguments, with the signal of the last one apart. */
function withoutSignal(given: readonly unknown[]): { args: unknown[]; signal: AbortSignal | undefined } {
  const options = given.at(-1) as { signal?: unknown } | null | undefined;
  if (typeof options !== "object" || !(options?.signal instanceof AbortSignal)) return { args: [...given], signal: undefined };
  const { signal, ...others } = options;
  return { args: [...given.slice(0, -1), others], signal: signal as AbortSignal };
}
