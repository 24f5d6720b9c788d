// The output of a terminal as plain text: without escape sequences, and with only the last state of lines that were overwritten.

/** Control sequences (colours, movements), operating system commands (titles, links), and other escapes. */
const ESCAPES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])|\x9b[0-?]*[ -/]*[@-~]/g;
const CONTROLS = /[\0-\x07\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

export function terminalText(output: string): string {
  const lines = output.replace(ESCAPES, "").replaceAll("\r\n", "\n").split("\n");
  return lines
    .map((line) => withBackspaces(line.slice(line.replace(/\r+$/, "").lastIndexOf("\r") + 1).replaceAll("\r", "")).replace(CONTROLS, ""))
    .join("\n");
}

function withBackspaces(line: string): string {
  if (!line.includes("\b")) return line;
  const characters: string[] = [];
  for (const character of line) {
    if (character === "\b") characters.pop();
    else characters.push(character);
  }
  return characters.join("");
}
