// What of an action is looked at, and how it is spelt before any rule sees it: the SDK's
// `security/defense_in_depth/utils.py`.
//
// Two texts: what the call will do (arguments, names) and what was thought about it. Rules about deeds see the first
// alone, so that thinking of a danger is not one.
import type { ActionEvent } from "../events.js";

/** Characters of each text that are looked at; what is beyond is not seen, in the SDK as here. */
const longest = 30_000;

/** The string values of the arguments, and the tool's names; each a segment of its own. */
export function deeds(action: ActionEvent): string[] {
  const segments = new Segments();
  const text = action.tool_call?.arguments;
  if (text) {
    try {
      // All of them before any is taken: arguments that cannot be walked to their end are taken as one text.
      for (const leaf of leaves(JSON.parse(text), [])) segments.add(leaf);
    } catch {
      segments.add(text);
    }
  }
  if (action.tool_name) segments.add(action.tool_name);
  if (action.tool_call?.name) segments.add(action.tool_call.name);
  return segments.list;
}

/** What was said and thought beside the call. The summary comes first: long thoughts must not push it out. */
export function thoughts(action: ActionEvent): string[] {
  const segments = new Segments();
  if (action.summary) segments.add(action.summary);
  if (action.reasoning_content) segments.add(action.reasoning_content);
  for (const { text } of action.thought ?? []) if (text) segments.add(text);
  return segments.list;
}

/** Undoes what hides a word from a rule and not from whoever acts on it: invisible characters, wide letters, spaces. */
export function normalize(text: string): string {
  return text.replace(invisible, "").normalize("NFKC").replace(/\s+/g, " ");
}

/** Zero-width, format, bidirectional, variation and tag characters, and controls other than tab and line ends. */
const invisible =
  /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u1680\u180b-\u180f\u2009\u200a-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffc\u{e0000}-\u{e007f}\u{e0100}-\u{e01ef}]/gu;

/** Texts that together, with a space between, are no longer than the limit. */
class Segments {
  readonly list: string[] = [];
  #length = 0;

  add(text: string): void {
    const separator = this.list.length > 0 ? 1 : 0;
    const room = longest - this.#length - separator;
    if (room <= 0) return;
    const { clipped, length } = clip(text, room);
    this.list.push(clipped);
    this.#length += length + separator;
  }
}

/** Counts in characters, as Python does, not in UTF-16 units. */
function clip(text: string, room: number): { clipped: string; length: number } {
  let length = 0;
  let end = 0;
  while (end < text.length && length < room) {
    end += text.codePointAt(end)! > 0xffff ? 2 : 1;
    length += 1;
  }
  return { clipped: text.slice(0, end), length };
}

function leaves(value: unknown, found: string[]): string[] {
  if (typeof value === "string") found.push(value);
  else if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) leaves(inner, found);
  return found;
}
