// The text of a failure and the actions for it. Every failure that a user sees outside of the chat goes through here.

import { ThreadkeepError } from "threadkeep";
import { defaultLabels } from "threadkeep/preact";

export type Recovery = "retry" | "settings" | "export" | "reload" | "storage";
export interface Failure {
  title: string;
  text: string;
  recoveries: Recovery[];
}

export const RECOVERY_NAMES: Record<Exclude<Recovery, "retry">, string> = {
  settings: "Open settings",
  export: "Export a copy",
  reload: "Reload the page",
  storage: "Make room",
};

const RECOVERIES: Record<string, Recovery[]> = {
  llm_auth: ["settings", "retry"],
  key_locked: ["settings", "retry"],
  server_auth: ["settings", "retry"],
  llm_rate_limit: ["retry", "settings"],
  llm_context_window: ["settings", "export"],
  llm_content_policy: ["retry", "settings"],
  llm_bad_request: ["retry", "settings"],
  llm_unavailable: ["retry", "settings"],
  llm_timeout: ["retry", "settings"],
  network: ["retry", "settings"],
  cors: ["settings", "retry"],
  offline: ["retry"],
  aborted: ["retry"],
  store_quota: ["storage", "export", "retry"],
  store_blocked: ["reload"],
  store_unavailable: ["reload"],
  store_lost: ["reload"],
  store_corrupt: ["export", "reload"],
  locked_elsewhere: ["reload"],
  archive_invalid: [],
  wasm_blocked: ["reload"],
  not_found: [],
};

/** A short title for a failure. */
export const titleOf = (code: string): string =>
  code === "archive_invalid" ? "This file cannot be imported" : (defaultLabels.failures[code] ?? defaultLabels.failed);

/** Turns a message of the library, in lower case and without a full stop, into a sentence. */
export function sentence(message: string): string {
  const text = message.trim();
  // A file name, an id or a URL at the beginning keeps its spelling.
  const isWord = /^\p{L}+([\s,;]|:(?!\/)|$)/u.test(text);
  const begun = isWord ? text.charAt(0).toLocaleUpperCase() + text.slice(1) : text;
  return begun === "" || /[.!?…][”"')\]]*$/.test(begun) ? begun : `${begun}.`;
}

export function explain(error: unknown): Failure {
  const code = error instanceof ThreadkeepError ? error.code : "internal";
  return {
    title: titleOf(code),
    text: sentence(error instanceof Error ? error.message : String(error)),
    recoveries: RECOVERIES[code] ?? ["retry", "export", "reload"],
  };
}

/** This page's actions for a failure of a run, beside trying again; `null` is the failure of an earlier page. */
export function recoveriesFor(error: ThreadkeepError | null): Array<{ name: string; recovery: Recovery }> {
  const recoveries: Recovery[] = error === null ? ["settings"] : explain(error).recoveries;
  // The chat has buttons of its own for the others.
  return (["storage", "settings", "export"] as const)
    .filter((each) => recoveries.includes(each))
    .map((recovery) => ({ name: RECOVERY_NAMES[recovery], recovery }));
}
