// The connection of a page to a conversation on an agent server: a socket, requests for what it does not carry, and coming back. What
// the server tells is read and stored in the wasm.
import { CoreServerCopy, type CoreStore, type CoreTold } from "../../../pkg/threadkeep.js";
import type { ExecutionStatus, LiveEvent } from "../../events/events.js";
import { settle, ThreadkeepError } from "../../input/errors.js";
import type { AgentServerOptions } from "../../server/server.js";
import { expect, masked, serverError } from "../../server/answers.js";
import type { Requests } from "../../server/requests.js";

export interface LinkParts {
  store: CoreStore;
  id: string;
  server: AgentServerOptions;
  requests: Requests;
  /** The number of events that are taken in. */
  length(): number;
  emit(event: LiveEvent): void;
  /** Takes in what was stored. */
  refresh(): Promise<void>;
  /** It cannot be reached now, and why; or it can be (again). */
  waits(waiting: { error: ThreadkeepError; attempt: number; seconds: number } | null): void;
  /** It cannot be reached until the user changes something. */
  failed(error: ThreadkeepError): void;
}

/** The first version with the session socket that this library knows. */
const sessionSince = [1, 58] as const;

/** So many milliseconds lie between two looks without a socket. */
const pollInterval = 2_000;

/** The most looks after which a socket is tried again that the server, or something on the way to it, has refused. */
const mostLooks = 15;

/** So many milliseconds a new socket may say nothing: something on the way may swallow what opens it, and never answer. */
const silenceLasts = 10_000;

/** So many milliseconds an event may be missing between others. */
const gapLasts = 2_000;

/** The most texts of the server that are stored in one transaction. */
const mostAtOnce = 200;

/** Whether the server is one with a session socket. @throws ThreadkeepError */
export async function hasSession(requests: Requests): Promise<boolean> {
  const [major, minor] = await requests.version();
  return major > sessionSince[0] || (major === sessionSince[0] && minor >= sessionSince[1]);
}

/** Whether the server has the conversation. @throws ThreadkeepError */
export async function isKnown(requests: Requests, id: string): Promise<boolean> {
  // Not by its own address, because browsers log a 404.
  return requests.ask("GET", `/api/conversations?ids=${id}`, {}, (found: unknown) => {
    expect(Array.isArray(found));
    return Boolean(found[0]);
  });
}

/** The address of the next events, from the last one that is there; without one from the first. */
export const pageFrom = (id: string, last: string): string =>
  `/${id}/events/search?limit=100${last && `&page_id=${encodeURIComponent(last)}`}`;

export class Link {
  readonly #parts: LinkParts;
  readonly #copy: CoreServerCopy;
  readonly #end = new AbortController();
  #queue: CoreTold[] = [];
  #taking: Promise<void> | undefined;
  #asking: Promise<void> | undefined;
  #isBehind = false;
  /** The requests for events that are under way. */
  #requested = 0;
  #socket: WebSocket | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #gap: ReturnType<typeof setTimeout> | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  /** Stands for the latest connection. Of an earlier one, nothing that is still under way counts. */
  #turn = {};
  /** So often was a socket refused in a row. */
  #refusals = 0;
  /** Attempts since the server was last reached. */
  #attempts = 0;
  #isReached = true;
  #hasFailed = false;
  #hasSession = false;
  /** Whether the whole state came, of which the watchers have not heard. */
  #hasSnapshot = false;
  /** Called after everything that was told has been taken in; whether the whole state was in it. */
  readonly #watchers = new Set<(isSnapshot: boolean) => void>();

  static async open(parts: LinkParts): Promise<Link> {
    const { store, id, server } = parts;
    const copy = await settle(CoreServerCopy.of(store, id, server.host));
    await settle(copy.open());
    return new Link(parts, copy);
  }

  private constructor(parts: LinkParts, copy: CoreServerCopy) {
    this.#parts = parts;
    this.#copy = copy;
  }

  /** Whether the server has answered last, or has not been asked. Otherwise it is left alone until the next attempt. */
  get isReached(): boolean {
    return this.#isReached;
  }

  /** Whether it has ended because no attempt can succeed. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Whether the server tells by itself what happens. */
  get isLive(): boolean {
    return this.#socket?.readyState === 1;
  }

  /** Whether the server answers a message that comes while the agent works. Older ones never do. */
  get readsInRuns(): boolean {
    return this.#hasSession;
  }

  /** Calls `watcher` after each change, until the returned function is called. */
  watch(watcher: (isSnapshot: boolean) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Aborted when the connection has ended for good. */
  get end(): AbortSignal {
    return this.#end.signal;
  }

  /** Calls a method of the copy that changes it, and takes in what has changed. @throws ThreadkeepError */
  async change<T>(method: (copy: CoreServerCopy) => Promise<T>): Promise<T> {
    const value = await settle(method(this.#copy));
    // The change is stored, also if the handle was closed meanwhile.
    if (this.#end.signal.aborted) return value;
    await this.#parts.refresh().catch((error) => {
      if (!this.#end.signal.aborted) throw error;
    });
    for (const watcher of this.#watchers) watcher(false);
    return value;
  }

  /** The event of a message that was kept under this id, once it is in the log. @throws ThreadkeepError */
  async sent(id: string): Promise<string | undefined> {
    return settle(this.#copy.sent(id));
  }

  /**
   * A function of the status that the server describes and those that its log has told, which resolves to the status at the end of a run
   * once that is over: see `src/server/run_end.rs`. @throws ThreadkeepError
   */
  async awaitRun(
    mayBeOver: boolean,
  ): Promise<(described: ExecutionStatus, told: readonly unknown[]) => Promise<ExecutionStatus | undefined>> {
    const run = await settle(this.#copy.awaitRun(mayBeOver, performance.now()));
    return (described, told) => settle(this.#copy.lookAtRun(run, performance.now(), described, told));
  }

  /** The milliseconds before the next attempt, after so many in a row. */
  async wait(attempts: number): Promise<number> {
    return settle(this.#copy.afterClose(1006, "", attempts, Math.random()));
  }

  /** Whether the server has the conversation. @throws ThreadkeepError */
  async isKnown(): Promise<boolean> {
    return isKnown(this.#parts.requests, this.#parts.id);
  }

  /** Asks for the state of the conversation and for the events that are new. @throws ThreadkeepError */
  async look(): Promise<void> {
    const description = await this.#describe();
    await this.#ask([description]);
  }

  async #describe(): Promise<CoreTold> {
    const { id, requests, length } = this.#parts;
    const known = length();
    return { kind: "info", text: await requests.send("GET", `/${id}`), length: known };
  }

  /** Asks for the events that are new. @throws ThreadkeepError */
  ask(): Promise<void> {
    this.#isBehind = true;
    return (this.#asking ??= this.#ask([]).finally(() => (this.#asking = undefined)));
  }

  /** `told` is stored together with the first events, which it is about. */
  async #ask(told: CoreTold[]): Promise<void> {
    const { requests, id } = this.#parts;
    do {
      this.#isBehind = false;
      this.#requested++;
      let page: CoreTold;
      try {
        const from = (await settle(this.#copy.last())) ?? "";
        page = { kind: "page", text: await requests.send("GET", pageFrom(id, from)), from };
      } catch (error) {
        this.#isBehind = true;
        throw error;
      } finally {
        this.#requested--;
      }
      await this.take([...told.splice(0), page]);
    } while (this.#isBehind && !this.#end.signal.aborted);
  }

  /** Stores what the server has told; `isAhead` if it may be newer than the events that are there. @throws ThreadkeepError */
  async take(told: CoreTold[], isAhead = false): Promise<void> {
    const taken = await settle(this.#copy.take(told)).catch((error) => {
      throw masked(this.#parts.server, error);
    });
    // Pieces come before the event that has all of them.
    for (const json of taken.live) this.#parts.emit(JSON.parse(json));
    await this.#parts.refresh();
    this.#isBehind ||= taken.isBehind;
    this.#heedGap(taken.hasGap);
    // Without numbers, the events in front of a state may still have to be asked for.
    const isBehind = (this.#isBehind || this.#requested > 0) && !this.#hasSession;
    this.#hasSnapshot ||= taken.isSnapshot && !isAhead;
    // Another one follows, which has the costs and tokens of the end.
    if (taken.isOutdated) this.#hasSnapshot = false;
    const isSnapshot = this.#hasSnapshot && !isBehind;
    if (isSnapshot) this.#hasSnapshot = false;
    for (const watcher of this.#watchers) watcher(isSnapshot);
  }

  /** Connects, and comes back whenever the connection is lost. */
  async connect(): Promise<void> {
    const { signal } = this.#end;
    const turn = (this.#turn = {});
    clearTimeout(this.#timer);
    this.#close();
    if (signal.aborted) return;
    try {
      // Another version may run there meanwhile, or none.
      await this.#parts.requests.greet();
      this.#hasSession = await hasSession(this.#parts.requests);
      if (typeof WebSocket === "function") await this.#openSocket(turn);
      else await this.#poll(turn, Infinity);
    } catch (error) {
      await this.#lost(turn, 1006, "", error);
    }
  }

  /** Asks so many times, and then connects. */
  async #poll(turn: object, times: number): Promise<void> {
    try {
      await this.look();
    } catch (error) {
      return this.#lost(turn, 1006, "", error);
    }
    if (this.#turn !== turn) return;
    this.#reached();
    this.#later(pollInterval, () => void (times > 1 ? this.#poll(turn, times - 1) : this.connect()));
  }

  async #openSocket(turn: object): Promise<void> {
    const { server, id } = this.#parts;
    const { signal } = this.#end;
    await settle(this.#copy.reconnect());
    // The session socket tells of the state only when somebody listens; the description is also the answer for a lost conversation.
    // The whole state comes again, behind the events.
    this.#hasSnapshot = false;
    await this.take([await this.#describe()], true);
    const path = this.#hasSession ? `session/${id}?after_seq=${await settle(this.#copy.cursor())}` : `events/${id}`;
    if (signal.aborted || this.#turn !== turn) return;
    const socket = new WebSocket(`${server.host.replace(/^http/, "ws")}/sockets/${path}`);
    this.#socket = socket;
    const { apiKey } = server;
    const kind = this.#hasSession ? "session" : "event";
    let isFirst = true;
    // A server that takes no more sockets still answers, and so does one behind a proxy that takes none.
    const refused = () => {
      this.#close();
      void this.#poll(turn, Math.min(2 ** this.#refusals++, mostLooks));
    };
    this.#silence = setTimeout(refused, silenceLasts);
    socket.onopen = () => apiKey !== undefined && socket.send(JSON.stringify({ type: "auth", session_api_key: apiKey }));
    socket.onmessage = ({ data }) => {
      if (isFirst) {
        clearTimeout(this.#silence);
        this.#isBehind ||= !this.#hasSession;
        this.#reached();
        this.#refusals = 0;
        isFirst = false;
      }
      this.#queue.push({ kind, text: String(data) });
      this.#taking ??= this.#takeAll().finally(() => (this.#taking = undefined));
    };
    socket.onclose = ({ code, reason }) => {
      if (this.#socket !== socket) return;
      if (code < 4000 && (isFirst || code === 1013)) refused();
      else void this.#lost(turn, code, reason);
    };
  }

  /** Stores what has come, as much as possible at once. */
  async #takeAll(): Promise<void> {
    try {
      while (this.#queue.length > 0 && !this.#end.signal.aborted) {
        await this.take(this.#queue.splice(0, this.#atOnce()));
        // Pieces of an answer are shown meanwhile.
        if (this.#isBehind && !this.#hasSession) this.#askFor(this.#turn);
      }
    } catch (error) {
      this.#queue = [];
      await this.#lost(this.#turn, 1006, "", error);
    }
  }

  #askFor(turn: object): void {
    this.ask().catch((error) => this.#lost(turn, 1006, "", error));
  }

  /** How many of the texts go into one transaction: a piece of the next answer is shown after the event before it. */
  #atOnce(): number {
    const isPiece = ({ text }: CoreTold) => text.startsWith('{"type":"delta"');
    const first = isPiece(this.#queue[0]!);
    const end = this.#queue.findIndex((told) => isPiece(told) !== first);
    return Math.min(end < 0 ? this.#queue.length : end, mostAtOnce);
  }

  #heedGap(hasGap: boolean): void {
    if (!hasGap) {
      clearTimeout(this.#gap);
      this.#gap = undefined;
    } else this.#gap ??= setTimeout(() => void this.connect(), gapLasts);
  }

  #reached(): void {
    this.#isReached = true;
    this.#attempts = 0;
    this.#parts.waits(null);
  }

  /** The connection is lost: waits, or gives up. */
  async #lost(turn: object, code: number, reason: string, cause?: unknown): Promise<void> {
    if (this.#turn !== turn || this.#end.signal.aborted) return;
    const waiting = (this.#turn = {});
    this.#isReached = false;
    this.#close();
    const error = cause instanceof ThreadkeepError ? cause : undefined;
    try {
      // A refusal is final, whatever the socket says; everything else may be over soon.
      if (error && error.code !== "network" && !/^store_(?!lost)/.test(error.code)) throw error;
      const wait = await settle(this.#copy.afterClose(code, reason, this.#attempts++, Math.random()));
      if (this.#turn !== waiting) return;
      const closed = `the connection to the agent server was closed (${reason || code})`;
      const why = error ?? serverError(this.#parts.server, "network", closed);
      this.#parts.waits({ error: why, attempt: this.#attempts, seconds: wait / 1000 });
      this.#later(wait, () => void this.connect());
    } catch (final) {
      this.#hasFailed = true;
      this.stop(final as ThreadkeepError);
      this.#parts.failed(final as ThreadkeepError);
    }
  }

  #later(milliseconds: number, next: () => void): void {
    clearTimeout(this.#timer);
    if (!this.#end.signal.aborted) this.#timer = setTimeout(next, milliseconds);
  }

  #close(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    clearTimeout(this.#gap);
    this.#gap = undefined;
    clearTimeout(this.#silence);
    socket?.close();
  }

  stop(reason: ThreadkeepError): void {
    this.#end.abort(reason);
    clearTimeout(this.#timer);
    this.#close();
  }
}
