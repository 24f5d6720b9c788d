// Skills and the rest of an agent's context. The checks and the loaders are modules of their own, loaded when they are used.
import type { Agent } from "./agent.js";
import { part } from "./wasm.js";

/** Help for a kind of task, as text for the model. The fields are those of the SDK's `Skill`. */
export interface Skill {
  /** The name, by which the model opens the skill. Unique in a context. */
  name: string;
  /** The text for the model. */
  content: string;
  /**
   * The event that adds the text, once in a conversation: a message of the user that contains a keyword as a whole word in
   * upper or lower case, or a call with an argument `path` that a glob matches. Without a trigger the text is always part
   * of the system prompt, unless `isAgentskillsFormat` is set.
   */
  trigger?:
    | { type: "keyword"; keywords: readonly string[] }
    | { type: "task"; triggers: readonly string[] }
    | { type: "path"; paths: readonly string[] }
    | null
    | undefined;
  /** The file or URL that the skill comes from; the model is told with the text. */
  source?: string | null | undefined;
  /** Whether only name and description are in the system prompt, and the model reads the text with `invoke_skill`. */
  isAgentskillsFormat?: boolean | undefined;
  /** When to use the skill, for the list in the system prompt. At most 1024 characters; more are cut off. */
  description?: string | null | undefined;
  /** Whether the model cannot open the skill, so that only its trigger adds it. Always true with a path trigger. */
  disableModelInvocation?: boolean | undefined;
  /** Inputs of a skill with a task trigger. The model is asked to get missing ones from the user. */
  inputs?: ReadonlyArray<{ name: string; description: string }> | undefined;
  version?: string | undefined;
  license?: string | null | undefined;
  compatibility?: string | null | undefined;
  metadata?: Readonly<Record<string, string>> | null | undefined;
  /** Only stored: a skill allows no tool. */
  allowedTools?: readonly string[] | null | undefined;
  /** Names of files that belong to the skill. They are only stored; a tool of the host can give them to the model. */
  resources?: { skillRoot: string; scripts: readonly string[]; references: readonly string[]; assets: readonly string[] } | null | undefined;
}

/** Skills, and texts that are added to the system prompt and to messages. The SDK's `AgentContext`. */
export interface AgentContextOptions {
  skills?: readonly Skill[] | undefined;
  /** Added to the system prompt of new conversations. */
  systemMessageSuffix?: string | null | undefined;
  /** Added to each message of the user, for the model. */
  userMessageSuffix?: string | null | undefined;
  /** Notes from earlier work, for the system prompt of new conversations. Not stored with the context. */
  memoryContext?: string | null | undefined;
  /** Names of skills to leave out. */
  disabledSkills?: readonly string[] | undefined;
  /** The date in the system prompt. Default: the time of the first message, to the minute; `null` for none. */
  currentDatetime?: string | Date | null | undefined;
}

/**
 * A source of skills in the AgentSkills format, which are folders with a `SKILL.md`: the URL of a `SKILL.md` or of a zip
 * archive, an archive, a directory that the user has chosen, or texts by path.
 */
export type SkillSource = string | URL | Blob | ArrayBuffer | Uint8Array | FileSystemDirectoryHandle | Readonly<Record<string, string>>;

export interface LoadSkillsOptions {
  /** The most skills; more are an error. Default 100. */
  maxSkills?: number | undefined;
  /** The most bytes to read in total; more are an error. Default 4 MiB. */
  maxBytes?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Used in place of the global `fetch`. A complete answer may take 30 seconds. */
  fetch?: typeof globalThis.fetch | undefined;
}

/**
 * Loads skills for `agentContext`. The text of a skill from a URL or an archive begins with a note for the model that
 * nobody has checked it. Nothing in a `SKILL.md` is executed, and nothing in it allows a tool.
 * @throws ThreadkeepError `invalid_options` naming the file, `archive_invalid`, `network`, `aborted`
 */
export async function loadSkills(source: SkillSource, options: LoadSkillsOptions = {}): Promise<Skill[]> {
  return (await part(import("./skills/load.js"))).loadSkills(source, options);
}

/** The agent's context in the form that the wasm takes. @internal */
export async function coreContext({ agentContext }: Agent): Promise<object | undefined> {
  return agentContext === undefined ? undefined : (await part(import("./skills/context.js"))).coreContext(agentContext);
}
