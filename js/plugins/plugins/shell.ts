// The shell of a plugin's hooks: the page's own, over the conversation's workspace and without a network. Each plugin has one, so that none
// can change the files of another.
import type { CoreConversation } from "../../../pkg/threadkeep.js";
import { textOfBytes } from "../../input/bytes.js";
import type { Files } from "../../tools/terminal/protocol.js";
import { type RunningShell, startShell } from "../../tools/terminal/shell.js";
import type { PluginHook } from "../types.js";
import type { Contents } from "./load.js";

/** The parts of a conversation that its hooks need. */
export interface HookPlace {
  core: CoreConversation;
  files: Files;
  workingDir: string;
}

export interface HookInput {
  event_type: string;
  tool_name?: string;
  tool_input?: object;
  tool_response?: object;
  message?: string;
  session_id: string;
  metadata: object;
}

export interface Output {
  exitCode: number;
  stdout: string;
  stderr: string;
  missing: string[];
  callsMissing: boolean;
}

/** The plugin's directory in the shell. */
const root = "/plugin";

export class HookShell {
  readonly #contents: Contents;
  readonly #placed: () => Promise<HookPlace>;
  #shell: Promise<RunningShell> | undefined;
  /** The last line: the shell runs one at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(contents: Contents, placed: () => Promise<HookPlace>) {
    this.#contents = contents;
    this.#placed = placed;
  }

  run({ command, timeout }: PluginHook, input: HookInput): Promise<Output> {
    const output = this.#last.then(() => this.#runNow(command, timeout, input));
    this.#last = output.catch(() => {});
    return output;
  }

  end(): void {
    this.#shell?.then(
      (shell) => shell.end(),
      () => {},
    );
    this.#shell = undefined;
  }

  async #runNow(command: string, seconds: number, input: HookInput): Promise<Output> {
    const conversation = await this.#placed();
    const { workingDir } = conversation;
    const { event_type, tool_name, session_id } = input;
    const env = {
      OPENHANDS_PROJECT_DIR: workingDir,
      OPENHANDS_SESSION_ID: session_id,
      OPENHANDS_EVENT_TYPE: event_type,
      ...(tool_name !== undefined && { OPENHANDS_TOOL_NAME: tool_name }),
      CLAUDE_PROJECT_DIR: workingDir,
      CLAUDE_PLUGIN_ROOT: root,
    };
    const stdin = JSON.stringify(eventOf(input, conversation));
    try {
      return await within(seconds, async (signal) => {
        const shell = await (this.#shell ??= this.#start());
        const result = await shell.run({ command, cwd: workingDir, env, input: stdin }, signal);
        signal.throwIfAborted();
        if ("statements" in result) throw new Error("it was not run");
        const { exitCode, output: stdout, errors: stderr = "", missing = [] } = result;
        return { exitCode, stdout, stderr, missing, callsMissing: missing.length > 0 };
      });
    } catch (error) {
      this.end();
      throw error;
    }
  }

  async #start(): Promise<RunningShell> {
    const { files, workingDir } = await this.#placed();
    const page = { ...files };
    const own = [...this.#contents].map(([path, content]) => [`${root}/${path}`, { content, mode: modeOf(content) }] as const);
    return startShell(() => page, { workingDir, hasNetwork: false, files: Object.fromEntries(own) });
  }
}

/** The event as the SDK gives it to a hook. */
export function eventOf(input: HookInput, { workingDir }: HookPlace): object {
  const { event_type, tool_name = null, tool_input = null, tool_response = null, message = null, session_id, metadata } = input;
  return { event_type, tool_name, tool_input, tool_response, message, session_id, working_dir: workingDir, metadata };
}

/** Does something that a signal stops, for so many seconds. */
export async function within<T>(seconds: number, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), Math.min(Math.max(seconds, 0) * 1000, 2 ** 31 - 1));
  try {
    return await act(stop.signal);
  } catch (error) {
    throw stop.signal.aborted ? new Error(`it took more than ${seconds} seconds`) : error;
  } finally {
    clearTimeout(timer);
  }
}

/** A file that begins with the name of another program than a shell must not be run as a line of shell. */
function modeOf(content: Uint8Array): number {
  const [first] = textOfBytes(content.subarray(0, 200)).split("\n", 1);
  return !first!.startsWith("#!") || /\b(ba|da|a)?sh\b/.test(first!) ? 0o755 : 0o644;
}
