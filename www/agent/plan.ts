// How a conversation of this page is opened, as plain data, which a worker can get, and the options of the library made of it.

import { Agent, type AttachmentReader, type HomeOptions, LLM, type LLMOptions, type MCPServer } from "threadkeep";
import { ANALYZER, type PolicyChoice, policyFor } from "../control/policy.ts";
import type { Settings } from "../settings/settings.ts";
import { agentContext } from "./skills.ts";
import { chosenTools, pageTools, toolsOfServers } from "./tools/index.ts";

/** The model, and the one that is asked if it fails, with their keys. */
export interface Models {
  llm: LLMOptions;
  fallback: LLMOptions | null;
}

export interface Plan extends Models, Pick<Settings, "budget" | "forbidden" | "files" | "terminal" | "subagents"> {
  isScripted: boolean;
  /** Whether it may go on on an agent server: then it has only tools that such servers have, too. */
  mayMove: boolean;
  /** The MCP servers, with their tokens. */
  servers: Record<string, MCPServer>;
  secrets: Record<string, string>;
  /** `null` keeps the policy of the conversation. */
  policy: PolicyChoice | null;
}

/** The context window of the scripted model, in tokens: invented, so that there is something to measure. */
const SCRIPTED_LIMIT = 32_000;

export const llmFor = ({ llm, fallback }: Models): LLM =>
  // Another model answers sooner than a second attempt.
  new LLM({ ...llm, ...(fallback && { fallbacks: [new LLM(fallback)], numRetries: 1 }) });

/** `pdfs` reads the text of PDFs where the agent runs. */
export function optionsFor(plan: Plan, pdfs: AttachmentReader): HomeOptions {
  const { budget, forbidden, servers, secrets, policy, isScripted } = plan;
  return {
    agent: new Agent({
      llm: llmFor(plan),
      tools: [...pageTools, ...chosenTools(plan)],
      agentContext,
      // The library knows the limits of real models only.
      condenser: { kind: "LLMSummarizingCondenser", summary: "fields", ...(isScripted && { maxTokens: SCRIPTED_LIMIT }) },
      toolConcurrencyLimit: 4,
      ...(Object.keys(servers).length > 0 && { mcpServers: servers }),
    }),
    attachments: { readers: [pdfs] },
    secrets,
    ...(policy && { confirmationPolicy: policyFor(policy), securityAnalyzer: ANALYZER }),
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

/** A client of models that is no page needs a key, also for the stand-in, which looks at none. */
const NO_KEY = "the-stand-in-needs-no-key";

/** The agent of a conversation on a server: the files and the terminal are those of the server then. */
export function agentOnServer(plan: Plan): Agent {
  const { llm, isScripted } = plan;
  return new Agent({
    llm: new LLM(isScripted ? { ...llm, apiKey: NO_KEY } : llm),
    tools: [...pageTools, ...toolsOfServers(plan)],
    agentContext,
    toolConcurrencyLimit: 4,
  });
}

/** Hooks, limits and MCP servers are of this page only. */
export function optionsOnServer(plan: Plan): HomeOptions {
  const { secrets, policy } = plan;
  return {
    agent: agentOnServer(plan),
    secrets,
    ...(policy && { confirmationPolicy: policyFor(policy), securityAnalyzer: ANALYZER }),
  };
}
