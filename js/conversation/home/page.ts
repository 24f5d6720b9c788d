// A worker as the home of conversations, as a page sees it. Loaded with the first conversation that is opened with `home`.
import { newId } from "../../input/arguments.js";
import { invalidOptions, optionsOf, reading, textOf, ThreadkeepError } from "../../input/errors.js";
import { LLM } from "../../llm/llm.js";
import type { SecretValue } from "../../secrets/source.js";
import { withTimeout } from "../../store/inventory.js";
import type { AgentServer } from "../../server/server.js";
import type { ConversationOptions, HomeWorker } from "../types.js";
import type { Verb } from "../verbs.js";
import type { FromPage, FromWorker, Greeting } from "./messages.js";

/** The option `home` without a server. */
type WorkerAsHome = Exclude<ConversationOptions["home"], AgentServer | undefined>;

/** A conversation in a worker. */
export interface Place {
  /** Calls a method whose arguments may go to this worker, but to no other tab. @throws ThreadkeepError `unsupported` for other methods, and for functions */
  pass(verb: Verb, args: readonly unknown[]): Promise<unknown>;
  /** The handle of the page is closed. Resolves when the worker has closed its own, if nothing needs that any more. */
  leave(): Promise<void>;
}

/** So many milliseconds a worker has to answer at first: its script and what that imports have to be loaded. */
const patience = 10_000;

/** So many milliseconds a worker has to close a conversation. */
const closesWithin = 5_000;

/** The connections of this page. */
const connections = new WeakMap<HomeWorker, Connection>();

/**
 * Opens a conversation in a worker. Resolves to the reason, as a sentence, if the worker cannot be reached.
 * @throws ThreadkeepError `invalid_options` if the worker has another store, and those of opening it there
 */
export async function openAt(home: WorkerAsHome, id: string, store: string | undefined): Promise<Place | string> {
  const { worker, data } = homeOf(home);
  if (store === undefined) throw invalidOptions("a conversation with a home needs a store with a name, which the worker opens too");
  const connection = connections.get(worker) ?? new Connection(worker);
  connections.set(worker, connection);
  const failure = await connection.failure;
  if (failure !== undefined) return failure;
  const { number, answer } = connection.call({ open: id, data });
  const name = await answer;
  if (name instanceof Unavailable) return name.message;
  const leave = () => connection.call({ close: number }).answer;
  if (name !== store) {
    await leave();
    throw invalidOptions(`the store here is ${JSON.stringify(store)}, and that of the worker ${JSON.stringify(name)}: both need the same`);
  }
  return {
    async pass(verb, args) {
      if (verb === "switchLLM") return connection.call({ of: id, verb, value: plainLLM(args[0]) }).answer;
      if (verb === "updateSecrets") return connection.call({ of: id, verb, value: args[0] as Record<string, SecretValue> }).answer;
      throw new ThreadkeepError(
        "unsupported",
        `${verb}() with a model of its own works where the conversation runs: call takeOver() first`,
      );
    },
    async leave() {
      await withTimeout(
        leave().catch(() => {}),
        closesWithin,
      );
    },
  };
}

/** The answer of a worker that cannot be the home of the conversation. */
class Unavailable extends Error {}

/** @throws ThreadkeepError `invalid_options` */
function homeOf(home: WorkerAsHome): { worker: HomeWorker; data?: unknown } {
  const isWorker = (given: unknown): given is HomeWorker =>
    typeof given === "object" && given !== null && ("port" in given || "postMessage" in given);
  return reading("home", () => {
    const given = isWorker(home) ? { worker: home } : optionsOf("home", home, "worker data");
    if (!isWorker(given.worker)) throw invalidOptions("home must be a worker, or { worker, data }");
    return given;
  });
}

/** A message without its number. */
type Message = FromPage extends infer M ? (M extends { call: number } ? Omit<M, "call"> : never) : never;

class Connection {
  /** Why the worker cannot be reached, once that is known; `undefined` if it can. */
  failure: Promise<string | undefined>;
  readonly #port: MessagePort;
  readonly #open = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
  #last = 0;
  #isOver = false;

  constructor(worker: HomeWorker) {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.failure = this.#begin(worker, port2);
  }

  /** Sends a message that is answered. @throws ThreadkeepError `unsupported` for a value that cannot be sent */
  call(message: Message): { number: number; answer: Promise<unknown> } {
    const number = ++this.#last;
    const answer = new Promise((resolve, reject) => {
      if (this.#isOver) return reject(ended());
      this.#open.set(number, { resolve, reject });
      try {
        this.#port.postMessage({ ...message, call: number });
      } catch (error) {
        this.#open.delete(number);
        reject(new ThreadkeepError("unsupported", `this cannot be sent to a worker: ${textOf(error)}`));
      }
    });
    return { number, answer };
  }

  async #begin(worker: HomeWorker, port: MessagePort): Promise<string | undefined> {
    const failed = new Promise((resolve) => worker.addEventListener("error", resolve, { once: true }));
    const lock = `threadkeep-page:${newId()}`;
    const locks = globalThis.navigator?.locks;
    // Held before the worker asks for it; it is free when this page is gone.
    await new Promise<void>((held) => {
      if (!locks) return held();
      locks.request(lock, () => new Promise(() => held())).catch(() => held());
    });
    const greeted = new Promise<undefined>((resolve) => {
      this.#port.onmessage = ({ data }: MessageEvent<FromWorker>) => {
        if ("ready" in data) resolve(undefined);
        else this.#hear(data);
      };
    });
    const greeting: Greeting = { threadkeep: "page", lock };
    ("port" in worker ? worker.port : worker).postMessage(greeting, [port]);
    const late = `the worker that should run this conversation has not answered for ${patience / 1000} seconds: it has to call serveConversations() before it awaits anything`;
    const failure = await Promise.race([
      greeted,
      failed.then(() => "the script of the worker that should run this conversation has failed"),
      new Promise<string>((resolve) => setTimeout(() => resolve(late), patience)),
    ]);
    if (failure === undefined) locks?.request(`${lock}:worker`, { mode: "shared" }, () => this.#ended()).catch(() => {});
    return failure;
  }

  #hear(message: Exclude<FromWorker, { ready: true }>): void {
    const call = this.#open.get(message.call);
    if (!call) return;
    this.#open.delete(message.call);
    if ("value" in message) return call.resolve(message.value);
    if ("unavailable" in message) return call.resolve(new Unavailable(message.unavailable));
    const { code, message: text, status, retryable } = message.error;
    call.reject(new ThreadkeepError(code, text, { retryable, ...(status !== undefined && { status }) }));
  }

  #ended(): void {
    this.#isOver = true;
    this.failure = Promise.resolve(ended().message);
    for (const { reject } of this.#open.values()) reject(ended());
    this.#open.clear();
  }
}

const ended = () => new ThreadkeepError("aborted", "the worker that should run this conversation has ended");

/** The options of a model as a plain object, those of its fallbacks too. */
function plainLLM(llm: unknown): unknown {
  if (!(llm instanceof LLM)) throw invalidOptions("switchLLM() takes an LLM");
  const { fallbacks, ...options } = llm.options;
  return { ...options, ...(fallbacks && { fallbacks: fallbacks.map(plainLLM) }) };
}
