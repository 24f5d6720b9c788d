// The text of a failure and the actions for it. Every failure that a user sees outside of the chat goes through here.

import { ThreadkeepError } from "threadkeep";
import { defaultLabels } from "threadkeep/preact";

export type Recovery = "settings" | "storage" | "export" | "reload";

export const recoveryNames: Record<Recovery, string> = {
  settings: "Open settings",
  storage: "Make room",
  export: "Export a copy",
  reload: "Reload the page",
};

/** What the recoveries do. The page adds its own when it starts. */
export const recoveryActs: Partial<Record<Recovery, () => unknown>> = { reload: () => location.reload() };

const settings: readonly Recovery[] = ["settings"];
const reload: readonly Recovery[] = ["reload"];

/** Of the other codes that begin with `llm_`, and of these. */
const recoveries: Record<string, readonly Recovery[]> = {
  llm_context_window: ["settings", "export"],
  key_locked: settings,
  server_auth: settings,
  network: settings,
  cors: settings,
  offline: [],
  aborted: [],
  store_quota: ["storage", "export"],
  store_blocked: reload,
  store_unavailable: reload,
  store_lost: reload,
  store_corrupt: ["export", "reload"],
  locked_elsewhere: reload,
  wasm_blocked: reload,
  not_found: [],
};

export interface Failure {
  title: string;
  text: string;
  recoveries: readonly Recovery[];
}

export function explain(error: unknown): Failure {
  const code = error instanceof ThreadkeepError ? error.code : "internal";
  return {
    title: defaultLabels.failures[code] ?? defaultLabels.failed,
    text: sentence(error instanceof Error ? error.message : String(error)),
    recoveries: recoveries[code] ?? (code.startsWith("llm_") ? settings : ["export", "reload"]),
  };
}

/** Turns a message of the library, in lower case and without a full stop, into a sentence. */
export function sentence(message: string): string {
  const text = message.trim();
  // A file name, an id or a URL at the beginning keeps its spelling.
  const isWord = /^\p{L}+([\s,;]|:(?!\/)|$)/u.test(text);
  const begun = isWord ? text.charAt(0).toLocaleUpperCase() + text.slice(1) : text;
  return begun === "" || /[.!?…][”"')\]]*$/.test(begun) ? begun : `${begun}.`;
}

/** This page's actions for a failure of a run, beside those of the chat; `null` is the failure of an earlier page. */
export function recoveriesFor(error: ThreadkeepError | null): Array<{ name: string; act: () => void }> {
  const wanted = error === null ? settings : explain(error).recoveries;
  return (["storage", "settings", "export"] as const)
    .filter((each) => wanted.includes(each))
    .map((each) => ({ name: recoveryNames[each], act: () => void recoveryActs[each]?.() }));
}
