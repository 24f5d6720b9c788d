// Agents: a model with tools and a prompt.
import { arrayOf, isA } from "./arguments.js";
import { invalidOptions, optionsOf } from "./errors.js";
import { LLM } from "./llm.js";
import type { AgentContextOptions } from "./skills.js";
import type { Tool } from "./tool.js";

export interface AgentOptions {
  llm: LLM;
  /** Additional tools; `finish` and `think` always exist. */
  tools?: Tool[] | undefined;
  /** Replaces the built-in system prompt of new conversations. */
  systemPrompt?: string | undefined;
  /** Skills, and texts that are added to the system prompt and to messages. It is checked when a conversation is opened. */
  agentContext?: AgentContextOptions | undefined;
  /** How many calls of one answer may run at the same time. Default 1. */
  toolConcurrencyLimit?: number | undefined;
}

/** A model with tools and a system prompt. Has no state: one agent can serve many conversations. */
export class Agent {
  readonly llm: LLM;
  readonly tools: readonly Tool[];
  readonly systemPrompt?: string;
  readonly agentContext?: AgentContextOptions;
  readonly toolConcurrencyLimit: number;

  /** @throws ThreadkeepError `invalid_options`, naming the option. */
  constructor(options: AgentOptions) {
    const { llm, tools = [], systemPrompt, agentContext, toolConcurrencyLimit = 1 } = optionsOf("new Agent()", options, "llm tools systemPrompt agentContext toolConcurrencyLimit");
    if (!isA(llm, LLM)) throw invalidOptions("llm must be an LLM: new Agent({ llm: new LLM({ … }) })");
    const own = arrayOf("tools", "what tool() returns", tools, (tool) => typeof tool?.execute === "function" && typeof tool.name === "string");
    if (systemPrompt !== undefined && typeof systemPrompt !== "string") throw invalidOptions("systemPrompt must be a string");
    if (!Number.isInteger(toolConcurrencyLimit) || toolConcurrencyLimit < 1) {
      throw invalidOptions("toolConcurrencyLimit must be a whole number of at least 1");
    }
    this.llm = llm;
    this.tools = Object.freeze(own);
    if (systemPrompt !== undefined) this.systemPrompt = systemPrompt;
    if (agentContext !== undefined) this.agentContext = agentContext;
    this.toolConcurrencyLimit = toolConcurrencyLimit;
  }
}
