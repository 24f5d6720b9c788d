// Opens conversations with the page's agent, as the settings say: in this browser, or on an agent server.

import { Agent, type AgentContextOptions, Conversation, type ConversationOptions, LLM, ThreadkeepError } from "threadkeep";
import { pdfText } from "threadkeep/pdf";
import { openThread, type Thread } from "threadkeep/thread";
import { needServerKey, serverAt } from "../server/agent-server.ts";
import { isScripted, mcpServers, modelOptions, needKey, settings } from "../settings/settings.ts";
import { analyzer, type PolicyChoice, policyFor } from "./policy.ts";
import { secretsOf } from "./secrets.ts";
import { chosenTools, pageTools } from "./tools.ts";

export interface Opened {
  thread: Thread;
  /** The address of the agent server that runs it; `null` if none does. */
  server: string | null;
}

export async function createConversation(): Promise<Opened> {
  // Before anything is stored that would be empty.
  await needKey();
  const { agentServer, beginsOnServer, policy } = settings();
  const server = agentServer !== null && beginsOnServer ? agentServer.host : null;
  if (server !== null) await needServerKey(server);
  return open(server, decisions(policy));
}

/** @throws ThreadkeepError `not_found`: a link to a deleted conversation must not create it again. */
export async function openStored(conversationId: string): Promise<Opened> {
  const all = [...(await Conversation.list()), ...(await Conversation.list({ trashed: true }))];
  const stored = all.find(({ id }) => id === conversationId);
  if (!stored)
    throw new ThreadkeepError("not_found", `there is no conversation ${conversationId} in this browser; it may have been deleted`);
  // Of an imported policy and the page's the stricter applies, until the user decides.
  const decided = stored.undecided && stored.server === null ? decisions(settings().policy) : {};
  return open(stored.server, { conversationId, secrets: secretsOf(conversationId), ...decided });
}

/** Deletes a conversation that is not open here, or no longer. Another tab that has it open, and writes it perhaps, is told. */
export async function deleteStored(conversationId: string): Promise<void> {
  try {
    await Conversation.delete(conversationId);
  } catch (error) {
    if (!(error instanceof ThreadkeepError && error.code === "locked_elsewhere")) throw error;
    const conversation = await Conversation.open({ ...optionsHere(), conversationId, deleteOnClose: true });
    await conversation.takeOver();
    await conversation.close();
  }
}

async function open(server: string | null, own: Partial<ConversationOptions>): Promise<Opened> {
  const options = server === null ? optionsHere() : { agent: agentOnServer(), home: serverAt(server) };
  const thread = openThread({ ...options, ...own });
  try {
    await thread.opened();
    return { thread, server };
  } catch (error) {
    await thread.close();
    throw error;
  }
}

const decisions = (policy: PolicyChoice): Partial<ConversationOptions> => ({
  confirmationPolicy: policyFor(policy),
  securityAnalyzer: analyzer,
});

export const createLLM = (): LLM => new LLM(modelOptions());

/** The settings with which a conversation is opened, beside the model: with others it is opened again. */
export function limits(): string {
  const { budget, files, terminal, subagents } = settings();
  return JSON.stringify([budget, files, terminal, subagents, mcpServers()]);
}

/** The context window of the scripted model, in tokens: invented, so that there is something to measure. */
const scriptedLimit = 32_000;

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

/** PDF.js is loaded with the first PDF. */
const pdfs = pdfText({
  workerSrc: new URL("pdf.worker.min.mjs", document.baseURI),
  pdfjs: () => import("pdfjs-dist/legacy/build/pdf.mjs"),
});

function optionsHere(): ConversationOptions {
  const { budget } = settings();
  const servers = mcpServers();
  return {
    agent: new Agent({
      llm: createLLM(),
      tools: [...pageTools, ...chosenTools(settings(), false)],
      agentContext,
      // The library knows the limits of real models only.
      condenser: { kind: "LLMSummarizingCondenser", summary: "fields", ...(isScripted() && { maxTokens: scriptedLimit }) },
      toolConcurrencyLimit: 4,
      ...(Object.keys(servers).length > 0 && { mcpServers: servers }),
    }),
    attachments: { readers: [pdfs] },
    ...(budget !== null && { maxBudgetPerRun: budget }),
  };
}

/** On a server the files and the terminal are those of the server, and there are no limits and MCP servers of this page. */
function agentOnServer(): Agent {
  // A client of models that is no page needs a key, also for the stand-in, which looks at none.
  const llm = isScripted() ? new LLM({ ...modelOptions(), apiKey: "the-stand-in-needs-no-key" }) : createLLM();
  return new Agent({ llm, tools: [...pageTools, ...chosenTools(settings(), true)], agentContext, toolConcurrencyLimit: 4 });
}
