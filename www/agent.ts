// The page's agent: the model from the settings, the page's own tools, and what the settings allow it.

import { Agent, type ConversationOptions, LLM } from "threadkeep";
import { absoluteBaseUrl, key, settings } from "./settings.ts";
import { pageTools } from "./tools/index.ts";

function createLLM(): LLM {
  const { model, baseUrl, inputPrice, outputPrice } = settings();
  return new LLM({
    model,
    // What is stored should mean the same elsewhere, so not a path of this page.
    baseUrl: absoluteBaseUrl(baseUrl),
    // The wait between attempts is seconds long, and a person who looks at the page can press “Try again”.
    numRetries: 2,
    ...((inputPrice > 0 || outputPrice > 0) && { inputCostPerToken: inputPrice / 1e6, outputCostPerToken: outputPrice / 1e6 }),
    ...(key() === "" ? {} : { apiKey: key() }),
  });
}

/** What every conversation of this page is opened with, as the settings are in this moment. */
export function openingOptions(): ConversationOptions {
  const { budget, forbidden } = settings();
  return {
    agent: new Agent({ llm: createLLM(), tools: pageTools, toolConcurrencyLimit: 4 }),
    ...(budget !== null && { maxBudgetPerRun: budget }),
    // Without a wish there is no hook: each answer of one is an event in the log.
    ...(forbidden !== "" && {
      hooks: {
        preToolUse: ({ tool_name: name }) => (name === forbidden ? { decision: "deny", reason: `The user has forbidden ${forbidden} in the settings of the page.` } : undefined),
      },
    }),
  };
}
