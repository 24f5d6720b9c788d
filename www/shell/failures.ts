// The text of a failure and the actions for it. Every failure that a user sees goes through here.

import { ThreadkeepError } from "threadkeep";
import type { StoredEvent } from "../thread/event-shapes.ts";

export type Recovery = "retry" | "settings" | "export" | "reload";
export interface Failure {
  title: string;
  text: string;
  recoveries: Recovery[];
}

const BY_CODE: Record<string, [title: string, ...recoveries: Recovery[]]> = {
  llm_auth: ["The model did not accept the key", "settings", "retry"],
  key_locked: ["The key is locked", "settings", "retry"],
  llm_rate_limit: ["The model asks for a pause", "retry", "settings"],
  llm_context_window: ["The conversation is too long for this model", "settings", "export"],
  llm_content_policy: ["The provider declined this request", "retry", "settings"],
  llm_bad_request: ["The model did not accept the request", "retry", "settings"],
  llm_unavailable: ["The model is not available", "retry", "settings"],
  llm_timeout: ["The model took too long", "retry", "settings"],
  network: ["The model could not be reached", "retry", "settings"],
  offline: ["You are offline", "retry"],
  aborted: ["This was stopped", "retry"],
  store_quota: ["There is no room left on this device", "export", "retry"],
  store_blocked: ["The browser's storage is not available", "reload"],
  store_unavailable: ["This browser does not let the page store data", "reload"],
  store_lost: ["The browser has lost this conversation", "reload"],
  store_corrupt: ["A part of this conversation cannot be read", "export", "reload"],
  locked_elsewhere: ["This conversation is open in another tab", "reload"],
  archive_invalid: ["This file cannot be imported"],
  wasm_blocked: ["WebAssembly is switched off", "reload"],
  not_found: ["This conversation is not on this device"],
};

/** The SDK's classification of an error event. */
const BY_KIND: Record<string, [title: string, ...recoveries: Recovery[]]> = {
  auth: BY_CODE["llm_auth"]!,
  quota: ["The account's quota is used up", "settings", "retry"],
  rate_limit: BY_CODE["llm_rate_limit"]!,
  config: BY_CODE["llm_bad_request"]!,
  transient: ["The model could not answer", "retry", "settings"],
};

/** A short title for a failure. */
export const titleOf = (code: string): string => (BY_CODE[code] ?? ["Something went wrong"])[0];

export function explain(error: unknown): Failure {
  const code = error instanceof ThreadkeepError ? error.code : "internal";
  const [title, ...recoveries] = BY_CODE[code] ?? ["Something went wrong", "retry", "export", "reload"];
  return { title, text: sentence(error instanceof Error ? error.message : String(error)), recoveries };
}

/** The same for a `ConversationErrorEvent`, which may come from an earlier page. */
export function explainEvent(event: StoredEvent): Failure {
  if (event.code === "MaxIterationsReached") {
    return { title: "The run reached its maximum number of steps", text: sentence(event.detail ?? ""), recoveries: ["retry"] };
  }
  if (event.code === "MaxBudgetReached") {
    return { title: "The budget of this run is used up", text: sentence(event.detail ?? ""), recoveries: ["retry", "settings"] };
  }
  const kind = event.classification?.kind ?? "unknown";
  const [title, ...recoveries] = BY_KIND[kind] ?? ["The run ended with an error", "retry", "settings", "export"];
  return { title, text: sentence(event.detail ?? event.code ?? ""), recoveries };
}

/** Turns the library's message, in lower case without a full stop, into a sentence. */
export function sentence(message: string): string {
  const text = message.trim();
  if (text === "") return "";
  // A file name or an id at the beginning keeps its spelling.
  const first = /^\p{L}+(?=[\s,:;]|$)/u.test(text) ? text.charAt(0).toLocaleUpperCase() : text.charAt(0);
  return first + text.slice(1) + (/[.!?…][”"')\]]*$/.test(text) ? "" : ".");
}
