// Agents: a model with tools and a prompt.
import { arrayOf, isA, isFunction } from "../input/arguments.js";
import { invalidOptions, optionsOf } from "../input/errors.js";
import { LLM } from "../llm/llm.js";
import { LLMRegistry } from "../llm/registry.js";
import type { MCPServer } from "../mcp/types.js";
import type { Tool } from "../tool/types.js";
import type { Condenser } from "./condenser/options.js";
import type { AgentContextOptions, AgentOptions, Critic, FinalAnswerSchema } from "./types.js";

/** A model with tools and a system prompt. Has no state: one agent can serve many conversations. */
export class Agent<Answer = any> {
  readonly llm: LLM;
  readonly llmRegistry: LLMRegistry;
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
      llm,
      llmRegistry = new LLMRegistry(),
      tools = [],
      systemPrompt,
      agentContext,
      toolConcurrencyLimit = 1,
      condenser,
      countTokens,
      critic,
      finalAnswer,
      mcpServers,
      filterToolsRegex,
    } = optionsOf(
      "new Agent()",
      options,
      "llm llmRegistry tools systemPrompt agentContext toolConcurrencyLimit condenser countTokens critic finalAnswer mcpServers filterToolsRegex",
    );
    if (!isA(llm, LLM)) throw invalidOptions("llm must be an LLM: new Agent({ llm: new LLM({ … }) })");
    if (!isA(llmRegistry, LLMRegistry)) throw invalidOptions("llmRegistry must be an LLMRegistry");
    const own = arrayOf(
      "tools",
      "what tool() returns",
      tools,
      (tool) => typeof tool?.execute === "function" && typeof tool.name === "string",
    );
    if (systemPrompt !== undefined && typeof systemPrompt !== "string") throw invalidOptions("systemPrompt must be a string");
    if (!Number.isInteger(toolConcurrencyLimit) || toolConcurrencyLimit < 1) {
      throw invalidOptions("toolConcurrencyLimit must be a whole number of at least 1");
    }
    if (countTokens !== undefined && !isFunction(countTokens)) throw invalidOptions("countTokens must be a function");
    this.llm = llm;
    this.llmRegistry = llmRegistry;
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
