// The tool `terminal`: a shell over the workspace. Nothing of it reaches the machine of the user.
import type { JSONObject } from "../events/types.js";
import { ThreadkeepError } from "../input/errors.js";
import { type AllowedAddresses, allowedAddresses, fetchAllowed } from "./allowed-fetch.js";
import { messageOf, present, safety } from "./definition.js";
import type { Page, ShellResult } from "./terminal/protocol.js";
import { type Session, environmentAfter, namesIn, newSession, readSession, secretsOf, writeSession } from "./terminal/session.js";
import { type RunningShell, startShell } from "./terminal/shell.js";
import type { BuiltInContext, BuiltInDefinition, BuiltInOutput, ToolPlace } from "../tool/types.js";
import { strip } from "./text.js";
import { clipped, literalText, noInputText, noLogsText, resetText, severalCommandsText, stoppedSuffix } from "./terminal/texts.js";
import type { TerminalOptions } from "./types.js";

interface TerminalArguments {
  command: string;
  is_input?: boolean;
  timeout?: number | null;
  reset?: boolean;
}

const defaultSeconds = 30;
/** The exit code of a command that was stopped, as that of the program `timeout`. */
const stoppedCode = 124;

const parameters = {
  type: "object",
  properties: {
    command: {
      type: "string",
      description: "The shell command, one at a time. Commands can be joined with `&&`, `||`, `;` and `|`.",
    },
    is_input: {
      type: "boolean",
      default: false,
      description: "Whether `command` is input for a running command. No command is left running here, so this always fails.",
    },
    timeout: {
      anyOf: [{ type: "number", minimum: 0 }, { type: "null" }],
      default: null,
      description: `The number of seconds after which the command is stopped. Default: ${defaultSeconds}.`,
    },
    reset: {
      type: "boolean",
      default: false,
      description:
        "Whether to begin a new session first: variables, the working directory and temporary files are lost. Not together with `is_input`.",
    },
  },
  required: ["command"],
};

function description(workingDir: string, network: AllowedAddresses | undefined): string {
  return `Runs a shell command (bash) and returns its output.

The shell runs inside a web page, and its files are those of the workspace ${workingDir}:
* It has the usual text and file commands (ls, find, grep, rg, sed, awk, sort, uniq, cut, tr, head, tail, wc, diff, jq, gzip, base64, sha256sum, xargs and more), pipes, redirections, loops and functions.
* It has no other programs, such as Python, Node.js, git or tar, and none can be installed.
* ${network ? `\`curl\` reaches these addresses only: ${network.list.join(", ")}.` : "It has no network."}
* Nothing runs in the background: a command that ends with & is finished before the result is returned. Nothing can be typed into a running command.
* Variables and the working directory are kept from command to command; functions, aliases and shell options are not. Files outside of ${workingDir}, such as those in /tmp, are temporary.
* A command is stopped after ${defaultSeconds} seconds, or after \`timeout\`. Long output is shortened in the middle.`;
}

export async function define({ allowedHosts, allowedSecrets }: TerminalOptions, place: ToolPlace): Promise<BuiltInDefinition> {
  const network = allowedHosts?.length
    ? allowedAddresses(allowedHosts.map((host) => (host.includes("://") ? host : `https://${host}`)))
    : undefined;
  // A secret is resolved after the host has allowed it, so only its name is looked up before.
  const known = (names: string[]): string[] => names.filter((name) => place.secretNames().includes(name));
  const terminal = new Terminal(place, network, allowedSecrets && ((command, names) => allowed(allowedSecrets, command, known(names))));
  const { workingDir, isTransactional, isOwn } = place;
  // Dropping the changes of files does not undo requests that a command has sent.
  return {
    description: description(workingDir, network),
    parameters,
    annotations: { title: "terminal", readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    ...safety(isTransactional && !network, isOwn && !network),
    className: "Terminal",
    action: ({ command, is_input = false, timeout, reset = false }: TerminalArguments) => present({ command, is_input, timeout, reset }),
    execute: (args: TerminalArguments, context) => terminal.execute(args, context),
    close: () => terminal.end(),
  };
}

/** Decides which of these secrets a command gets. */
type Consent = (command: string, names: string[]) => Promise<string[]>;

async function allowed(ask: NonNullable<TerminalOptions["allowedSecrets"]>, command: string, names: string[]): Promise<string[]> {
  if (names.length === 0) return [];
  let answer: unknown;
  try {
    answer = await ask({ command, names });
  } catch (cause) {
    throw new ThreadkeepError(
      "invalid_state",
      "the function that decides about the secrets of a command failed, so the command was not run",
      { cause },
    );
  }
  if (!Array.isArray(answer)) throw new ThreadkeepError("invalid_options", "allowedSecrets must return an array of names");
  return names.filter((name) => answer.includes(name));
}

class Terminal {
  readonly #network: AllowedAddresses | undefined;
  readonly #consent: Consent | undefined;
  readonly #place: ToolPlace;
  #shell: Promise<RunningShell> | undefined;
  /** The call that the shell works for. */
  #context: BuiltInContext | undefined;
  /** The last call: the shell runs one command at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(place: ToolPlace, network: AllowedAddresses | undefined, consent: Consent | undefined) {
    this.#place = place;
    this.#network = network;
    this.#consent = consent;
  }

  execute(args: TerminalArguments, context: BuiltInContext): Promise<BuiltInOutput> {
    const result = this.#last.then(() => this.#execute(args, context));
    this.#last = result.catch(() => {});
    return result;
  }

  end(): void {
    this.#shell?.then(
      (shell) => shell.end(),
      () => {},
    );
    this.#shell = undefined;
  }

  async #execute(
    { command, is_input = false, timeout, reset = false }: TerminalArguments,
    context: BuiltInContext,
  ): Promise<BuiltInOutput> {
    if (reset && is_input)
      throw new ThreadkeepError("invalid_options", "`reset` and `is_input` exclude each other: a new session has no running command");
    const literal = is_input ? undefined : literalText(command);
    if (literal) return failed(literal, command);
    const text = command.trim();
    if (!reset && text === "") return failed(noLogsText, text);
    if (!reset && is_input) return failed(noInputText, text);
    context.signal.throwIfAborted();
    if (reset) this.end();
    const session = reset ? newSession(this.#place.workingDir) : await readSession(context, this.#place.workingDir);
    if (reset) writeSession(context, session);
    if (text === "")
      return { content: resetText, fields: present({ command: "[RESET]", exit_code: 0, timeout: false, metadata: metadata(-1) }) };
    const { content, isError = false, fields } = await this.#run(text, timeout ?? defaultSeconds, session, context);
    if (!reset) return { content, isError, fields };
    return { content: `${resetText}\n\n${String(content)}`, isError, fields: present({ ...fields, command: `[RESET] ${command}` }) };
  }

  async #run(command: string, seconds: number, session: Session, context: BuiltInContext): Promise<BuiltInOutput> {
    const named = namesIn(command, session);
    const names = this.#consent ? await Promise.race([this.#consent(command, named), whenAborted(context.signal)]) : named;
    const secrets = await secretsOf(names, context);
    let shell: RunningShell;
    try {
      this.#context = context;
      const start = () => startShell(() => this.#page(), { workingDir: this.#place.workingDir, hasNetwork: this.#network !== undefined });
      this.#shell ??= this.#place.load(start);
      // Loading the shell may take longer than the command, and without a network until there is one.
      shell = await Promise.race([this.#shell, whenAborted(context.signal)]);
    } catch (error) {
      this.#context = undefined;
      this.end();
      context.signal.throwIfAborted();
      return failed(`The terminal failed: ${messageOf(error)}`, command);
    }
    // `AbortSignal.timeout()` would keep Deno from exiting after the command.
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), Math.min(seconds * 1000, 2 ** 31 - 1));
    const timeout = stop.signal;
    let result: ShellResult | undefined;
    try {
      result = await shell.run(
        { command, cwd: session.cwd, env: { ...session.env, ...secrets } },
        AbortSignal.any([timeout, context.signal]),
      );
    } catch (error) {
      this.end();
      context.signal.throwIfAborted();
      if (!timeout.aborted) return failed(`The terminal failed: ${messageOf(error)}`, command);
    } finally {
      clearTimeout(timer);
      this.#context = undefined;
    }
    context.signal.throwIfAborted();
    if (result && "statements" in result) return failed(severalCommandsText(result.statements), command);
    const next = result ? { cwd: result.cwd, env: environmentAfter(result.env, secrets), secrets: Object.keys(secrets) } : session;
    if (JSON.stringify(next) !== JSON.stringify(session)) writeSession(context, next);
    const output = clipped(strip(wellFormed(result?.output ?? "")));
    const exitCode = timeout.aborted ? stoppedCode : result!.exitCode;
    // The exit code stands after every output that a model reads.
    const suffix = timeout.aborted ? stoppedSuffix(seconds) : "";
    const fields = present({ command, exit_code: exitCode, timeout: timeout.aborted, metadata: metadata(exitCode, next.cwd, suffix) });
    return { content: output, fields };
  }

  /** The functions that the shell calls, for the running command. */
  #page(): Page {
    const context = this.#context;
    if (!context) throw new Error("no command is running");
    const { workspace, signal } = context;
    const network = this.#network;
    return {
      read: (path) => workspace.read(path),
      write: (path, content) => workspace.write(path, content),
      stat: (path) => workspace.stat(path),
      list: (path) => workspace.list(path),
      makeDirectory: (path) => workspace.makeDirectory(path),
      remove: (path) => workspace.remove(path),
      move: (from, to) => workspace.move(from, to),
      ...(network && { fetch: (request) => fetchAllowed(network, request, { signal }) }),
    };
  }
}

/** Rejects when the signal is aborted. */
function whenAborted(signal: AbortSignal): Promise<never> {
  const aborted = new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
  aborted.catch(() => {});
  return aborted;
}

/** A result without a command that was run. */
function failed(text: string, command: string): BuiltInOutput {
  return { content: text, isError: true, fields: present({ command, timeout: false, metadata: metadata(-1) }) };
}

function metadata(exitCode: number, cwd?: string, suffix = ""): JSONObject {
  const place = cwd === undefined ? {} : { username: "user", hostname: "localhost", working_dir: cwd };
  return present({ exit_code: exitCode, pid: -1, ...place, prefix: "", suffix });
}

/** Without halves of characters, which JSON cannot contain. */
function wellFormed(text: string): string {
  return new TextDecoder().decode(new TextEncoder().encode(text));
}
