// The page's agent: the model from the settings, the page's own tools, and what the settings allow it. And the
// conversations that are opened with it.

import { Agent, Conversation, type ConversationInfo, type ConversationOptions, LLM, ThreadkeepError } from "threadkeep";
import { givenSecrets } from "./given-secrets.ts";
import { ANALYZER, policyFor } from "./policy.ts";
import { loadProfile, optionsOf } from "./profiles.ts";
import { keyOf, settings } from "./settings.ts";
import { pageTools } from "./tools/index.ts";

export async function createLLM(): Promise<LLM> {
  const chosen = settings();
  const apiKey = keyOf(chosen.baseUrl);
  const fallback = chosen.fallback === "" ? null : await loadProfile(chosen.fallback, keyOf);
  return new LLM({
    ...optionsOf(chosen),
    ...(apiKey !== "" && { apiKey }),
    // Another model answers sooner than a second attempt.
    ...(fallback && { fallbacks: [fallback], numRetries: 1 }),
  });
}

/** What the settings allow a run: it is decided when a conversation is opened. */
export const limits = (): string => JSON.stringify([settings().budget, settings().forbidden]);

/** @throws ThreadkeepError `not_found`: a link to what was deleted must not create it anew. */
export async function openStored(conversationId: string): Promise<Conversation> {
  const { undecided } = await expectStored(conversationId);
  // Of an import the stricter of its settings and the page's hold, until the user decides about it.
  return Conversation.open({ ...(await openingOptions()), ...(undecided && policyOfPage()), conversationId, secrets: givenSecrets(conversationId) });
}

const policyOfPage = (): Pick<ConversationOptions, "confirmationPolicy" | "securityAnalyzer"> => ({ confirmationPolicy: policyFor(settings().policy), securityAnalyzer: ANALYZER });

export async function createConversation(title: string): Promise<Conversation> {
  return Conversation.open({ ...(await openingOptions()), tags: { title }, ...policyOfPage() });
}

/** As the settings are in this moment. */
async function openingOptions(): Promise<ConversationOptions> {
  const { budget, forbidden } = settings();
  return {
    agent: new Agent({ llm: await createLLM(), tools: pageTools, toolConcurrencyLimit: 4 }),
    ...(budget !== null && { maxBudgetPerRun: budget }),
    // Without a wish there is no hook: each answer of one is an event in the log.
    ...(forbidden !== "" && {
      hooks: {
        preToolUse: ({ tool_name: name }) => (name === forbidden ? { decision: "deny", reason: `The user has forbidden ${forbidden} in the settings of the page.` } : undefined),
      },
    }),
  };
}

async function expectStored(conversationId: string): Promise<ConversationInfo> {
  const stored = (await Conversation.list()).find(({ id }) => id === conversationId);
  if (stored) return stored;
  throw new ThreadkeepError("not_found", `there is no conversation ${conversationId} in this browser; it may have been deleted`);
}
