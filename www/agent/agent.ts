// Opens conversations with the page's agent, as the settings say: in this tab, in the worker for all tabs, or on an agent server.

import { Conversation, type ConversationOptions, type LLM, ThreadkeepError } from "threadkeep";
import { pdfText } from "threadkeep/pdf";
import { openThread, type Thread } from "threadkeep/thread";
import { keepSecrets, secretsOf } from "../control/secrets.ts";
import { mcpServers } from "../settings/mcp-servers.ts";
import { isScripted, keyIsLockedFor, modelOptions, settings } from "../settings/settings.ts";
import { needKey } from "../settings/unlock.ts";
import { backgroundWorker } from "./background.ts";
import { llmFor, optionsFor, optionsOnServer, type Plan } from "./plan.ts";
import { needServerKey, serverAt } from "./server.ts";

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
  const opened = await open(await planned(secretsOf(), policy), server);
  keepSecrets(opened.thread.getSnapshot().conversationId!);
  return opened;
}

/** @throws ThreadkeepError `not_found`: a link to a deleted conversation must not create it again. */
export async function openStored(conversationId: string): Promise<Opened> {
  const all = [...(await Conversation.list()), ...(await Conversation.list({ trashed: true }))];
  const stored = all.find(({ id }) => id === conversationId);
  if (!stored)
    throw new ThreadkeepError("not_found", `there is no conversation ${conversationId} in this browser; it may have been deleted`);
  // Of an imported policy and the page's the stricter applies, until the user decides.
  const plan = await planned(secretsOf(conversationId), stored.undecided && stored.server === null ? settings().policy : null);
  return open(plan, stored.server, conversationId);
}

/** Deletes a conversation that is not open here, or no longer. Another tab that has it open, and writes it perhaps, is told. */
export async function deleteStored(conversationId: string): Promise<void> {
  try {
    await Conversation.delete(conversationId);
  } catch (error) {
    if (!(error instanceof ThreadkeepError && error.code === "locked_elsewhere")) throw error;
    const conversation = await Conversation.open({ ...optionsFor(await planned(), pdfs), conversationId, deleteOnClose: true });
    await conversation.takeOver();
    await conversation.close();
  }
}

async function open(plan: Plan, server: string | null, conversationId?: string): Promise<Opened> {
  const id = conversationId === undefined ? {} : { conversationId };
  const thread =
    server === null
      ? openThread({ ...optionsFor(plan, pdfs), ...homeFor(plan), ...id })
      : openThread({ ...optionsOnServer(plan), home: serverAt(server), ...id }); // The server has the model's key already.
  try {
    await thread.opened();
    return { thread, server };
  } catch (error) {
    await thread.close();
    throw error;
  }
}

/** The worker, if a conversation can run there: a locked key is asked for, and a server is connected, in the tab that runs it. */
function homeFor(plan: Plan): Pick<ConversationOptions, "home"> {
  const canRunThere = typeof plan.llm.apiKey !== "function" && Object.keys(plan.servers).length === 0;
  const worker = settings().inBackground && canRunThere ? backgroundWorker() : null;
  return worker ? { home: { worker, data: plan } } : {};
}

/** PDF.js is loaded with the first PDF. */
const pdfs = pdfText({
  workerSrc: new URL("pdf.worker.min.mjs", document.baseURI),
  pdfjs: () => import("pdfjs-dist/legacy/build/pdf.mjs"),
});

/** How a conversation is opened with the current settings. */
async function planned(secrets: Plan["secrets"] = {}, policy: Plan["policy"] = null): Promise<Plan> {
  const { budget, forbidden, files, terminal, subagents } = settings();
  const own = { budget, forbidden, files, terminal, subagents, isScripted: isScripted(), servers: usableServers() };
  return { llm: modelOptions(), ...own, secrets, policy };
}

export const createLLM = (): LLM => llmFor({ llm: modelOptions() });

/** The settings with which a conversation is opened, beside the model: with others it is opened again. */
export function limits(): string {
  const { budget, forbidden, files, terminal, subagents, inBackground } = settings();
  return JSON.stringify([budget, forbidden, files, terminal, subagents, inBackground, usableServers()]);
}

/** The MCP servers that can be asked: not those whose token is locked. */
const usableServers = (): ReturnType<typeof mcpServers> =>
  mcpServers(settings().mcpServers.filter(({ url }) => !keyIsLockedFor(new URL(url).href)));
