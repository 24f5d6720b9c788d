// Waiting for the network, or for a server that asks for a pause: how long, who is told, and what ends it. A request
// decides whether a server can be reached, for `navigator.onLine` is often wrong: one without body and key, of which
// nobody reads the answer. So what is asked of a model is not sent before it can arrive.
import { type Body, type Response, bodyOf } from "./body.js";
import { invalidOptions } from "./errors.js";
import type { WaitingEvent } from "./events.js";

/** Seconds between two tries to reach a server, at most. */
const LONGEST = 30;
/** A stream of which nothing comes for so long after the page slept is dead. */
const GRACE = 15_000;
/** Background tabs get a timer each minute; a page whose timer comes later has slept. */
const SLEPT = 65_000;
/** For so long after the network came or went, or the page woke, a lost connection is laid to that. */
const SHAKEN = 60_000;
const TICK = 5_000;
/** A page that was hidden for so long may have lost its connections: a phone was in a pocket. */
const AWAY = 10_000;

/** The exchanges that are under way, and when each last gave a sign of life. */
const exchanges = new Map<AbortController, number>();
/** What to do when the network may be back. */
const hinted = new Set<() => void>();
let shaken = -Infinity;
let ticked = 0;
let ticking: ReturnType<typeof setInterval> | undefined;
let isListening = false;

/** Notes that an exchange begins, or is over. Those that do not outlive a sleep of the page are aborted. */
function watch(controller: AbortController, isOver: boolean): void {
  if (isOver) exchanges.delete(controller);
  else exchanges.set(controller, Date.now());
  if (exchanges.size === 0) {
    clearInterval(ticking);
    ticking = undefined;
  } else if (ticking === undefined) {
    listen();
    ticked = Date.now();
    ticking = setInterval(tick, TICK);
  }
}

/** The body of an answer, each piece of which is a sign of life. */
function read(response: Response, controller: AbortController): Body {
  return bodyOf(response, () => {
    // What comes when it is over is of no interest any more.
    if (exchanges.has(controller)) exchanges.set(controller, Date.now());
  });
}

function tick(): void {
  const now = Date.now();
  if (now - ticked > SLEPT) woke();
  ticked = now;
}

/** The page has slept, and its connections perhaps with it. */
function woke(): void {
  ticked = shaken = Date.now();
  for (const [controller, heard] of exchanges) {
    setTimeout(() => exchanges.get(controller) === heard && controller.abort(), GRACE);
  }
  hint();
}

/** Something happened after which the network may be there. */
function hint(): void {
  for (const act of [...hinted]) act();
}

/** Once, and only where there are such events: Node has none. */
function listen(): void {
  if (isListening || typeof addEventListener !== "function") return;
  isListening = true;
  for (const name of ["online", "offline"]) {
    addEventListener(name, () => {
      shaken = Date.now();
      hint();
    });
  }
  addEventListener("pageshow", ({ persisted }) => persisted && woke());
  const page = globalThis.document;
  page?.addEventListener("resume", woke);
  let hidden = Infinity;
  page?.addEventListener("visibilitychange", () => {
    if (page.visibilityState !== "visible") return void (hidden = Date.now());
    tick();
    if (Date.now() - hidden > AWAY) shaken = Date.now();
    hint();
  });
}

/** Where the state says what a run waits for, or waited for when it ended. @internal */
export const WAITED = "waiting_for_network";

/** What a host wants without a network. @internal */
export function offlineOf(given: unknown = "wait"): "wait" | "fail" {
  if (given === "wait" || given === "fail") return given;
  throw invalidOptions('offline must be "wait" or "fail"');
}

/** What is waited for, without what only the wasm has to know. */
type Told = Pick<WaitingEvent, "attempt" | "why" | "message">;

/** What the wasm says of an attempt that failed: how many have, how long to wait, and whether anybody else could answer. */
type Failed = [attempt: number, seconds: number, why: WaitingEvent["why"], message: string, url: string, isShown: boolean, isLast: boolean];

/** A run that may wait, until it is paused or over. */
interface Run {
  isOver: boolean;
  /** Resolves to false when it is. */
  ended: Promise<boolean>;
  end(): void;
}

function newRun(): Run {
  let resolve: (isThere: boolean) => void;
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

/** What one conversation waits for. @internal */
export class Network {
  /** The wait that is under way. */
  now: WaitingEvent | null = null;
  #run = newRun();
  #runs = 0;
  readonly #waits: boolean;
  readonly #tell: (event: WaitingEvent) => void;
  readonly #note: (waiting: Told | null) => void;
  readonly #ends = new Set<(goesOn: boolean) => void>();

  /** `note` keeps what is waited for over a reload. */
  constructor(waits: boolean, tell: (event: WaitingEvent) => void, note: (waiting: Told | null) => void) {
    this.#waits = waits;
    this.#tell = tell;
    this.#note = note;
  }

  /** For the wasm: how to wait for what `fetch` reaches, and how to read it; one that the host gives may be no network at all. */
  of(isGiven: boolean): { wait: (...failed: Failed) => Promise<boolean>; watch: typeof watch; read: typeof read } {
    return { watch, read, wait: (...failed: Failed) => this.#wait(isGiven, ...failed) };
  }

  /** Resolves when another attempt is worth making, to whether it is to be made. */
  async #wait(isGiven: boolean, ...[attempt, seconds, why, message, url, isShown, isLast]: Failed): Promise<boolean> {
    listen();
    const run = this.#run;
    // The run may be paused or over before anybody answers.
    const isThere = () => Promise.race([isReachable(url, isGiven), run.ended]);
    const told = { attempt, why, message };
    const isPatient = this.#waits && isLast && (why === "network" || why === "offline");
    if (run.isOver || (isShown && !isPatient)) return false;
    if (!isPatient || (await isThere())) {
      // It was reached, and broke off what a reader has seen: for no reason that passes.
      if (isShown && Date.now() - shaken > SHAKEN) return false;
      return this.#goOn(told, await this.#sleep(run, told, isShown ? 1 : seconds));
    }
    if (run.isOver) return false;
    shaken = Date.now();
    this.#note(told);
    for (let delay = 1; await this.#sleep(run, told, delay, true); delay = Math.min(delay * 2, LONGEST)) {
      if (await isThere()) {
        this.#note(null);
        return this.#goOn(told, true);
      }
      told.attempt += 1;
    }
    return false;
  }

  /** A run begins, or is refused because another one is under way. */
  begin(waited: unknown): void {
    if (this.#runs++ > 0) return;
    this.#run = newRun();
    // What the last run waited for is no matter of this one.
    if (waited) this.#note(null);
  }

  /** That run has ended. */
  over(): void {
    if (--this.#runs === 0) this.stop();
  }

  /** Nothing is waited for any more. */
  stop(): void {
    this.#run.end();
    this.now = null;
    this.#end(false);
  }

  /** What is waited for is tried at once. */
  retry(): void {
    this.#end(true);
  }

  #end(goesOn: boolean): void {
    for (const end of [...this.#ends]) end(goesOn);
  }

  #goOn(told: Told, goesOn: boolean): boolean {
    if (goesOn) {
      this.now = null;
      this.#tell({ kind: "WaitingEvent", ...told, seconds: 0 });
    }
    return goesOn;
  }

  /** Resolves to whether it goes on. A hint ends it where the network is what is missing, or its time is up. */
  #sleep(run: Run, told: Told, seconds: number, isHinted = false): Promise<boolean> {
    if (run.isOver) return Promise.resolve(false);
    const until = Date.now() + seconds * 1000;
    return new Promise((resolve) => {
      const end = (goesOn: boolean) => {
        clearTimeout(timer);
        hinted.delete(onHint);
        this.#ends.delete(end);
        resolve(goesOn);
      };
      // A timer stands still while the page sleeps.
      const onHint = () => void ((isHinted || Date.now() >= until) && end(true));
      const timer = setTimeout(end, seconds * 1000, true);
      hinted.add(onHint);
      this.#ends.add(end);
      this.now = { kind: "WaitingEvent", ...told, seconds };
      this.#tell(this.now);
    });
  }
}

/** Whether anything answers there. */
async function isReachable(url: string, isGiven: boolean): Promise<boolean> {
  if (isGiven) return globalThis.navigator?.onLine !== false;
  // Opaque answers say enough, and ask the server for nothing; a page that is isolated is given none.
  const mode = globalThis.crossOriginIsolated ? "cors" : "no-cors";
  const request = fetch(url, { method: "HEAD", mode, cache: "no-store", credentials: "omit", signal: AbortSignal.timeout(10_000) });
  return request.then(() => true, () => false);
}
