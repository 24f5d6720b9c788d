// Splits a command into its statements, because a terminal runs one at a time.

/**
 * The statements that begin on lines of their own; comments belong to the statement above them. A text that `parses`
 * refuses is one statement: the shell reports the error.
 * @param parses Whether a text is complete: without an open quote, bracket, loop or here-document
 */
export function statementsOf(command: string, parses: (text: string) => boolean): string[] {
  const statements: string[] = [];
  let open = "";
  for (const line of command.split("\n")) {
    open += open === "" ? line : `\n${line}`;
    if (isContinued(open) || !parses(open)) continue;
    if (isComment(open) && statements.length > 0) statements[statements.length - 1] += `\n${open}`;
    else statements.push(open);
    open = "";
  }
  if (open !== "") return [command];
  // A comment before the first statement belongs to it.
  if (statements.length > 1 && isComment(statements[0]!)) statements.splice(0, 2, `${statements[0]}\n${statements[1]}`);
  return statements.map((statement) => statement.trimEnd());
}

/** Whether the next line belongs to this one, which the parser of the library does not report. */
function isContinued(text: string): boolean {
  return /(\||&&)[ \t]*(#[^\n]*)?$/.test(text) || /(^|[^\\])(\\\\)*\\$/.test(text);
}

function isComment(text: string): boolean {
  return /^\s*(#[^\n]*)?$/.test(text) || text.split("\n").every((line) => /^\s*(#.*)?$/.test(line));
}
