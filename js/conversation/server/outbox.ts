// The messages of the user on their way to a server: kept in the copy first, then sent in their order. What is sent next, and whether it
// has arrived, is decided in `src/server/outbox.rs`.
import type { CoreConversation } from "../../../pkg/threadkeep.js";
import type { MessageEvent } from "../../events/events.js";
import type { Content } from "../../events/types.js";
import { ThreadkeepError } from "../../input/errors.js";
import type { lockOfWriter } from "../../store/changes.js";
import type { Link } from "./link.js";
import type { Requests } from "../../server/requests.js";
import { until } from "./until.js";

interface OutboxParts {
  id: string;
  core: CoreConversation;
  link: Link;
  requests: Requests;
  /** The locks that the pages of the same store share. */
  lock: ReturnType<typeof lockOfWriter>;
}

/** So many milliseconds after it has taken a message a server has logged it. */
const logsWithin = 10_000;

/** As `src/server/mark.rs` has it. */
interface Kept {
  event: MessageEvent;
  arrived?: string;
  unlogged?: boolean;
}

/** As `src/server/outbox.rs` has it. */
interface Next {
  id: string;
  content: Content[];
  runs: boolean;
  wasSent: boolean;
}

/** Whether a later attempt may succeed without anybody doing anything. */
export const isOutage = (error: unknown): boolean => error instanceof ThreadkeepError && error.code === "network";

export class Outbox {
  readonly #parts: OutboxParts;
  #sending = Promise.resolve();
  /** The functions that end the runs of this page that wait for a message. */
  readonly #runs = new Set<() => void>();
  readonly #whenTaken = new Map<string, () => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #attempts = 0;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
    parts.link.end.addEventListener("abort", () => clearTimeout(this.#timer));
  }

  /** The messages that are not in the log, as far as this page knows, in their order. */
  get waiting(): MessageEvent[] {
    return this.#kept.map(({ event }) => event);
  }

  /** Those of them that are sent without anybody doing anything. */
  get due(): MessageEvent[] {
    return this.#kept.flatMap(({ event, unlogged }) => (unlogged ? [] : event));
  }

  get #kept(): Kept[] {
    const { threadkeep_server: mark } = JSON.parse(this.#parts.core.state()) as { threadkeep_server?: { outbox?: Kept[] } };
    return (mark?.outbox ?? []).filter(({ arrived }) => arrived === undefined);
  }

  /**
   * Keeps a message with this JSON content, with which the agent goes on or not. Resolves to its event, with an id of its own, once it is
   * on disk.
   */
  async keep(content: string, runs = false): Promise<MessageEvent> {
    const { link } = this.#parts;
    const event = JSON.parse(await link.change((copy) => copy.keep(content)));
    // The agent reads it as soon as it can.
    if (runs || this.#mustWait) await link.change((copy) => copy.keepRun());
    return event;
  }

  /** Whether a message would never be answered now. */
  get #mustWait(): boolean {
    const { core, link } = this.#parts;
    return core.executionStatus() === "running" && !link.readsInRuns;
  }

  /** Whether a message can be sent now. */
  get isOpen(): boolean {
    return this.#parts.link.isReached && !this.#mustWait;
  }

  async replace(id: string, content: string): Promise<MessageEvent> {
    return JSON.parse(await this.#parts.link.change((copy) => copy.replace(id, content)));
  }

  async takeBack(id: string): Promise<void> {
    await this.#parts.link.change((copy) => copy.takeBack(id));
  }

  /** Calls `taken` when the server has taken this message, until the returned function is called. */
  whenTaken(id: string, taken: () => void): () => void {
    this.#whenTaken.set(id, taken);
    return () => void this.#whenTaken.delete(id);
  }

  /** Lets the messages be sent again that the server has taken and not logged. */
  async tryAgain(): Promise<void> {
    if (this.waiting.length > this.due.length) await this.#parts.link.change((copy) => copy.tryAgain());
  }

  /** Drops a message that the server has refused. */
  async drop(id: string): Promise<void> {
    await this.#parts.link.change((copy) => copy.dropRefused(id));
  }

  /**
   * The agent goes on with the messages that wait, also if this page has ended by then. Resolves once the server has them, to whether
   * nobody has called `stop()` before.
   */
  async run(): Promise<boolean> {
    const { link } = this.#parts;
    let isStopped = false;
    const stop = () => void (isStopped = true);
    this.#runs.add(stop);
    try {
      await link.change((copy) => copy.keepRun());
      await until(link, () => isStopped || this.due.length === 0 || undefined);
      return !isStopped;
    } finally {
      this.#runs.delete(stop);
    }
  }

  /** Ends the runs that wait. Resolves to whether there was one. */
  async stop(): Promise<boolean> {
    if (this.#runs.size === 0) return false;
    for (const stop of this.#runs) stop();
    await this.#parts.link.change((copy) => copy.dropRun());
    return true;
  }

  /**
   * Sends all that wait, unless the agent would not answer them. Resolves once they are in the log, or are missing there. @throws ThreadkeepError of the
   * first that could not be sent
   */
  flush(): Promise<void> {
    const sending = this.#sending.then(() => this.#alone(() => this.#sendAll()));
    this.#sending = sending.catch(() => {});
    return sending;
  }

  /** Sends all that wait, now or when the server can be reached again. */
  flushSoon(): void {
    clearTimeout(this.#timer);
    if (this.#parts.link.end.aborted || this.due.length === 0 || this.#mustWait) return;
    this.flush().then(
      () => (this.#attempts = 0),
      (error) => isOutage(error) && void this.#later(),
    );
  }

  async #later(): Promise<void> {
    const wait = await this.#parts.link.wait(this.#attempts++);
    clearTimeout(this.#timer);
    if (!this.#parts.link.end.aborted) this.#timer = setTimeout(() => this.flushSoon(), wait);
  }

  /** Two pages that send at once would both send the same. */
  async #alone(act: () => Promise<void>): Promise<void> {
    const { lock, link } = this.#parts;
    await (lock ? lock.locks.request(`${lock.name}:outbox`, { signal: link.end }, act) : act());
  }

  async #sendAll(): Promise<void> {
    const { id, link, requests } = this.#parts;
    while (!this.#mustWait) {
      const json = await link.change((copy) => copy.next());
      if (json === undefined) return;
      const next: Next = JSON.parse(json);
      if (next.wasSent) await link.look();
      if (next.wasSent && (await link.sent(next.id))) continue;
      await requests.send("POST", `/${id}/events`, { role: "user", content: next.content, run: next.runs });
      this.#whenTaken.get(next.id)?.();
      if (await this.#isLogged(next.id)) continue;
      // Only the whole log can say that.
      await link.look();
      await link.change((copy) => copy.miss(next.id));
    }
  }

  /** Resolves to whether the log has a message that the server has taken, once it has, or has had the time for it. */
  async #isLogged(id: string): Promise<boolean> {
    const { link } = this.#parts;
    const late = performance.now() + logsWithin;
    return until(link, async () => ((await link.sent(id)) ? true : performance.now() > late ? false : undefined));
  }
}
