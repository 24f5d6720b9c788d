// The text of a failure, and what helps against it.
import type { ThreadkeepError } from "threadkeep";
import type { ThreadSnapshot } from "../../thread/index.js";
import type { ControlLabels } from "./labels.js";

/** Failures after which only a fresh page can work. */
const needReload = new Set([
  "store_blocked",
  "store_unavailable",
  "store_lost",
  "store_corrupt",
  "locked_elsewhere",
  "wasm_blocked",
  "internal",
]);

export interface Failure {
  title: string;
  text: string;
  helps: "retry" | "reload";
}

/** The title of a failure of a conversation that runs at this home: one on a server asks no model from here. */
export function titleOfFailure(code: string, home: ThreadSnapshot["home"], labels: ControlLabels): string {
  return home === "server" && code === "network" ? labels.serverUnreached : (labels.failures[code] ?? labels.failed);
}

export function explain({ code, message }: ThreadkeepError, home: ThreadSnapshot["home"], labels: ControlLabels): Failure {
  return { title: titleOfFailure(code, home, labels), text: sentence(message), helps: needReload.has(code) ? "reload" : "retry" };
}

/** Whether a failure is shown beside what caused it, and so need not be shown a second time. */
export const isShownInPlace = ({ code }: ThreadkeepError): boolean => ["invalid_options", "key_locked", "locked_elsewhere"].includes(code);

/** Turns the library's message, in lower case without a full stop, into a sentence. */
export function sentence(message: string): string {
  const text = message.trim();
  if (text === "") return "";
  // A file name, an id or a URL at the beginning keeps its spelling.
  const first = /^\p{L}+(?=[\s,;]|:(?!\/)|$)/u.test(text) ? text.charAt(0).toLocaleUpperCase() : text.charAt(0);
  return first + text.slice(1) + (/[.!?…][”"')\]]*$/.test(text) ? "" : ".");
}
