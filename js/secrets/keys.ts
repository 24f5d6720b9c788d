// Keys of models are hidden like secrets, because servers repeat them in errors. Loaded when a model has a key.
import type { LLMOptions } from "../llm/llm.js";
import { isSecretHeader } from "./registry.js";
import { spellings } from "./spellings.js";

/** Shorter keys are those of local servers, such as `ollama`; shorter words in a header are for example `Bearer`. */
const shortestKey = 8;

/** The values of headers with secret-looking names, and the single words in them. */
export function secretsOf(headers: Record<string, string> = {}): string[] {
  const found = Object.entries(headers).filter(([name]) => isSecretHeader(name));
  return found.flatMap(([, header]) => [header, ...header.split(" ").filter(isKey)]);
}

/** All spellings of a model's key, of secrets in its headers, and of those of its fallbacks. */
export function keySpellings({ apiKey, headers, fallbacks = [] }: Partial<LLMOptions>): string[] {
  const key = typeof apiKey === "string" ? apiKey.trim() : "";
  return [...[key, ...secretsOf(headers)].filter(isKey).flatMap(spellings), ...fallbacks.flatMap((llm) => keySpellings(llm.options))];
}

export function isKey(text: string): boolean {
  return text.length >= shortestKey;
}
