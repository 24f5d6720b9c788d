// The parts that `grep` and `glob` share: patterns of names, the order of files, and the form of results.
import type { Workspace, WorkspaceEntry } from "../workspace/types.js";
import { absolutePath } from "./paths.js";
import { byCodePoints } from "./text.js";

const maxResults = 100;

/** The JSON schema of a search: for its pattern, for the directory that it searches, and for what only one of the tools has. */
export function searchSchema<More extends Record<string, object>>(pattern: string, more: More) {
  return {
    type: "object",
    properties: {
      pattern: { type: "string", description: pattern },
      path: { type: "string", description: "The absolute path of the directory to search; by default the working directory." },
      ...more,
    },
    required: ["pattern"],
  } as const;
}

/** Waits, now and then, until the page has handled its own events. */
export class Pauses {
  #next = Date.now() + 30;

  /** @throws the reason of the signal when it is aborted */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (Date.now() < this.#next) return;
    await new Promise((resolve) => setTimeout(resolve));
    this.#next = Date.now() + 30;
  }
}

/** The paths of the newest files, and whether there were more. */
export function newest(workspace: Workspace, files: readonly WorkspaceEntry[]): { paths: string[]; truncated: boolean } {
  const sorted = [...files].sort((one, other) => other.modifiedAt - one.modifiedAt || byCodePoints(one.path, other.path));
  return { paths: sorted.slice(0, maxResults).map(({ path }) => absolutePath(workspace, path)), truncated: files.length > maxResults };
}

/** The list of files in a result. */
export function listing(begin: string, paths: readonly string[], truncated: boolean): string {
  const note = truncated ? `\n\n[There are more. These ${maxResults} were changed last; a narrower pattern or path finds others.]` : "";
  return `${begin}: ${paths.length}\n${paths.join("\n")}${note}`;
}

/** The alternatives of a pattern with braces: `*.{ts,tsx}` is `*.ts` or `*.tsx`. Braces without a comma are characters. */
export function alternatives(pattern: string): string[] {
  const open = /\{([^{}]*,[^{}]*)\}/.exec(pattern);
  if (!open) return [pattern];
  const [before, after] = [pattern.slice(0, open.index), pattern.slice(open.index + open[0].length)];
  const all = open[1]!.split(",").flatMap((choice) => alternatives(before + choice + after));
  // Enough for any list of extensions; more would come from a pattern made to be slow.
  if (all.length > 1000) throw new Error(`the pattern ${pattern.slice(0, 100)} has more than 1000 alternatives`);
  return [...new Set(all)];
}

/** Whether a name matches a pattern of Python's `fnmatch`: `*`, `?`, `[abc]`, `[!abc]`. */
export function nameMatcher(pattern: string): (name: string) => boolean {
  const parts = partsOf(pattern);
  return (name) => matches(parts, Array.from(name));
}

type Part = "*" | ((character: string) => boolean);

function partsOf(pattern: string): Part[] {
  const characters = Array.from(pattern);
  const parts: Part[] = [];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at]!;
    // A bracket directly after the opening one, or after the `!`, is a member of the set.
    const first = at + (characters[at + 1] === "!" ? 2 : 1);
    const end = character === "[" ? characters.indexOf("]", first + 1) : -1;
    if (character === "*") parts.push("*");
    else if (character === "?") parts.push(() => true);
    else if (end > 0) {
      parts.push(setOf(characters.slice(first, end), first > at + 1));
      at = end;
    } else parts.push((other) => other === character);
  }
  return parts;
}

function setOf(members: readonly string[], isNegated: boolean): (character: string) => boolean {
  const ranges: Array<[number, number]> = [];
  for (let at = 0; at < members.length; at += 1) {
    const isRange = members[at + 1] === "-" && at + 2 < members.length;
    ranges.push([members[at]!.codePointAt(0)!, members[isRange ? at + 2 : at]!.codePointAt(0)!]);
    if (isRange) at += 2;
  }
  return (character) => {
    const code = character.codePointAt(0)!;
    return ranges.some(([from, to]) => from <= code && code <= to) !== isNegated;
  };
}

/** Compares from left to right; after a mismatch the last `*` takes one character more, so this takes no exponential time. */
function matches(parts: readonly Part[], name: readonly string[]): boolean {
  let [part, at, star, from] = [0, 0, -1, 0];
  while (at < name.length) {
    const current = parts[part];
    if (current === "*") [star, from] = [part++, at];
    else if (current?.(name[at]!)) [part, at] = [part + 1, at + 1];
    else if (star >= 0) [part, at] = [star + 1, (from += 1)];
    else return false;
  }
  return parts.slice(part).every((rest) => rest === "*");
}
