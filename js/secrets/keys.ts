// The keys of models: hidden like secrets, because servers say them again. Loaded when a model has one.
import type { LLMOptions } from "../llm.js";
import { isSecretHeader } from "./registry.js";
import { spellings } from "./spellings.js";

/** Shorter ones are what local servers are given, such as `ollama`, and shorter words of a header are `Bearer`. */
const shortestKey = 8;

/** What of these headers may be a secret: those whose names look so, whole and by their words. */
export function wordsOf(headers: Record<string, string> = {}): string[] {
  const found = Object.entries(headers).filter(([name]) => isSecretHeader(name));
  return found.flatMap(([, header]) => [header, ...header.split(" ").filter(isKey)]);
}

/** Every spelling of a model's key, of what may be one in its headers, and of those of the models that answer in its place. */
export function keySpellings({ apiKey, headers, fallbacks = [] }: Partial<LLMOptions>): string[] {
  const key = typeof apiKey === "string" ? apiKey.trim() : "";
  return [...[key, ...wordsOf(headers)].filter(isKey).flatMap(spellings), ...fallbacks.flatMap((llm) => keySpellings(llm.options))];
}

export function isKey(text: string): boolean {
  return text.length >= shortestKey;
}
