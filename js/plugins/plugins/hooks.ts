// Hooks of plugins: lines of shell, which run in the page's own shell, over the conversation's workspace and without a network. The
// plugin's files are in the shell below `/plugins`. What a hook's output means is decided in the core.
import type { CoreHooks } from "../../control/types.js";
import { textOfBytes } from "../../input/bytes.js";
import { textOf } from "../../input/errors.js";
import { pythonMatcher } from "../../python-regex/translate.js";
import type { Files } from "../../tools/terminal/protocol.js";
import { type RunningShell, startShell } from "../../tools/terminal/shell.js";
import type { PluginHook, PluginHookEvent } from "../types.js";
import { core } from "./core.js";
import type { Loaded } from "./load.js";

/** The parts of a conversation that its hooks need. */
export interface HookPlace {
  files: Files;
  workingDir: string;
}

export type OnMissing = "block" | "skip";

/** A hook's answer in the form that the core takes. */
interface Answer {
  decision: "allow" | "deny";
  reason?: string;
  additionalContext?: string;
}

const events: { readonly [event in PluginHookEvent]: string } = {
  pre_tool_use: "PreToolUse",
  post_tool_use: "PostToolUse",
  user_prompt_submit: "UserPromptSubmit",
  session_start: "SessionStart",
  session_end: "SessionEnd",
  stop: "Stop",
};
/** Occasions on which a hook can deny: the first that does is the last that runs. */
const denying = ["PreToolUse", "UserPromptSubmit", "Stop"];
/** Occasions on which what cannot be decided is denied. An agent that may not stop would never end. */
const guarded = ["PreToolUse", "UserPromptSubmit"];

/** The hooks of plugins, behind those of the host. */
export class PluginHooksRunner implements CoreHooks {
  readonly eventTypes: string[];
  place: (() => Promise<HookPlace>) | undefined;
  readonly #plugins: readonly Loaded[];
  readonly #host: CoreHooks | undefined;
  readonly #onMissing: OnMissing;
  readonly #note: (sentence: string) => void;
  #shell: Promise<RunningShell> | undefined;
  /** The last line: the shell runs one at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(plugins: readonly Loaded[], host: CoreHooks | undefined, onMissing: OnMissing, note: (sentence: string) => void) {
    this.#plugins = plugins;
    this.#host = host;
    this.#onMissing = onMissing;
    this.#note = note;
    const own = Object.entries(events).filter(([event]) => plugins.some(({ plugin }) => plugin.hooks?.[event as PluginHookEvent].length));
    this.eventTypes = [...new Set([...(host?.eventTypes ?? []), ...own.map(([, name]) => name)])];
  }

  /** Asks the host's hook first, as the SDK does, and then those of the plugins, in order. */
  readonly ask = async (eventType: string, inputJson: string): Promise<string> => {
    const answers: Answer[] = [];
    if (this.#host?.eventTypes.includes(eventType)) answers.push(JSON.parse(await this.#host.ask(eventType, inputJson)));
    const isOver = () => denying.includes(eventType) && answers.at(-1)?.decision === "deny";
    const input = JSON.parse(inputJson);
    for (const [place, { plugin }] of this.#plugins.entries()) {
      if (isOver()) break;
      if (!plugin.hooks) continue;
      const config = JSON.stringify(plugin.hooks);
      const tool: string | undefined = input.tool_name;
      const hooks: PluginHook[] = JSON.parse(await core("hooks", { config, eventType, tool, fullMatch }));
      for (const hook of hooks) {
        if (isOver()) break;
        const answer = await this.#answer(place, hook, eventType, input);
        if (answer) answers.push(answer);
      }
    }
    return JSON.stringify(combined(answers));
  };

  close(): void {
    this.#end();
  }

  /** Rejects if a hook could not be asked; what that means is the same as for a function of the host that throws. */
  async #answer(place: number, hook: PluginHook, eventType: string, input: HookInput): Promise<Answer | undefined> {
    const { name } = this.#plugins[place]!.plugin;
    const shown = `the hook of ${name} for ${eventType}`;
    if (hook.type !== "command") return this.#undecided(`${shown} asks a model, which hooks do not do here`, eventType);
    const run = this.#run(place, hook, input);
    // As in the SDK, nobody waits for it, so it decides nothing.
    if (hook.async_) return void run.catch((error: unknown) => this.#note(`${shown} failed: ${textOf(error)}`));
    const output = await run.catch((error: unknown) => {
      throw new Error(`${shown} failed: ${textOf(error)}`);
    });
    const meaning: Meaning = JSON.parse(await core("output", output));
    const names = output.missing.join(", ") || firstLine(output.stderr);
    if (meaning.isMissing) return this.#undecided(`${shown} needs what a page does not have: ${names}`, eventType);
    const { denies, reason, additionalContext } = meaning;
    return {
      decision: denies ? "deny" : "allow",
      ...(reason !== undefined && { reason }),
      ...(additionalContext !== undefined && { additionalContext }),
    };
  }

  #undecided(why: string, eventType: string): Answer | undefined {
    this.#note(why);
    if (this.#onMissing === "skip") return undefined;
    if (guarded.includes(eventType)) return { decision: "deny", reason: why };
    throw new Error(why);
  }

  #run(place: number, { command, timeout }: PluginHook, input: HookInput): Promise<Output> {
    const output = this.#last.then(() => this.#runNow(place, command, timeout, input));
    this.#last = output.catch(() => {});
    return output;
  }

  async #runNow(place: number, command: string, seconds: number, input: HookInput): Promise<Output> {
    const { workingDir } = await this.#placed();
    const root = this.#rootOf(place);
    const { event_type, tool_name = null, tool_input = null, tool_response = null, message = null, session_id, metadata } = input;
    const stdin = { event_type, tool_name, tool_input, tool_response, message, session_id, working_dir: workingDir, metadata };
    const env = {
      OPENHANDS_PROJECT_DIR: workingDir,
      OPENHANDS_SESSION_ID: session_id,
      OPENHANDS_EVENT_TYPE: event_type,
      ...(tool_name !== null && { OPENHANDS_TOOL_NAME: tool_name }),
      CLAUDE_PROJECT_DIR: workingDir,
      CLAUDE_PLUGIN_ROOT: root,
    };
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), Math.min(Math.max(seconds, 0) * 1000, 2 ** 31 - 1));
    try {
      const shell = await (this.#shell ??= this.#start());
      const result = await shell.run({ command, cwd: workingDir, env, input: JSON.stringify(stdin) }, stop.signal);
      if (stop.signal.aborted) throw new Error(`it took more than ${seconds} seconds`);
      if ("statements" in result) throw new Error("it was not run");
      const { exitCode, output: stdout, errors: stderr = "", missing = [] } = result;
      return { exitCode, stdout, stderr, missing, callsMissing: missing.length > 0 };
    } catch (error) {
      this.#end();
      throw stop.signal.aborted ? new Error(`it took more than ${seconds} seconds`) : error;
    } finally {
      clearTimeout(timer);
    }
  }

  #rootOf(place: number): string {
    return `/plugins/${place + 1}`;
  }

  async #start(): Promise<RunningShell> {
    const { files, workingDir } = await this.#placed();
    const page = { ...files };
    const mounted = this.#plugins.flatMap(({ contents }, place) =>
      [...contents].map(([path, content]) => [`${this.#rootOf(place)}/${path}`, { content, mode: modeOf(content) }] as const),
    );
    return startShell(() => page, { workingDir, hasNetwork: false, files: Object.fromEntries(mounted) });
  }

  async #placed(): Promise<HookPlace> {
    if (!this.place) throw new Error("the conversation is not open");
    return this.place();
  }

  #end(): void {
    this.#shell?.then(
      (shell) => shell.end(),
      () => {},
    );
    this.#shell = undefined;
  }
}

interface HookInput {
  event_type: string;
  tool_name?: string;
  tool_input?: object;
  tool_response?: object;
  message?: string;
  session_id: string;
  metadata: object;
}

interface Output {
  exitCode: number;
  stdout: string;
  stderr: string;
  missing: string[];
  callsMissing: boolean;
}

interface Meaning {
  denies: boolean;
  isMissing: boolean;
  reason?: string;
  additionalContext?: string;
}

/** The reason of the first that denies, and the texts of all. */
function combined(answers: readonly Answer[]): Answer {
  const texts = answers.flatMap(({ additionalContext }) => additionalContext || []);
  const additional = texts.length > 0 && { additionalContext: texts.join("\n") };
  const denial = answers.find(({ decision }) => decision === "deny");
  if (denial) return { ...denial, ...additional };
  const reason = answers.find(({ reason }) => reason)?.reason;
  return { decision: "allow", ...(reason !== undefined && { reason }), ...additional };
}

/** Python's `re.fullmatch`; `undefined` for what is no pattern, or none that JavaScript can express. */
function fullMatch(pattern: string, text: string): boolean | undefined {
  try {
    return pythonMatcher(`(?:${pattern})\\Z`)(text);
  } catch {
    return undefined;
  }
}

/** A file that begins with the name of another program than a shell must not be run as a line of shell. */
function modeOf(content: Uint8Array): number {
  const [first] = textOfBytes(content.subarray(0, 200)).split("\n", 1);
  return !first!.startsWith("#!") || /\b(ba|da|a)?sh\b/.test(first!) ? 0o755 : 0o644;
}

function firstLine(text: string): string {
  return text.trim().split("\n")[0]!.slice(0, 200);
}
