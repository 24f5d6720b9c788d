// Operations on text with Python's meaning, so that results have the same text as the SDK's.

const whiteSpace = "\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const leading = new RegExp(`^[${whiteSpace}]+`);

/** `str.lstrip()` */
export function stripStart(text: string): string {
  return text.replace(leading, "");
}

/** `str.rstrip()` */
export function stripEnd(text: string): string {
  // A pattern with `$` would try every run of white space, which is slow for long ones.
  const space = new RegExp(`[${whiteSpace}]`);
  let end = text.length;
  while (end > 0 && space.test(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}

/** `str.strip()` */
export function strip(text: string): string {
  return stripEnd(stripStart(text));
}

/** `str.splitlines()` */
export function splitLines(text: string): string[] {
  const lines = text.split(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** The lines of a file as Python iterates over it: each with its `\n`, except perhaps the last. */
export function fileLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** `str(list)` of numbers. */
export function listText(numbers: readonly number[]): string {
  return `[${numbers.join(", ")}]`;
}

/** The order in which Python sorts: by code points, where JavaScript's is by UTF-16 units. */
export function byCodePoints(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  let at = 0;
  while (at < length && one[at] === other[at]) at += 1;
  return at === length ? one.length - other.length : rank(one.charCodeAt(at)) - rank(other.charCodeAt(at));
}

/** Surrogates stand for characters after all others. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}

/** The longest text about a file or a directory, in code points. */
export const maxCharacters = 16_000;
export const directoryNotice =
  "\n[The middle is left out here: these are too many entries to be shown at once. List one of the directories.]\n";

/** Replaces the middle of a text that has more than `limit` code points with the notice. */
export function clip(text: string, limit: number, notice: string): string {
  if (text.length <= limit) return text;
  const characters = Array.from(text);
  if (characters.length <= limit) return text;
  const remaining = limit - Array.from(notice).length;
  const head = Math.ceil(remaining / 2);
  return characters.slice(0, head).join("") + notice + characters.slice(characters.length - (remaining - head)).join("");
}
