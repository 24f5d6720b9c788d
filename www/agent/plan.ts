// How a conversation of this page is opened, as plain data, which a worker can get, and the options of the library made of it.

import { Agent, type AgentContextOptions, type AttachmentReader, type HomeOptions, LLM, type LLMOptions, type MCPServer } from "threadkeep";
import { ANALYZER, type PolicyChoice, policyFor } from "../control/policy.ts";
import type { Settings } from "../settings/settings.ts";
import { chosenTools, pageTools } from "./tools.ts";

export interface Plan extends Pick<Settings, "budget" | "forbidden" | "files" | "terminal" | "subagents"> {
  /** The model with its key. */
  llm: LLMOptions;
  isScripted: boolean;
  /** The MCP servers, with their tokens. */
  servers: Record<string, MCPServer>;
  secrets: Record<string, string>;
  /** `null` keeps the policy of the conversation. */
  policy: PolicyChoice | null;
}

/** The context window of the scripted model, in tokens: invented, so that there is something to measure. */
const SCRIPTED_LIMIT = 32_000;

/** One skill that a word in a message adds, and one that the model opens when its description fits. */
const agentContext: AgentContextOptions = {
  skills: [
    {
      name: "haiku",
      trigger: { type: "keyword", keywords: ["haiku"] },
      content:
        "A haiku has three lines of five, seven and five syllables. It names a season, and it shows a moment instead of explaining it. Write nothing before or after it.",
    },
    {
      name: "trip-planner",
      isAgentskillsFormat: true,
      description: "How to plan a trip. Open it before you suggest a route, a place to stay or what to pack.",
      content:
        "Ask for the dates, the number of travellers and what they can spend, unless they were named. Then write one line for each day: the place, how to get there, one thing to do, and a place indoors in case it rains.",
    },
  ],
};

export const llmFor = ({ llm }: Pick<Plan, "llm">): LLM => new LLM(llm);

/** `pdfs` reads the text of PDFs where the agent runs. */
export function optionsFor(plan: Plan, pdfs: AttachmentReader): HomeOptions {
  const { budget, forbidden, servers, isScripted } = plan;
  return {
    agent: new Agent({
      llm: llmFor(plan),
      tools: [...pageTools, ...chosenTools(plan, false)],
      agentContext,
      // The library knows the limits of real models only.
      condenser: { kind: "LLMSummarizingCondenser", summary: "fields", ...(isScripted && { maxTokens: SCRIPTED_LIMIT }) },
      toolConcurrencyLimit: 4,
      ...(Object.keys(servers).length > 0 && { mcpServers: servers }),
    }),
    attachments: { readers: [pdfs] },
    ...decisionsOf(plan),
    ...(budget !== null && { maxBudgetPerRun: budget }),
    // Without a forbidden tool there is no hook, because each of its results is an event in the log.
    ...(forbidden !== "" && {
      hooks: {
        preToolUse: ({ tool_name: name }) =>
          name === forbidden ? { decision: "deny", reason: `The user has forbidden ${forbidden} in the settings of the page.` } : undefined,
      },
    }),
  };
}

/** On an agent server the files and the terminal are those of the server, and there are no hooks, limits and MCP servers of this page. */
export function optionsOnServer(plan: Plan): HomeOptions {
  // A client of models that is no page needs a key, also for the stand-in, which looks at none.
  const llm = new LLM(plan.isScripted ? { ...plan.llm, apiKey: "the-stand-in-needs-no-key" } : plan.llm);
  const tools = [...pageTools, ...chosenTools(plan, true)];
  return { agent: new Agent({ llm, tools, agentContext, toolConcurrencyLimit: 4 }), ...decisionsOf(plan) };
}

const decisionsOf = ({ secrets, policy }: Plan): Partial<HomeOptions> => ({
  secrets,
  ...(policy && { confirmationPolicy: policyFor(policy), securityAnalyzer: ANALYZER }),
});
