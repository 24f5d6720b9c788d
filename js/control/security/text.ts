// The texts of an action that are searched, and how they are normalized before: the SDK's
// `security/defense_in_depth/utils.py`.
//
// Two texts: what the call will do (arguments, names), and the thoughts about it. Rules about calls search only the
// first, so that thinking of a danger is not dangerous.
import type { ActionEvent } from "../../events/events.js";

/** How many characters of each text are searched, as in the SDK. */
const maxCharacters = 30_000;

/** The string values of the arguments, and the tool's names, each as a text of its own. */
export function callTexts(action: ActionEvent): string[] {
  const segments = new Segments();
  const text = action.tool_call?.arguments;
  if (text) {
    try {
      // All values are collected before one is added: if the arguments cannot be parsed, they are searched as one text.
      for (const leaf of leaves(JSON.parse(text), [])) segments.add(leaf);
    } catch {
      segments.add(text);
    }
  }
  if (action.tool_name) segments.add(action.tool_name);
  if (action.tool_call?.name) segments.add(action.tool_call.name);
  return segments.list;
}

/** Summary, reasoning and thoughts of a call. The summary comes first, so that long thoughts do not push it beyond the limit. */
export function thoughtTexts(action: ActionEvent): string[] {
  const segments = new Segments();
  if (action.summary) segments.add(action.summary);
  if (action.reasoning_content) segments.add(action.reasoning_content);
  for (const { text } of action.thought ?? []) if (text) segments.add(text);
  return segments.list;
}

/** Removes what hides a word from a pattern but not from its reader: invisible characters, wide letters, spaces. */
export function normalize(text: string): string {
  return text.replace(invisible, "").normalize("NFKC").replace(/\s+/g, " ");
}

/** Zero-width, format, bidirectional, variation and tag characters, and controls other than tab and line ends. */
const invisible =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: these are searched for one by one.
  /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u1680\u180b-\u180f\u2009\u200a-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffc\u{e0000}-\u{e007f}\u{e0100}-\u{e01ef}]/gu;

/** Texts whose total length, with a space between them, is limited. */
class Segments {
  readonly list: string[] = [];
  #length = 0;

  add(text: string): void {
    const separator = this.list.length > 0 ? 1 : 0;
    const room = maxCharacters - this.#length - separator;
    if (room <= 0) return;
    const { clipped, length } = clip(text, room);
    this.list.push(clipped);
    this.#length += length + separator;
  }
}

/** Cuts a text, counting characters as Python does, not UTF-16 units. */
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
