// The page's agent: the model from the settings and the page's own tools.

import { Agent, LLM } from "threadkeep";
import { absoluteBaseUrl, key, settings } from "./settings.ts";
import { pageTools } from "./tools/index.ts";

function createLLM(): LLM {
  const { model, baseUrl } = settings();
  return new LLM({
    model,
    // What is stored should mean the same elsewhere, so not a path of this page.
    baseUrl: absoluteBaseUrl(baseUrl),
    // The wait between attempts is seconds long, and a person who looks at the page can press “Try again”.
    numRetries: 2,
    ...(key() === "" ? {} : { apiKey: key() }),
  });
}

export const createAgent = (): Agent => new Agent({ llm: createLLM(), tools: pageTools, toolConcurrencyLimit: 4 });
