// The connection of a page to a conversation on an agent server: a socket, requests for what it does not carry, and coming back. What
// the server tells is read and stored in the wasm.
import { CoreServerCopy, type CoreStore } from "../../../pkg/threadkeep.js";
import type { LiveEvent } from "../../events/events.js";
import { settle, ThreadkeepError } from "../../input/errors.js";
import type { AgentServerOptions } from "../server.js";
import type { Requests } from "./requests.js";

/** As `src/server/copy.rs` has it. */
interface Taken {
  live: string[];
  isBehind: boolean;
  hasGap: boolean;
  isSnapshot: boolean;
  failure: string | undefined;
}

/** A text of the server: its kind, and of a page the event from which it was asked for, of a description the length of the log then. */
type Told = ["session" | "event" | "page" | "info", text: string, from: string];

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
  /** It cannot be reached now, and why; or it can be again. */
  waits(waiting: { error: ThreadkeepError; attempt: number; seconds: number } | null): void;
  /** It cannot be reached until the user changes something. */
  failed(error: ThreadkeepError): void;
}

/** The first version with the session socket that this library knows. */
const sessionSince = [1, 58] as const;

/** So many milliseconds lie between two looks without a socket. */
const pollInterval = 2_000;

/** So many milliseconds an event may be missing between others. */
const gapLasts = 2_000;

/** The most texts of the server that are stored in one transaction. */
const mostAtOnce = 200;

export class Link {
  readonly #parts: LinkParts;
  readonly #copy: CoreServerCopy;
  readonly #end = new AbortController();
  #queue: Told[] = [];
  #taking: Promise<void> | undefined;
  #asking: Promise<void> | undefined;
  #isBehind = false;
  #socket: WebSocket | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #gap: ReturnType<typeof setTimeout> | undefined;
  /** Attempts since the server was last reached. */
  #attempts = 0;
  #hasSession = false;
  /** Whether the whole state came, of which the watchers have not heard. */
  #hasSnapshot = false;
  /** Called after everything that was told has been taken in; whether the whole state was in it. */
  readonly #watchers = new Set<(isSnapshot: boolean) => void>();

  static async open(parts: LinkParts): Promise<Link> {
    const { store, id, server } = parts;
    return new Link(parts, await settle(CoreServerCopy.open(store, id, server.host)));
  }

  private constructor(parts: LinkParts, copy: CoreServerCopy) {
    this.#parts = parts;
    this.#copy = copy;
  }

  /** Whether the server tells by itself what happens. */
  get isLive(): boolean {
    return this.#socket?.readyState === 1;
  }

  /** Calls `watcher` after each change, until the returned function is called. */
  watch(watcher: (isSnapshot: boolean) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** The event of a message that was sent when the log had this length, if it is there. */
  async sent(start: number, content: string): Promise<string | undefined> {
    return settle(this.#copy.call("sent", [start, content]));
  }

  /** Whether the server has the conversation. @throws ThreadkeepError */
  async isKnown(): Promise<boolean> {
    const { id, requests } = this.#parts;
    // Not by its own address, because browsers log a 404.
    const [found] = JSON.parse(await requests.send("GET", `?ids=${id}`));
    return Boolean(found);
  }

  /** Asks for the state of the conversation and for the events that are new. @throws ThreadkeepError */
  async look(): Promise<void> {
    const description = await this.#describe();
    await this.#ask([description]);
  }

  async #describe(): Promise<Told> {
    const { id, requests, length } = this.#parts;
    const from = String(length());
    return ["info", await requests.send("GET", `/${id}`), from];
  }

  /** Asks for the events that are new. @throws ThreadkeepError */
  ask(): Promise<void> {
    this.#isBehind = true;
    return (this.#asking ??= this.#ask([]).finally(() => (this.#asking = undefined)));
  }

  /** `told` is stored together with the first events, which it is about. */
  async #ask(told: Told[]): Promise<void> {
    const { requests, id } = this.#parts;
    do {
      this.#isBehind = false;
      const from: string = (await settle(this.#copy.call("last", []))) ?? "";
      const query = from && `&page_id=${encodeURIComponent(from)}`;
      const text = await requests.send("GET", `/${id}/events/search?limit=100${query}`);
      await this.take([...told.splice(0), ["page", text, from]]);
    } while (this.#isBehind && !this.#end.signal.aborted);
  }

  /** Stores what the server has told. @throws ThreadkeepError */
  async take(told: Told[]): Promise<void> {
    const taken: Taken = await settle(this.#copy.call("take", told.flat()));
    // Pieces come before the event that has all of them.
    for (const json of taken.live) this.#parts.emit(JSON.parse(json));
    await this.#parts.refresh();
    this.#isBehind ||= taken.isBehind;
    this.#heedGap(taken.hasGap);
    // Without numbers, the events in front of a state may still have to be asked for.
    const isBehind = this.#isBehind && !this.#hasSession;
    this.#hasSnapshot ||= taken.isSnapshot;
    const isSnapshot = this.#hasSnapshot && !isBehind;
    if (isSnapshot) this.#hasSnapshot = false;
    for (const watcher of this.#watchers) watcher(isSnapshot);
  }

  /** Connects, and comes back whenever the connection is lost. */
  async connect(): Promise<void> {
    const { signal } = this.#end;
    clearTimeout(this.#timer);
    this.#close();
    if (signal.aborted) return;
    try {
      const { requests } = this.#parts;
      const [major, minor] = await requests.version();
      this.#hasSession = major > sessionSince[0] || (major === sessionSince[0] && minor >= sessionSince[1]);
      if (typeof WebSocket === "function") return await this.#openSocket();
      await this.look();
      this.#reached();
      this.#later(pollInterval);
    } catch (error) {
      await this.#lost(1006, "", error);
    }
  }

  async #openSocket(): Promise<void> {
    const { server, id } = this.#parts;
    const { signal } = this.#end;
    await settle(this.#copy.call("reconnect", []));
    // The session socket tells of the state only when somebody listens; the description is also the answer for a lost conversation.
    await this.take([await this.#describe()]);
    // It may be newer than the events that are there.
    this.#hasSnapshot = false;
    const path = this.#hasSession ? `session/${id}?after_seq=${await settle(this.#copy.call("cursor", []))}` : `events/${id}`;
    if (signal.aborted) return;
    const socket = new WebSocket(`${server.host.replace(/^http/, "ws")}/sockets/${path}`);
    this.#socket = socket;
    const { apiKey } = server;
    const kind = this.#hasSession ? "session" : "event";
    let isFirst = true;
    socket.onopen = () => apiKey !== undefined && socket.send(JSON.stringify({ type: "auth", session_api_key: apiKey }));
    socket.onmessage = ({ data }) => {
      if (isFirst && !this.#hasSession) this.#isBehind = true;
      if (isFirst) this.#reached();
      isFirst = false;
      this.#queue.push([kind, String(data), ""]);
      this.#taking ??= this.#takeAll().finally(() => (this.#taking = undefined));
    };
    socket.onclose = ({ code, reason }) => {
      if (this.#socket === socket) void this.#lost(code, reason);
    };
  }

  /** Stores what has come, as much as possible at once. */
  async #takeAll(): Promise<void> {
    try {
      while (this.#queue.length > 0 && !this.#end.signal.aborted) {
        await this.take(this.#queue.splice(0, this.#atOnce()));
        // Pieces of an answer are shown meanwhile.
        if (this.#isBehind && !this.#hasSession) this.ask().catch((error) => this.#lost(1006, "", error));
      }
    } catch (error) {
      this.#queue = [];
      await this.#lost(1006, "", error);
    }
  }

  /** How many of the texts go into one transaction: a piece of the next answer is shown after the event before it. */
  #atOnce(): number {
    const isPiece = ([, text]: Told) => text.startsWith('{"type":"delta"');
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
    this.#attempts = 0;
    this.#parts.waits(null);
  }

  /** The connection is lost: waits, or gives up. */
  async #lost(code: number, reason: string, cause?: unknown): Promise<void> {
    this.#close();
    if (this.#end.signal.aborted) return;
    const error = cause instanceof ThreadkeepError ? cause : undefined;
    try {
      // A refusal is final, whatever the socket says; everything else may be over soon.
      if (error && error.code !== "network" && !/^store_(?!lost)/.test(error.code)) throw error;
      const wait: number = await settle(this.#copy.call("afterClose", [code, reason, this.#attempts++, Math.random()]));
      const why = error ?? new ThreadkeepError("network", `the connection to the agent server was closed (${reason || code})`);
      this.#parts.waits({ error: why, attempt: this.#attempts, seconds: wait / 1000 });
      this.#later(wait);
    } catch (final) {
      this.stop();
      this.#parts.failed(final as ThreadkeepError);
    }
  }

  #later(milliseconds: number): void {
    if (!this.#end.signal.aborted) this.#timer = setTimeout(() => void this.connect(), milliseconds);
  }

  #close(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    clearTimeout(this.#gap);
    this.#gap = undefined;
    socket?.close();
  }

  stop(): void {
    this.#end.abort();
    clearTimeout(this.#timer);
    this.#close();
  }
}
