// The page's agent, made from the settings and the page's tools, and opening conversations with it.

import {
  type Agent,
  Conversation,
  type ConversationInfo,
  type ConversationOptions,
  type LLM,
  type LLMOptions,
  ThreadkeepError,
} from "threadkeep";
import { pdfText } from "threadkeep/pdf";
import { openThread, type Thread } from "threadkeep/thread";
import { earlySecrets, givenSecrets, keepEarlySecrets } from "../control/given-secrets.ts";
import { mcpServers } from "../settings/mcp-servers.ts";
import { loadProfile, optionsOf } from "../settings/profiles.ts";
import { allKeys, isScripted, keyIsLockedFor, settings } from "../settings/settings.ts";
import { apiKeyOf, needKey, withKey } from "../settings/unlock.ts";
import { backgroundWorker, hasSharedWorkers } from "./background.ts";
import { needServerKey, serverAt, withServerFailures } from "./on-server.ts";
import { agentOnServer, llmFor, type Models, optionsFor, optionsOnServer, type Plan } from "./plan.ts";

export const createLLM = async (): Promise<LLM> => llmFor(await models());

async function models(): Promise<Models> {
  const chosen = settings();
  const apiKey = apiKeyOf(chosen.baseUrl);
  return {
    llm: { ...optionsOf(chosen), ...(apiKey !== "" && { apiKey }) },
    fallback: chosen.fallback === "" ? null : await loadProfile(chosen.fallback, apiKeyOf),
  };
}

/** The settings with which a conversation is opened: the limits of a run, the tools and the servers from the settings, and where it runs. */
export function limits(): string {
  const { budget, forbidden, files, terminal, subagents, inBackground } = settings();
  return JSON.stringify([budget, forbidden, files, terminal, subagents, inBackground, usableServers()]);
}

/** The MCP servers that can be asked: not those whose token is locked. */
const usableServers = (): ReturnType<typeof mcpServers> =>
  mcpServers(
    settings().mcpServers.filter(({ url }) => !keyIsLockedFor(new URL(url).href)),
    allKeys(),
  );

export interface Opened {
  thread: Thread;
  /** The address of the agent server that runs it; `null` if none does. */
  server: string | null;
}

/** @throws ThreadkeepError `not_found`: a link to a deleted conversation must not create it again. */
export async function openStored(conversationId: string): Promise<Opened> {
  const { undecided, server } = await expectStored(conversationId);
  if (server !== null)
    return openedOn(server, { ...optionsOnServer(await planned({ secrets: givenSecrets(conversationId) })), conversationId });
  // Of an imported policy and the page's the stricter applies, until the user decides.
  const plan = await planned({ secrets: givenSecrets(conversationId), ...(undecided && { policy: settings().policy }) });
  return opened({ ...optionsFor(plan, pdfs), ...homeFor(plan), conversationId });
}

/** Deletes a conversation that is not open here, or no longer. Another tab that has it open, and writes it perhaps, is told. */
export async function deleteStored(conversationId: string): Promise<void> {
  try {
    await Conversation.delete(conversationId);
  } catch (error) {
    if (!(error instanceof ThreadkeepError && error.code === "locked_elsewhere")) throw error;
    const conversation = await Conversation.open({ ...optionsFor(await planned({}), pdfs), conversationId, deleteOnClose: true });
    await conversation.takeOver();
    await conversation.close();
  }
}

export async function createConversation(): Promise<Opened> {
  // Before anything is stored that would be empty.
  await needKey();
  const { agentServer, beginsOnServer } = settings();
  const server = agentServer !== null && beginsOnServer ? agentServer.host : null;
  if (server !== null) await needServerKey(server);
  const plan = await planned({ policy: settings().policy, secrets: earlySecrets() });
  const created =
    server !== null ? await openedOn(server, optionsOnServer(plan)) : await opened({ ...optionsFor(plan, pdfs), ...homeFor(plan) });
  keepEarlySecrets(created.thread.getSnapshot().conversationId!);
  return created;
}

const opened = async (options: ConversationOptions): Promise<Opened> => ({
  thread: await whenOpen(withKey(openThread(options))),
  server: null,
});

/** The server has the model's key already. */
const openedOn = async (server: string, options: ConversationOptions): Promise<Opened> => ({
  thread: await whenOpen(withServerFailures(openThread({ ...options, home: serverAt(server) }), server)),
  server,
});

/** The agent that goes on with a conversation of this page on a server. */
export const createAgentOnServer = async (): Promise<Agent> => agentOnServer(await planned({}));

async function whenOpen(thread: Thread): Promise<Thread> {
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

/** How a conversation is opened with the current settings. */
async function planned({ secrets = {}, policy = null }: Partial<Pick<Plan, "secrets" | "policy">>): Promise<Plan> {
  const { budget, forbidden, files, terminal, subagents, agentServer } = settings();
  const own = { budget, forbidden, files, terminal, subagents, isScripted: isScripted(), servers: usableServers() };
  const mayMove = agentServer !== null;
  return { ...(await models()), ...own, mayMove, secrets, policy };
}

/**
 * The worker, if a conversation can run there. A locked key is asked for in the tab that runs it, and whether a server is connected is
 * known only there.
 */
function homeFor(plan: Plan): Pick<ConversationOptions, "home"> {
  const isPlain = (llm: LLMOptions | null): boolean => typeof llm?.apiKey !== "function";
  const canRunThere = isPlain(plan.llm) && isPlain(plan.fallback) && Object.keys(plan.servers).length === 0;
  const worker = settings().inBackground && hasSharedWorkers && canRunThere ? backgroundWorker() : null;
  return worker ? { home: { worker, data: plan } } : {};
}

async function expectStored(conversationId: string): Promise<ConversationInfo> {
  const isIt = ({ id }: ConversationInfo): boolean => id === conversationId;
  const stored = (await Conversation.list()).find(isIt) ?? (await Conversation.list({ trashed: true })).find(isIt);
  if (stored) return stored;
  throw new ThreadkeepError("not_found", `there is no conversation ${conversationId} in this browser; it may have been deleted`);
}
