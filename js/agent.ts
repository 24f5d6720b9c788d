// Agents: a model with tools and a prompt.
import { arrayOf, isA, isFunction } from "./arguments.js";
import type { Condenser } from "./condenser.js";
import type { Critic } from "./critics.js";
import { invalidOptions, optionsOf } from "./errors.js";
import { LLM } from "./llm.js";
import type { MCPServer } from "./mcp.js";
import type { AgentContextOptions } from "./skills.js";
import type { JSONSchema, StandardSchema, Tool } from "./tool.js";

/** The schema of a structured final answer: an object. */
export type FinalAnswerSchema<Answer> = JSONSchema | StandardSchema<Answer>;

/**
 * The options of `new Agent()`. Unknown ones are refused. What can be stored is stored with each conversation that the agent
 * works on; functions, such as those of tools, are not, so give the agent again at each opening.
 */
export interface AgentOptions<Answer = any> {
  /** The model that answers. Its key is never stored as plain text. */
  llm: LLM;
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

/** A model with tools and a system prompt. Has no state: one agent can serve many conversations. */
export class Agent<Answer = any> {
  readonly llm: LLM;
  readonly tools: readonly Tool[];
  readonly systemPrompt?: string;
  readonly agentContext?: AgentContextOptions;
  readonly toolConcurrencyLimit: number;
  readonly condenser?: Condenser | null;
  readonly countTokens?: (text: string) => number;
  readonly critic?: Critic;
  readonly finalAnswer?: FinalAnswerSchema<Answer>;
  readonly mcpServers?: Readonly<Record<string, MCPServer>>;
  readonly filterToolsRegex?: string;

  /** @throws ThreadkeepError `invalid_options`, naming the option. */
  constructor(options: AgentOptions<Answer>) {
    const {
      llm, tools = [], systemPrompt, agentContext, toolConcurrencyLimit = 1, condenser, countTokens, critic, finalAnswer, mcpServers, filterToolsRegex,
    } = optionsOf("new Agent()", options, "llm tools systemPrompt agentContext toolConcurrencyLimit condenser countTokens critic finalAnswer mcpServers filterToolsRegex");
    if (!isA(llm, LLM)) throw invalidOptions("llm must be an LLM: new Agent({ llm: new LLM({ … }) })");
    const own = arrayOf("tools", "what tool() returns", tools, (tool) => typeof tool?.execute === "function" && typeof tool.name === "string");
    if (systemPrompt !== undefined && typeof systemPrompt !== "string") throw invalidOptions("systemPrompt must be a string");
    if (!Number.isInteger(toolConcurrencyLimit) || toolConcurrencyLimit < 1) {
      throw invalidOptions("toolConcurrencyLimit must be a whole number of at least 1");
    }
    if (countTokens !== undefined && !isFunction(countTokens)) throw invalidOptions("countTokens must be a function");
    this.llm = llm;
    if (condenser !== undefined) this.condenser = condenser;
    if (countTokens !== undefined) this.countTokens = countTokens;
    this.tools = Object.freeze(own);
    if (systemPrompt !== undefined) this.systemPrompt = systemPrompt;
    if (agentContext !== undefined) this.agentContext = agentContext;
    this.toolConcurrencyLimit = toolConcurrencyLimit;
    if (critic !== undefined) this.critic = critic;
    if (finalAnswer !== undefined) this.finalAnswer = finalAnswer;
    if (mcpServers !== undefined) this.mcpServers = mcpServers;
    if (filterToolsRegex !== undefined) this.filterToolsRegex = filterToolsRegex;
  }
}
