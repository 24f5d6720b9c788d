// Commands that an agent server runs in its shell. Nothing here uses a socket: a page asks for the output until there is the end of it.
import { isFunction, signalOf } from "../input/arguments.js";
import { invalidOptions, optionsOf, ThreadkeepError } from "../input/errors.js";
import { expect } from "../server/answers.js";
import type { Requests } from "../server/requests.js";
import type { CommandOptions, CommandResult } from "./types.js";

/** A piece of output, as a server has it; the last one has an exit code. */
interface Piece {
  command_id: string;
  order: number;
  exit_code: number | null;
  stdout: string | null;
  stderr: string | null;
  timestamp: string;
}

/** The seconds of a command, as in the SDK. */
const usualTimeout = 30;
/** The milliseconds between two questions for output: at first, by how much longer each time, and at last. */
const asks = { first: 50, factor: 1.5, last: 1_000 };
/** So many milliseconds after its time a server has ended a command. */
const endsWithin = 10_000;
/** The most pieces of output in one answer; each has at most a MiB. */
const mostPieces = 10;

export type Ended = Pick<CommandResult, "exitCode" | "stdout" | "stderr">;

/** The value as one word of a shell. */
export const quoted = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`;

export class Commands {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** Runs a script of the library, of which only `reads` may be sent twice. `timeout` is in seconds. */
  async script(command: string, timeout: number, reads: boolean): Promise<Ended> {
    const said = { body: { command, timeout }, reads, within: timeout * 1000 + endsWithin };
    const last = await this.#requests.ask("POST", "/api/bash/execute_bash_command", said, pieceOf);
    // An older server returns the last piece only.
    return joined(last.order > 0 ? await this.#piecesOf(last.command_id, -1) : [last]);
  }

  /** See `ServerCommands`. `directory` finds the path of `cwd` on the server. */
  async execute(command: string, options: CommandOptions, directory: (cwd: string) => Promise<string>): Promise<CommandResult> {
    const { cwd, timeout = usualTimeout, signal: given, onOutput } = optionsOf("executeCommand()", options, "cwd timeout signal onOutput");
    if (typeof command !== "string") throw invalidOptions("the command must be a text");
    if (!(Number.isFinite(timeout) && timeout > 0)) throw invalidOptions("timeout must be a number of seconds");
    if (onOutput !== undefined && !isFunction(onOutput)) throw invalidOptions("onOutput must be a function");
    const signal = signalOf(given);
    const seconds = Math.ceil(timeout);
    if (signal?.aborted) throw stopped(signal);
    const body = { command, cwd: await directory(cwd ?? ""), timeout: seconds };
    const begun = await this.#requests.ask("POST", "/api/bash/start_bash_command", { body }, ({ id, timestamp }) => ({
      id: String(id),
      at: Date.parse(timestamp),
    }));
    const late = performance.now() + seconds * 1000 + endsWithin;
    const pieces: Piece[] = [];
    for (let wait = asks.first; ; wait = Math.min(wait * asks.factor, asks.last)) {
      for (const piece of await this.#piecesOf(begun.id, pieces.at(-1)?.order ?? -1)) {
        pieces.push(piece);
        const { stdout, stderr } = joined([piece]);
        if (stdout || stderr) onOutput?.({ stdout, stderr });
      }
      const last = pieces.at(-1);
      const hasEnded = typeof last?.exit_code === "number";
      // A server that was started again has forgotten it.
      if (hasEnded || performance.now() > late) {
        const took = hasEnded ? Date.parse(last.timestamp) - begun.at : Infinity;
        const result = joined(pieces);
        return { command, ...result, timeoutOccurred: result.exitCode === -1 && took >= seconds * 1000 };
      }
      if (signal?.aborted) {
        // One that cannot stop it says that there is no such request.
        await this.#requests.request("POST", `/api/bash/bash_commands/${encodeURIComponent(begun.id)}/stop`).catch(() => {});
        throw stopped(signal);
      }
      await pause(wait, signal);
    }
  }

  /** The pieces of output of a command that come after the one with this number. */
  async #piecesOf(id: string, after: number): Promise<Piece[]> {
    const pieces: Piece[] = [];
    const query = `kind__eq=BashOutput&command_id__eq=${encodeURIComponent(id)}&order__gt=${after}&limit=${mostPieces}`;
    let next = "";
    do {
      const page = await this.#requests.ask("GET", `/api/bash/bash_events/search?${query}${next}`, {}, ({ items, next_page_id }) => ({
        items: (items as unknown[]).map(pieceOf),
        id: next_page_id,
      }));
      pieces.push(...page.items);
      next = page.id ? `&page_id=${encodeURIComponent(page.id)}` : "";
    } while (next);
    return pieces.sort((one, other) => one.order - other.order);
  }
}

function pieceOf(json: any): Piece {
  const piece = json as Piece;
  expect(typeof piece.order === "number" && typeof piece.command_id === "string");
  return piece;
}

function joined(pieces: Piece[]): Ended {
  const text = (name: "stdout" | "stderr") => pieces.map((piece) => piece[name] ?? "").join("");
  return { exitCode: pieces.at(-1)?.exit_code ?? -1, stdout: text("stdout"), stderr: text("stderr") };
}

/** Resolves after these milliseconds, or when the signal aborts. */
function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", over);
      resolve();
    };
    const timer = setTimeout(over, milliseconds);
    signal?.addEventListener("abort", over);
  });
}

const stopped = (signal: AbortSignal) => new ThreadkeepError("aborted", "the command was stopped by its signal", { cause: signal.reason });
