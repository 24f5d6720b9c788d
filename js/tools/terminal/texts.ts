// Texts of the terminal's results. Models and programs know those of the SDK, so the same cases have the same texts.
import { clip } from "../text.js";

/** The longest text of a result, in characters, as in the SDK. */
const longestText = 30_000;
const clipNotice = "<response clipped><NOTE>Due to the max output limit, only part of the full response has been shown to you.</NOTE>";

export const resetText = "Terminal session has been reset. All previous environment variables and session state have been cleared.";
export const noLogsText = "No previous running command to retrieve logs from.";
export const noInputText = "No previous running command to interact with.";

export function severalCommandsText(statements: readonly string[]): string {
  const list = statements.map((statement, i) => `(${i + 1}) ${statement}`).join("\n");
  return `Cannot execute multiple commands at once.\nPlease run each command separately OR chain them into a single command via && or ;\nProvided commands:\n${list}`;
}

export function completedSuffix(exitCode: number): string {
  return `\n[The command completed with exit code ${exitCode}.]`;
}

/** Unlike in the SDK, nothing goes on after the result. */
export function stoppedSuffix(seconds: number): string {
  return `\n[The command was stopped after ${seconds} seconds. Changes that it had made to files remain. Do less at once, or set the timeout parameter to more seconds.]`;
}

/** The refusal of a command that is data of another language; `undefined` if it looks like a command. */
export function literalText(command: string): string | undefined {
  const text = command.trimStart();
  const kind = /^\[[{"']/.test(text) ? "list literal" : /^\[\[[^ \t]/.test(text) ? "nested list literal" : /^\{["']/.test(text) ? "dict literal" : undefined;
  if (!kind) return undefined;
  const head = [...text].slice(0, 60).join("");
  return `[Tool-argument error] The \`command\` argument looks like a Python/JSON ${kind}, not a shell command. It starts with: ${JSON.stringify(head)}\n\nThe \`terminal\` tool runs exactly ONE shell command at a time. To pass structured data, write it to a file first, or use a here-document.`;
}

/** The start and the end of a text that is too long. */
export function clipped(text: string): string {
  return clip(text, longestText, clipNotice);
}
