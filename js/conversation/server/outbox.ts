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
  #timer: ReturnType<typeof setTimeout> | undefined;
  #attempts = 0;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
    parts.link.end.addEventListener("abort", () => clearTimeout(this.#timer));
  }

  /** The messages that are not in the log, as far as this page knows, in their order. */
  get waiting(): MessageEvent[] {
    const { threadkeep_server: mark } = JSON.parse(this.#parts.core.state()) as {
      threadkeep_server?: { outbox?: Array<{ event: MessageEvent; arrived?: string }> };
    };
    return (mark?.outbox ?? []).flatMap(({ event, arrived }) => (arrived === undefined ? event : []));
  }

  /**
   * Keeps a message with this JSON content, with which the agent goes on or not. Resolves to its event, with an id of its own, once it is
   * on disk.
   */
  async keep(content: string, runs = false): Promise<MessageEvent> {
    const { link } = this.#parts;
    const event = JSON.parse(await link.change("keep", content));
    // The agent reads it as soon as it can.
    if (runs || this.#mustWait) await link.change("runsLater", true);
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
    return JSON.parse(await this.#parts.link.change("replace", id, content));
  }

  async takeBack(id: string): Promise<void> {
    await this.#parts.link.change("takeBack", id);
  }

  /** Drops a message that the server has refused. */
  async drop(id: string): Promise<void> {
    await this.#parts.link.change("dropRefused", id);
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
      await link.change("runsLater", true);
      await until(link, () => isStopped || this.waiting.length === 0 || undefined);
      return !isStopped;
    } finally {
      this.#runs.delete(stop);
    }
  }

  /** Ends the runs that wait. Resolves to whether there was one. */
  async stop(): Promise<boolean> {
    if (this.#runs.size === 0) return false;
    for (const stop of this.#runs) stop();
    await this.#parts.link.change("runsLater", false);
    return true;
  }

  /** Sends all that wait, unless the agent would not answer them. Resolves once they are in the log. @throws ThreadkeepError of the first that could not be sent */
  flush(): Promise<void> {
    const sending = this.#sending.then(() => this.#alone(() => this.#sendAll()));
    this.#sending = sending.catch(() => {});
    return sending;
  }

  /** Sends all that wait, now or when the server can be reached again. */
  flushSoon(): void {
    clearTimeout(this.#timer);
    if (this.waiting.length === 0 || this.#mustWait || this.#parts.link.end.aborted) return;
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
      const json: string | undefined = await link.change("next");
      if (json === undefined) return;
      const next: Next = JSON.parse(json);
      if (next.wasSent) await link.look();
      if (next.wasSent && (await link.sent(next.id))) continue;
      await requests.send("POST", `/${id}/events`, { role: "user", content: next.content, run: next.runs });
      await until(link, () => link.sent(next.id));
    }
  }
}
