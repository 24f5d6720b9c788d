// One Python process with the SDK in it, asked over and over: importing the SDK takes seconds, a check milliseconds.
import { spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { after, before } from "node:test";
import { python } from "./setup.mjs";

const keptErrors = 20_000;

let shared;

/**
 * The session of this process, or `null` where the SDK is not available: that is reported, and in CI it is an error.
 * Whoever opens it closes it, or the process does not end.
 */
async function openSdk() {
  shared ??= { users: 0, session: begin() };
  shared.users++;
  return shared.session;
}

/** For the tests of a file: opens the session before them and closes it after them. Returns how they get at it. */
export function sdkForTests() {
  let sdk;
  before(async () => {
    sdk = await openSdk();
  });
  after(() => sdk?.close());
  return () => sdk;
}

/** A session that knows only the kinds of openhands-sdk, without openhands-tools. */
export function openBareSdk() {
  return begin({ bare: true });
}

async function begin({ bare = false } = {}) {
  const { argv, env, reason } = await python();
  if (argv) return Sdk.start(argv, env, bare ? ["--bare"] : []);
  if (process.env.CI) throw new Error(`the OpenHands SDK is needed here: ${reason}`);
  console.log(`\nNOT CHECKED: against the OpenHands SDK: ${reason}`);
  return null;
}

export class Sdk {
  #child;
  #answers;
  #errors = "";
  #last = Promise.resolve();

  static async start(argv, env, options = []) {
    const sdk = new Sdk();
    const child = spawn(argv[0], [...argv.slice(1), path.join(import.meta.dirname, "sdk.py"), "--serve", ...options], { env });
    sdk.#child = child;
    sdk.#answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    child.stderr.setEncoding("utf8").on("data", (text) => (sdk.#errors = (sdk.#errors + text).slice(-keptErrors)));
    child.stdin.on("error", () => {}); // what a dead process does not read is reported by the missing answer
    await sdk.#next();
    return sdk;
  }

  /** How the SDK reads a directory or zip: `{ ok, refused, kinds, messages, … }`; several conversations under `conversations`. */
  check(target, options = {}) {
    return this.ask({ command: "check", path: target, ...options });
  }

  /** One more user message, answered with `reply`: `{ ok, request, new_kinds, execution_status }`. */
  resume(target, reply = "I wrote a file.", options = {}) {
    return this.ask({ command: "resume", path: target, reply, ...options });
  }

  /** The user decides about the calls that wait, `"approve"` or `"reject"`, and the run goes on: as `resume`. */
  decide(target, decision, reply = "Done.", options = {}) {
    return this.ask({ command: "decide", path: target, decision, reply, ...options });
  }

  /** The body of the request that the SDK sends for `text` as the next user message: `{ ok, request }`. */
  requests(target, text, options = {}) {
    return this.ask({ command: "requests", path: target, text, ...options });
  }

  /** Questions are put one after the other, however many are asked at once. */
  ask(order) {
    const answer = this.#last.then(() => {
      this.#child.stdin.write(`${JSON.stringify(order)}\n`);
      return this.#next();
    });
    this.#last = answer.catch(() => {});
    return answer;
  }

  async #next() {
    const { value, done } = await this.#answers.next();
    if (done) throw new Error(`the SDK's process ended:\n${this.#errors}`);
    return JSON.parse(value);
  }

  async close() {
    if (this === (await shared?.session) && --shared.users > 0) return;
    await this.#last;
    this.#child.stdin.end();
    if (this.#child.exitCode === null) await new Promise((resolve) => this.#child.once("exit", resolve));
  }
}
