// Hooks of plugins: lines of shell, which run in the page's own shell, over the conversation's workspace and without a network, and
// questions for the conversation's model. What a hook's output and a model's answer mean is decided in the core.
import type { CoreHooks } from "../../control/types.js";
import { Steps, TooLong, automaton, characters } from "../../input/automaton.js";
import { ask, textOf } from "../../input/errors.js";
import { pythonStart } from "../../python-regex/translate.js";
import type { PluginHook, PluginHookEvent } from "../types.js";
import { core } from "./core.js";
import type { Loaded } from "./load.js";
import { type HookInput, type HookPlace, HookShell, eventOf, within } from "./shell.js";

export type OnMissing = "block" | "skip";

/** An answer in the form that the core takes. */
interface Answer {
  decision: "allow" | "deny";
  reason: string | undefined;
  additionalContext: string | undefined;
  /** Why nothing was decided. What that means is the same as for a function of the host that throws. */
  error: string | undefined;
  /** What the SDK stores of each hook. */
  executions: object[];
}

/** The end of a hook. */
interface Ended {
  meaning: Meaning;
  exitCode?: number;
  stdout?: string;
  stderr?: string;
  error?: string;
}

const events: { readonly [event in PluginHookEvent]: string } = {
  post_tool_use: "PostToolUse",
  pre_tool_use: "PreToolUse",
  session_end: "SessionEnd",
  session_start: "SessionStart",
  stop: "Stop",
  user_prompt_submit: "UserPromptSubmit",
};
/** Occasions on which a hook can deny: the first that does is the last that runs. */
const denying = ["PreToolUse", "UserPromptSubmit", "Stop"];
/** Occasions on which what cannot be decided is denied. An agent that may not stop would never end. */
const guarded = ["PreToolUse", "UserPromptSubmit"];

/** How large the pattern of a matcher may be, and how many steps it may take: some tenths of a second. */
const maxStates = 20_000;
const maxSteps = 5_000_000;

/** The hooks of plugins, behind those of the host. */
export class PluginHooksRunner implements CoreHooks {
  readonly eventTypes: string[];
  place: (() => Promise<HookPlace>) | undefined;
  readonly #plugins: readonly Loaded[];
  readonly #host: CoreHooks | undefined;
  readonly #onMissing: OnMissing;
  readonly #note: (sentence: string) => void;
  readonly #closed = new AbortController();
  readonly #shells: readonly HookShell[];

  constructor(plugins: readonly Loaded[], host: CoreHooks | undefined, onMissing: OnMissing, note: (sentence: string) => void) {
    this.#plugins = plugins;
    this.#shells = plugins.map(({ contents }) => new HookShell(contents, () => this.#placed()));
    this.#host = host;
    this.#onMissing = onMissing;
    this.#note = note;
    const own = Object.entries(events).filter(([event]) => plugins.some(({ plugin }) => plugin.hooks?.[event as PluginHookEvent].length));
    this.eventTypes = [...new Set([...(host?.eventTypes ?? []), ...own.map(([, name]) => name)])];
  }

  /** Asks the host's hook first, as the SDK does, and then those of the plugins, in order. */
  readonly ask = async (eventType: string, inputJson: string): Promise<string> => {
    const answers: Answer[] = [];
    const isOver = () => {
      const { decision, error } = answers.at(-1) ?? {};
      // A failure denies a call only, so on other occasions the next is asked.
      return denying.includes(eventType) && (decision === "deny" || (error !== undefined && eventType === "PreToolUse"));
    };
    if (this.#host?.eventTypes.includes(eventType)) answers.push(await this.#ofHost(eventType, inputJson));
    const input = JSON.parse(inputJson);
    for (const [place, { plugin }] of this.#plugins.entries()) {
      if (isOver()) break;
      if (!plugin.hooks) continue;
      const config = JSON.stringify(plugin.hooks);
      const tool: string | undefined = input.tool_name;
      const hooks: Shown[] = JSON.parse(await core("hooks", { config, eventType, tool, fullMatch }));
      for (const { hook, shown } of hooks) {
        if (isOver()) break;
        const what = `the hook of ${plugin.name} for ${eventType}`;
        const ended = await this.#end(place, hook, what, input).catch((error: unknown) => failed(`${what} failed: ${textOf(error)}`));
        answers.push(answerOf(eventType, shown, ended));
      }
    }
    return JSON.stringify(combined(answers));
  };

  close(): void {
    this.#closed.abort();
    for (const shell of this.#shells) shell.end();
  }

  async #ofHost(eventType: string, inputJson: string): Promise<Answer> {
    const shown = `hooks.${eventType[0]!.toLowerCase()}${eventType.slice(1)}`;
    const asked = this.#host!.ask(eventType, inputJson).then((json): Ended => {
      const { decision, reason, additionalContext } = JSON.parse(json);
      return { meaning: { denies: decision === "deny", reason, denial: reason, additionalContext } };
    });
    return answerOf(eventType, shown, await asked.catch((error: unknown) => failed(textOf(error))));
  }

  /** Asks a hook of a plugin, until it has ended. */
  async #end(place: number, hook: PluginHook, what: string, input: HookInput): Promise<Ended> {
    if (hook.type === "prompt") return this.#ofModel(hook, input);
    if (hook.type === "agent") return this.#undecided(`${what} asks an agent, which hooks do not do here`, input.event_type, {});
    const run = this.#shells[place]!.run(hook, input);
    if (hook.async_) {
      // As in the SDK, nobody waits for it, so it decides nothing.
      run.catch((error: unknown) => this.#note(`${what} failed: ${textOf(error)}`));
      return { meaning: { denies: false } };
    }
    const output = await run;
    const { exitCode, stdout, stderr, missing } = output;
    const meaning: Meaning = JSON.parse(await core("output", output));
    if (!meaning.isMissing) return { meaning, exitCode, stdout, stderr };
    const names = missing.join(", ") || firstLine(stderr);
    return this.#undecided(`${what} needs what a page does not have: ${names}`, input.event_type, { stdout, stderr });
  }

  #undecided(why: string, eventType: string, said: { stdout?: string; stderr?: string }): Ended {
    this.#note(why);
    // The exit code of a shell that does not have a program.
    const ended = { stderr: why, ...said, exitCode: 127 };
    if (this.#onMissing === "skip") return { ...ended, meaning: { denies: false } };
    if (!guarded.includes(eventType)) return { ...ended, error: why, meaning: { denies: false } };
    return { ...ended, meaning: { denies: true, denial: why } };
  }

  /** Asks the conversation's model, which sees nothing of the conversation but the event. */
  async #ofModel(hook: PluginHook, input: HookInput): Promise<Ended> {
    const place = await this.#placed();
    const event = JSON.stringify(eventOf(input, place), null, 2);
    const question = JSON.parse(await core("question", { hook: JSON.stringify(hook), event }));
    const answer = await within(hook.timeout, (signal) => {
      const stopped = new Promise<void>((resolve) =>
        AbortSignal.any([signal, this.#closed.signal]).addEventListener("abort", () => resolve()),
      );
      return ask(place.core, "askAside", question, stopped);
    });
    const meaning: Meaning = JSON.parse(await core("verdict", { answer }));
    if (meaning.undecided !== undefined) throw new Error(meaning.undecided);
    return { meaning };
  }

  async #placed(): Promise<HookPlace> {
    if (!this.place) throw new Error("the conversation is not open");
    return this.place();
  }
}

interface Meaning {
  denies: boolean;
  isMissing?: boolean;
  reason?: string;
  denial?: string;
  additionalContext?: string;
  undecided?: string;
}

/** A hook, and the words by which logs name it. */
interface Shown {
  hook: PluginHook;
  shown: string;
}

/** The end of a hook that could not be asked. */
function failed(error: string): Ended {
  return { meaning: { denies: false }, exitCode: -1, error };
}

function answerOf(eventType: string, shown: string, { meaning, exitCode = 0, stdout = "", stderr = "", error }: Ended): Answer {
  const { denies, reason, denial, additionalContext } = meaning;
  const execution = {
    hook_event_type: eventType,
    hook_command: shown,
    success: exitCode === 0 && error === undefined,
    blocked: denies,
    exit_code: exitCode,
    stdout,
    stderr,
    reason,
    additional_context: additionalContext,
    error,
  };
  return { decision: denies ? "deny" : "allow", reason: denies ? denial : reason, additionalContext, error, executions: [execution] };
}

/** The reason of the first that denies, and the texts and records of all. */
function combined(answers: readonly Answer[]): Answer {
  const denial = answers.find(({ decision }) => decision === "deny");
  const { decision, reason } = denial ?? { decision: "allow", reason: answers.find(({ reason }) => reason)?.reason };
  return {
    decision,
    reason,
    additionalContext: answers.flatMap(({ additionalContext }) => additionalContext || []).join("\n") || undefined,
    error: denial ? undefined : answers.find(({ error }) => error !== undefined)?.error,
    executions: answers.flatMap(({ executions }) => executions),
  };
}

/**
 * Python's `re.fullmatch`; `undefined` for what is no pattern, or none that JavaScript can express. One that takes too long matches: its
 * hook may have to deny the call.
 */
function fullMatch(pattern: string, text: string): boolean | undefined {
  try {
    const { source } = pythonStart(`(?:${pattern})\\Z`);
    return automaton(source, new Steps(maxStates), "u")(characters(text), new Steps(maxSteps));
  } catch (error) {
    return error instanceof TooLong || error instanceof RangeError ? true : undefined;
  }
}

function firstLine(text: string): string {
  return text.trim().split("\n")[0]!.slice(0, 200);
}
