// Waits for the network, or for a server that asked for a pause. Because `navigator.onLine` is often wrong, a request without
// body and key, whose answer is not read, tests whether the server can be reached. So the conversation is not sent to
// a model before it can arrive.
import { type Body, type Response, bodyOf } from "./body.js";
import { type ThreadkeepError, invalidOptions } from "../input/errors.js";
import type { WaitingEvent } from "../events/events.js";
import type { OwnAgentState } from "../events/generated/agent-state.js";
import { observed, tell } from "./observers.js";

/** The longest delay between two tests whether a server can be reached, in seconds. */
const MAX_DELAY = 30;
/** For so many milliseconds after the page was suspended, bytes are delivered that had come before. */
const LATE = 1_000;
/** A stream that has stayed silent from then until so many milliseconds after the page was suspended is given up. */
const GRACE = 15_000;
/** Background tabs get one timer per minute; if a timer is later than this, in milliseconds, the page was suspended. */
const SUSPENDED = 65_000;
/** For so many milliseconds after the network changed, or the page resumed, a lost connection is attributed to that. */
const CHANGE_WINDOW = 60_000;
const TICK = 5_000;
/** A page hidden for so many milliseconds may have lost its connections: on a phone it was suspended. */
const HIDDEN = 10_000;

/** The requests that are under way, and the time of their last bytes. */
const exchanges = new Map<AbortController, number>();
/** Callbacks for events after which the network may be back. */
const hintListeners = new Set<() => void>();
let networkChangedAt = -Infinity;
let lastTick = 0;
let ticking: ReturnType<typeof setInterval> | undefined;
let isListening = false;

/** Registers the begin or end of a request. A request that does not survive a suspension of the page is aborted. */
function watch(controller: AbortController, isOver: boolean): void {
  if (isOver) exchanges.delete(controller);
  else exchanges.set(controller, Date.now());
  if (exchanges.size === 0) {
    clearInterval(ticking);
    ticking = undefined;
  } else if (ticking === undefined) {
    listen();
    lastTick = Date.now();
    ticking = setInterval(tick, TICK);
  }
}

/** The body of an answer. Each piece updates the time of the request's last bytes. */
function read(response: Response, controller: AbortController): Body {
  tell(controller, (exchange) => exchange.onResponse?.((response as { status: number }).status));
  return bodyOf(response, (bytes) => {
    tell(controller, (exchange) => exchange.onBytes?.(bytes));
    // Bytes that arrive after the end do not register the request again.
    if (exchanges.has(controller)) exchanges.set(controller, Date.now());
  });
}

function tick(): void {
  const now = Date.now();
  if (now - lastTick > SUSPENDED) onResume();
  lastTick = now;
}

/** The page was suspended, and may have lost its connections. */
function onResume(): void {
  lastTick = networkChangedAt = Date.now();
  for (const controller of exchanges.keys()) {
    setTimeout(() => {
      const lastBytes = exchanges.get(controller);
      const isSilent = () => lastBytes !== undefined && exchanges.get(controller) === lastBytes;
      setTimeout(() => isSilent() && controller.abort(), GRACE - LATE);
    }, LATE);
  }
  hint();
}

/** Something happened after which the network may be back. */
function hint(): void {
  for (const act of [...hintListeners]) act();
}

/** Adds the event listeners, once; Node has no such events. */
function listen(): void {
  if (isListening || typeof addEventListener !== "function") return;
  isListening = true;
  for (const name of ["online", "offline"]) {
    addEventListener(name, () => {
      networkChangedAt = Date.now();
      hint();
    });
  }
  addEventListener("pageshow", ({ persisted }) => persisted && onResume());
  const page = globalThis.document;
  page?.addEventListener("resume", onResume);
  let hidden = Infinity;
  page?.addEventListener("visibilitychange", () => {
    if (page.visibilityState !== "visible") return void (hidden = Date.now());
    tick();
    if (Date.now() - hidden > HIDDEN) networkChangedAt = Date.now();
    hint();
  });
}

/** The key in `agent_state` under which the state says what a run waits for, or waited for when it ended. @internal */
export const WAITED = "waiting_for_network" satisfies keyof OwnAgentState;

/** The checked option `offline`. @internal */
export function offlineOf(given: unknown = "wait"): "wait" | "fail" {
  if (given === "wait" || given === "fail") return given;
  throw invalidOptions('offline must be "wait" or "fail"');
}

/** The part of a `WaitingEvent` that stays the same during one wait. */
type WaitReason = Pick<WaitingEvent, "attempt" | "why" | "message">;

/** The wasm's description of a failed attempt: `isShown` if a part of the answer was shown, `isLast` if there is no further fallback, `isDown` if the server is known not to answer. */
type Failed = [
  attempt: number,
  seconds: number,
  why: WaitingEvent["why"],
  message: string,
  url: string,
  isShown: boolean,
  isLast: boolean,
  isDown: boolean,
];

/** The functions that the wasm gets. */
interface Means {
  wait(...failed: Failed): Promise<boolean>;
  refusedOrigin(url: string): Promise<unknown>;
  watch(controller: AbortController, isOver: boolean): unknown;
  read: typeof read;
}

/** A run that may wait, until it is paused or has ended. */
interface Run {
  isOver: boolean;
  /** Resolves to false at that time. */
  ended: Promise<boolean>;
  end(): void;
}

function newRun(): Run {
  let resolve: (isServerReachable: boolean) => void;
  const ended = new Promise<boolean>((settle) => (resolve = settle));
  const run: Run = {
    isOver: false,
    ended,
    end: () => {
      run.isOver = true;
      resolve(false);
    },
  };
  return run;
}

/** The waits of one conversation. @internal */
export class Network {
  /** The current wait. */
  now: WaitingEvent | null = null;
  #run = newRun();
  #runs = 0;
  readonly #id: string;
  readonly #waits: boolean;
  readonly #emit: (event: WaitingEvent) => void;
  readonly #note: (waiting: WaitReason | null) => void;
  readonly #masked: (text: string) => string;
  readonly #ends = new Set<(continues: boolean) => void>();

  /** `note` stores what the run waits for, so that it survives a reload. */
  constructor(
    id: string,
    waits: boolean,
    emit: (event: WaitingEvent) => void,
    note: (waiting: WaitReason | null) => void,
    masked: (text: string) => string,
  ) {
    this.#id = id;
    this.#masked = masked;
    this.#waits = waits;
    this.#emit = emit;
    this.#note = note;
  }

  /** For the wasm: how to wait, and how to read bodies. If `isGiven`, `fetch` is the host's function and may use no network. */
  of(isGiven: boolean): Means {
    return {
      watch: (...exchange) => this.#watch(...exchange),
      read,
      wait: (...failed) => this.#wait(isGiven, ...failed),
      // The run may be paused or end before the test has a result.
      refusedOrigin: (url) => Promise.race([!isGiven && refusedOrigin(url), this.#run.ended]),
    };
  }

  /** At the beginning it may return a function that is given the request. */
  #watch(controller: AbortController, isOver: boolean): unknown {
    watch(controller, isOver);
    return isOver ? tell(controller, (exchange) => exchange.onEnd?.()) : observed(this.#id, controller, this.#masked);
  }

  /**
   * Loads a part of the library that a run needs. It waits for the network like the answer of the model does; outside of a
   * run, and where the server of the library is there and has not got the part, this rejects.
   */
  async load<T>(load: () => Promise<T>): Promise<T> {
    const { url } = import.meta;
    for (let attempt = 1; ; attempt++) {
      try {
        return await load();
      } catch (error) {
        const { code, message } = error as ThreadkeepError;
        // Files need no server.
        const waited =
          code === "network" &&
          this.#waits &&
          this.#runs > 0 &&
          attempt < 3 &&
          (await this.#wait(!/^http/.test(url), attempt, attempt, code, message, url, false, true, false));
        if (!waited) throw error;
      }
    }
  }

  /** Resolves when the next attempt can be made, or the run is over: to whether to make it. */
  async #wait(isGiven: boolean, ...[attempt, seconds, why, message, url, isShown, isLast, isDown]: Failed): Promise<boolean> {
    listen();
    const run = this.#run;
    const isServerReachable = () => Promise.race([isReachable(url, isGiven), run.ended]);
    const reason = { attempt, why, message };
    const isPatient = this.#waits && isLast && (why === "network" || why === "offline");
    if (run.isOver || (isShown && !isPatient)) return false;
    if (!isPatient || (!isDown && (await isServerReachable()))) {
      // The server was reachable and broke off a partly shown answer: another attempt would not help.
      if (isShown && Date.now() - networkChangedAt > CHANGE_WINDOW) return false;
      return this.#continue(reason, await this.#sleep(run, reason, isShown ? 1 : seconds));
    }
    if (run.isOver) return false;
    networkChangedAt = Date.now();
    this.#note(reason);
    for (let delay = 1; await this.#sleep(run, reason, delay, true); delay = Math.min(delay * 2, MAX_DELAY)) {
      if (await isServerReachable()) {
        this.#note(null);
        return this.#continue(reason, true);
      }
      reason.attempt += 1;
    }
    return false;
  }

  /** A run begins, or is refused because another one is under way. */
  begin(waited: unknown): void {
    if (this.#runs++ > 0) return;
    this.#run = newRun();
    // The previous run's wait is over.
    if (waited) this.#note(null);
  }

  /** A call of `begin` has ended. */
  over(): void {
    if (--this.#runs === 0) this.stop();
  }

  /** Ends all waits, without another attempt. */
  stop(): void {
    this.#run.end();
    this.now = null;
    this.#end(false);
  }

  /** Ends all waits with an attempt at once. */
  retry(): void {
    this.#end(true);
  }

  #end(continues: boolean): void {
    for (const end of [...this.#ends]) end(continues);
  }

  #continue(reason: WaitReason, continues: boolean): boolean {
    if (continues) {
      this.now = null;
      this.#emit({ kind: "WaitingEvent", ...reason, seconds: 0 });
    }
    return continues;
  }

  /** Resolves to whether the run continues. If `isHinted`, an event that promises a network ends the wait early. */
  #sleep(run: Run, reason: WaitReason, seconds: number, isHinted = false): Promise<boolean> {
    if (run.isOver) return Promise.resolve(false);
    const until = Date.now() + seconds * 1000;
    return new Promise((resolve) => {
      const end = (continues: boolean) => {
        clearTimeout(timer);
        hintListeners.delete(onHint);
        this.#ends.delete(end);
        resolve(continues);
      };
      // Timers stand still while the page is suspended, so events check the time too.
      const onHint = () => void ((isHinted || Date.now() >= until) && end(true));
      const timer = setTimeout(end, seconds * 1000, true);
      hintListeners.add(onHint);
      this.#ends.add(end);
      this.now = { kind: "WaitingEvent", ...reason, seconds };
      this.#emit(this.now);
    });
  }
}

/** Whether the server answers at all. */
async function isReachable(url: string, isGiven: boolean): Promise<boolean> {
  if (isGiven) return globalThis.navigator?.onLine !== false;
  // An opaque answer is enough, and needs no CORS headers; a page with crossOriginIsolated gets none.
  const mode = globalThis.crossOriginIsolated ? "cors" : "no-cors";
  const request = fetch(url, { method: "HEAD", mode, cache: "no-store", credentials: "omit", signal: AbortSignal.timeout(10_000) });
  return request.then(
    () => true,
    () => false,
  );
}

/** The origin of this page if a server of another origin answers, which is what CORS is about; outside of pages there is no CORS. */
async function refusedOrigin(url: string): Promise<string> {
  const { origin, href } = globalThis.location ?? {};
  return origin !== undefined && new URL(url, href).origin !== origin && (await isReachable(url, false)) ? origin : "";
}
