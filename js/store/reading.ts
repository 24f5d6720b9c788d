// Reads much of a store: page by page, with the checks of what a host's store returns, and when the page gets its turn meanwhile.
import { storeFailed } from "../../pkg/threadkeep.js";
import { ThreadkeepError, settle } from "../input/errors.js";
import { withTimeout } from "./inventory.js";
import { type Store, type StoredEvent, coreStore, isInBrowser } from "./store.js";

/** How long a store may take for one call, in milliseconds: as long as the core gives it. */
export const timeout = 30_000;

/** How much is read at once: about so many bytes, or a few events if these are larger. */
export const pageBytes = 1 << 20;
const mostInPage = 2000;
/** How many files are read side by side: as many are in memory even if each of them is large. */
export const mostFiles = 16;

/** The number of events or files that make about one page. Grows slowly, because the next ones may be larger. */
export class Page {
  count = 16;
  readonly #most: number;
  #bytes = 0;
  #seen = 0;

  /** @param bytes About so many at once. */
  constructor(bytes = pageBytes) {
    this.#most = bytes;
  }

  saw(bytes: number): void {
    this.#bytes += bytes;
    this.#seen++;
  }

  turn(): void {
    const fitting = Math.floor((this.#seen * this.#most) / Math.max(this.#bytes, 1));
    if (this.#seen > 0) this.count = Math.max(1, Math.min(fitting, 8 * this.#seen, mostInPage));
    this.#bytes = this.#seen = 0;
  }
}

/** Yields to the page at most every 50 ms. Uses no timer, because timers are slow in background tabs. */
export class PageYield {
  #since = performance.now();
  readonly #signal: AbortSignal | undefined;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  /** Throws the reason of the signal, if it has stopped the work. */
  goOn(): void {
    this.#signal?.throwIfAborted();
  }

  /** Whether it is time to call `wait()`. */
  get isDue(): boolean {
    this.goOn();
    return performance.now() - this.#since > 50;
  }

  async wait(): Promise<void> {
    if (!this.isDue) return;
    const { port1, port2 } = new MessageChannel();
    await new Promise((resolve) => {
      port1.onmessage = resolve;
      port2.postMessage(0);
    });
    port1.close();
    this.#since = performance.now();
    this.#signal?.throwIfAborted();
  }
}

/** The events from `start` to `end`, or the first of them. @throws ThreadkeepError `not_found` if there are none any more */
export async function eventsOf(store: Store, id: string, start: number, end: number, timeout: number): Promise<StoredEvent[]> {
  const events = await asked("events", timeout, () => store.events(id, start, end));
  check(events, id, start, end);
  return events;
}

/** The contents of the first of these files, at least of one. A database reads many in one transaction. */
export async function contentsOf(store: Store, id: string, paths: string[], timeout: number): Promise<(Uint8Array | null | undefined)[]> {
  if (isInBrowser(store)) return settle((await coreStore(store)).readFiles(id, paths, pageBytes));
  return asked("readFile", timeout, () => Promise.all(paths.slice(0, mostFiles).map((path) => store.readFile(id, path))));
}

/** The result of a store's method; errors are converted as in the core. */
export async function asked<T>(method: string, timeout: number, question: () => Promise<T>): Promise<T> {
  const result = Promise.resolve()
    .then(question)
    .then((content) => ({ content }), storeFailed);
  const answer: { content: T } | undefined = await withTimeout(result, timeout);
  if (!answer) throw new ThreadkeepError("store_blocked", `${method}() of the host's store has not answered in time; try again`);
  return answer.content;
}

/** Checks the result, because a host's store may return anything. */
function check(events: StoredEvent[], id: string, start: number, end: number): void {
  if (!Array.isArray(events)) throw corrupt("events() has a value that should be an array");
  if (events.length === 0) throw new ThreadkeepError("not_found", `event ${start} of conversation ${id} is not there any more`);
  if (events.length > end - start) throw corrupt("events() returned more events than requested");
  for (const [place, event] of events.entries()) {
    if (event?.index !== start + place) throw corrupt(`events() did not return event ${start + place} of conversation ${id}`);
    if (typeof event.id !== "string" || !/^[\da-fA-F-]{8,}$/.test(event.id))
      throw corrupt("id of events() is missing or has the wrong type");
    if (typeof event.json !== "string") throw corrupt("json of events() is missing or has the wrong type");
  }
}

/** The error for a value that a store of the host should not return. */
export function corrupt(what: string): ThreadkeepError {
  return new ThreadkeepError("store_corrupt", `the store cannot be read: the host's store: ${what}`);
}
