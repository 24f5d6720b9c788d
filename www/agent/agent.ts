// The page's agent, made from the settings and the page's tools, and opening conversations with it.

import { Agent, Conversation, type ConversationInfo, type ConversationOptions, LLM, ThreadkeepError } from "threadkeep";
import { pdfText } from "threadkeep/pdf";
import { openThread, type Thread } from "threadkeep/thread";
import { folderOf, usesFolder } from "../files/folders.ts";
import { earlySecrets, givenSecrets, keepEarlySecrets } from "../control/given-secrets.ts";
import { mcpServers } from "../settings/mcp-servers.ts";
import { ANALYZER, policyFor } from "../control/policy.ts";
import { loadProfile, optionsOf } from "../settings/profiles.ts";
import { allKeys, isScripted, keyIsLockedFor, settings } from "../settings/settings.ts";
import { apiKeyOf, needKey, withKey } from "../settings/unlock.ts";
import { agentContext } from "./skills.ts";
import { chosenTools, pageTools } from "./tools/index.ts";

/** The context window of the scripted model, in tokens: invented, so that there is something to measure. */
const SCRIPTED_LIMIT = 32_000;

export async function createLLM(): Promise<LLM> {
  const chosen = settings();
  const apiKey = apiKeyOf(chosen.baseUrl);
  const fallback = chosen.fallback === "" ? null : await loadProfile(chosen.fallback, apiKeyOf);
  return new LLM({
    ...optionsOf(chosen),
    ...(apiKey !== "" && { apiKey }),
    // Another model answers sooner than a second attempt.
    ...(fallback && { fallbacks: [fallback], numRetries: 1 }),
  });
}

/** The limits of a run, the tools and the servers from the settings; they are set when a conversation is opened. */
export function limits(): string {
  const { budget, forbidden, files, terminal, subagents } = settings();
  return JSON.stringify([budget, forbidden, files, terminal, subagents, usableServers()]);
}

/** The MCP servers that can be asked: not those whose token is locked. */
const usableServers = (): ReturnType<typeof mcpServers> =>
  mcpServers(
    settings().mcpServers.filter(({ url }) => !keyIsLockedFor(new URL(url).href)),
    allKeys(),
  );

/** @throws ThreadkeepError `not_found`: a link to a deleted conversation must not create it again. */
export async function openStored(conversationId: string): Promise<Thread> {
  const { undecided } = await expectStored(conversationId);
  // Of an imported policy and the page's the stricter applies, until the user decides.
  return opened({
    ...(await openingOptions()),
    ...(undecided && policyOfPage()),
    ...(usesFolder(conversationId) && { workspace: folderOf(conversationId) }),
    conversationId,
    secrets: givenSecrets(conversationId),
  });
}

/** Deletes a conversation that was open here. Another tab that has it open, and may have taken the place of this one, is told. */
export async function deleteStored(conversationId: string): Promise<void> {
  try {
    await Conversation.delete(conversationId);
  } catch (error) {
    if (!(error instanceof ThreadkeepError && error.code === "locked_elsewhere")) throw error;
    const conversation = await Conversation.open({ ...(await openingOptions()), conversationId, deleteOnClose: true });
    await conversation.takeOver();
    await conversation.close();
  }
}

const policyOfPage = (): Pick<ConversationOptions, "confirmationPolicy" | "securityAnalyzer"> => ({
  confirmationPolicy: policyFor(settings().policy),
  securityAnalyzer: ANALYZER,
});

/** The tag of a title that is only the beginning of the first message. */
export const PROVISIONAL = "provisionaltitle";

export async function createConversation(title: string): Promise<Thread> {
  // Before anything is stored that would be empty.
  await needKey();
  const thread = await opened({
    ...(await openingOptions()),
    tags: { title, [PROVISIONAL]: "yes" },
    ...policyOfPage(),
    secrets: earlySecrets(),
  });
  keepEarlySecrets(thread.getSnapshot().conversationId!);
  return thread;
}

async function opened(options: ConversationOptions): Promise<Thread> {
  const thread = withKey(openThread(options));
  try {
    await thread.opened();
    return thread;
  } catch (error) {
    await thread.close();
    throw error;
  }
}

/** PDF.js is loaded with the first PDF. */
const pdfs = pdfText({
  workerSrc: new URL("pdf.worker.min.mjs", document.baseURI),
  pdfjs: () => import("pdfjs-dist/legacy/build/pdf.mjs"),
});

/** The agent with the current settings. */
async function openingOptions(): Promise<ConversationOptions> {
  const { budget, forbidden } = settings();
  const servers = usableServers();
  return {
    agent: new Agent({
      llm: await createLLM(),
      tools: [...pageTools, ...chosenTools(settings())],
      agentContext,
      // The library knows the limits of real models only.
      condenser: { kind: "LLMSummarizingCondenser", summary: "fields", ...(isScripted() && { maxTokens: SCRIPTED_LIMIT }) },
      toolConcurrencyLimit: 4,
      ...(Object.keys(servers).length > 0 && { mcpServers: servers }),
    }),
    attachments: { readers: [pdfs] },
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

async function expectStored(conversationId: string): Promise<ConversationInfo> {
  const stored = (await Conversation.list()).find(({ id }) => id === conversationId);
  if (stored) return stored;
  throw new ThreadkeepError("not_found", `there is no conversation ${conversationId} in this browser; it may have been deleted`);
}
