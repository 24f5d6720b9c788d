// The parts of an agent, as a host gives them and as the wasm takes them.
import type { ConversationEvent } from "../events/events.js";
import type { CriticResult } from "../events/types.js";
import type { JSONSchema, StandardSchema } from "../input/types.js";
import type { LLM } from "../llm/llm.js";
import type { LLMRegistry } from "../llm/registry.js";
import type { MCPServer } from "../mcp/types.js";
import type { Tool } from "../tool/types.js";
import type { Condenser } from "./condenser/options.js";
export type { ConversationProgress } from "./condenser/progress.js";
export type { ContextUsage } from "./context-usage.js";

/** The settings of every critic. */
export interface CriticSettings {
  /** `"finish_and_message"`, the default: rates calls of `finish`, and messages. `"all_actions"`: rates every call, and no messages. */
  mode?: "finish_and_message" | "all_actions" | undefined;
  /**
   * Demands another attempt after a call of `finish` with a score below `successThreshold` (default 0.6), at most
   * `maxIterations` times (default 3) in a conversation.
   */
  iterativeRefinement?: { successThreshold?: number | undefined; maxIterations?: number | undefined } | undefined;
}

/** A score from 0 to 1: the probability that the agent has succeeded. If another attempt is demanded, the agent reads the message. */
export type Rating = Pick<CriticResult, "score"> & { [K in "message" | "metadata"]?: CriticResult[K] | undefined };

/**
 * A critic of the SDK, which is stored with the conversation, or a function of the host. `PassCritic` rates every answer
 * with 1, `AgentFinishedCritic` whether the last call was one of `finish`.
 *
 * `evaluate` rates the last of the given events; those before it are what the model has seen. If it fails, the answer has no
 * rating, and the error is reported like an uncaught one.
 */
export type Critic = CriticSettings &
  ({ kind: "AgentFinishedCritic" | "PassCritic" } | { evaluate(events: ConversationEvent[]): Rating | Promise<Rating> });

/** A critic in the form that the wasm takes. @internal */
export interface CoreCritic {
  kind: string | undefined;
  ratesAllActions: boolean;
  successThreshold?: number;
  maxIterations?: number;
  evaluate(events: string[]): Promise<string | undefined>;
}

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
  resources?:
    | { skillRoot: string; scripts: readonly string[]; references: readonly string[]; assets: readonly string[] }
    | null
    | undefined;
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

/** The schema of a structured final answer: an object. */
export type FinalAnswerSchema<Answer> = JSONSchema | StandardSchema<Answer>;

/**
 * The options of `new Agent()`. Unknown ones are refused. What can be stored is stored with each conversation that the agent
 * works on; functions, such as those of tools, are not, so give the agent again at each opening.
 */
export interface AgentOptions<Answer = any> {
  /** The model that answers. Its key is never stored as plain text. */
  llm: LLM;
  /** Models that can be given by their `usageId`: to `switchLLM()`, `askAgent()` and `generateTitle()`, the condenser, and sub-agents. */
  llmRegistry?: LLMRegistry | undefined;
  /**
   * Additional tools, each with a name of its own; `finish` and `think` always exist. A tool that was added or left out since
   * a conversation was stored is available, or not, from the next request on.
   */
  tools?: Tool[] | undefined;
  /** Replaces the built-in system prompt of new conversations. A stored conversation keeps the prompt that it began with. */
  systemPrompt?: string | undefined;
  /** Skills, and texts that are added to the system prompt and to messages. It is checked when a conversation is opened. */
  agentContext?: AgentContextOptions | undefined;
  /**
   * How many calls of one answer may run at the same time, a whole number of at least 1. Default 1: in the order of the answer.
   * All calls of an answer are durable before the first of them runs.
   */
  toolConcurrencyLimit?: number | undefined;
  /**
   * When a part of the history is replaced by a summary. Default: the stored condenser with the agent's model, for a new
   * conversation none. `null` is none. `Conversation.open()` checks the fields.
   */
  condenser?: Condenser | null | undefined;
  /** Returns how many tokens a text has for the model. Without it they are estimated, rather too high. */
  countTokens?: ((text: string) => number) | undefined;
  /** Rates the agent's answers. One of the host cannot be stored: give it at each opening. `Conversation.open()` checks it. */
  critic?: Critic | undefined;
  /**
   * The schema of the answer that ends a task, an object whose properties become arguments of `finish`. An answer that is not
   * valid, or is plain text, is sent back to the model at most twice; after a third the run ends with the status `error`.
   * Read the answer with `conversation.finalAnswer()`. `Conversation.open()` checks the schema.
   */
  finalAnswer?: FinalAnswerSchema<Answer> | undefined;
  /** MCP servers by name, whose tools the agent has as well. `Conversation.open()` checks their options, and does not wait for them. */
  mcpServers?: Readonly<Record<string, MCPServer>> | undefined;
  /** A regular expression of Python. Tools whose name does not match from its beginning are left out, except for the built-in `finish` and `think`. */
  filterToolsRegex?: string | undefined;
}
