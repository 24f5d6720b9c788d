// Texts of the terminal's results. The cases are those of the SDK.
import { clip } from "../text.js";

/** The longest text of a result, in characters, as in the SDK. */
const longestText = 30_000;
const clipNotice =
  "\n[The middle of the output is left out here: it is too long to be shown at once. Write it to a file, and show the part that you need.]\n";

export const resetText =
  "This is a new session: variables, the working directory and temporary files are as at the beginning. The workspace is unchanged.";
export const noLogsText = "There is no command to run, and none is running whose output could be read.";
export const noInputText = "No command is running that could read this input. Run it as a command, without `is_input`.";

export function severalCommandsText(statements: readonly string[]): string {
  const list = statements.map((statement, i) => `(${i + 1}) ${statement}`).join("\n");
  return `Nothing was run: these are ${statements.length} commands, and a call runs one. Join them with && or ;, or make a call for each.\n${list}`;
}

/** Unlike in the SDK, nothing goes on after the result. */
export function stoppedSuffix(seconds: number): string {
  return `\n[The command was stopped after ${seconds} seconds. Changes that it had made to files remain. Do less at once, or set the timeout parameter to more seconds.]`;
}

/** The refusal of a command that is data of another language; `undefined` if it looks like a command. */
export function literalText(command: string): string | undefined {
  const text = command.trimStart();
  const kind = /^\[[{"']/.test(text)
    ? "list"
    : /^\[\[[^ \t]/.test(text)
      ? "list of lists"
      : /^\{["']/.test(text)
        ? "dictionary"
        : undefined;
  if (!kind) return undefined;
  const head = [...text].slice(0, 60).join("");
  return `Nothing was run: \`command\` must be one shell command, and this is a ${kind} in Python or JSON, which begins with ${JSON.stringify(head)}. Data can be written to a file first, or given in a here-document.`;
}

/** The start and the end of a text that is too long. */
export function clipped(text: string): string {
  return clip(text, longestText, clipNotice);
}
