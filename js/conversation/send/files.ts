// Sends a message with files: they go into the workspace, the conversation's own in the transaction of the message, and the
// core names them in the message with their texts.
import type { MessageEvent } from "../../events/events.js";
import { isA, wellFormed } from "../../input/arguments.js";
import { ask, invalidOptions, reading, textOf } from "../../input/errors.js";
import { contentOf } from "../../llm/images.js";
import { type LLM, rowOf } from "../../llm/llm.js";
import { checkSize, mostChangedBytes, tooLarge } from "../../workspace/limits.js";
import type { Workspace } from "../../workspace/types.js";
import type { Acting, AttachmentReader } from "../types.js";

const folder = "attachments";
/** The longest name in the workspace, in characters; with a number it is a valid one in every file system. */
const longestName = 80;
/** After so many milliseconds a reader of the host has failed. */
const readingTime = 60_000;

/** A file as the host has given it. */
interface Given {
  file: Blob | undefined;
  path: string;
  name: string;
  mediaType: string;
  text: string | undefined;
}

/** A file as the core takes it. */
interface Attachment {
  path: string;
  name: string;
  media_type: string;
  size: number;
  text: string | undefined;
  /** Why there is no text. */
  problem: string | undefined;
}

/** Whether a part of a message is a file. */
export const isFile = (part: unknown): boolean => !isA(part, Blob) && (part as { type?: unknown } | null)?.type === "file";

/** `replaced` is the message that this one takes the place of. */
export async function sendFiles(
  { core, session: { home, llm, attachments: options } }: Acting,
  message: readonly unknown[],
  [sender, pending, replaced]: readonly [string?, string?, string?],
): Promise<MessageEvent> {
  const parts = reading("the message", () => [...message]);
  const content = await contentOf(
    parts.filter((part) => !isFile(part)),
    llm,
  );
  const given = parts.filter(isFile).map((part) => checked(part as object));
  if (given.reduce((bytes, { file }) => bytes + (file?.size ?? 0), 0) > mostChangedBytes)
    throw tooLarge(`the files of one message may have ${mostChangedBytes} bytes in total; send them in several messages`);
  const read = await Promise.all(given.map(async (each) => ({ ...each, bytes: await bytesOf(each, home.workspace) })));
  const readers = readersOf(options);
  const found = await Promise.all(read.map((each) => each.text ?? textIn(each.bytes) ?? textBy(readers, each)));
  const window = await windowOf(llm);
  const call = home.isOwn ? await home.begin() : undefined;
  const workspace = call?.workspace ?? home.workspace;
  const names: string[] = [];
  const written: string[] = [];
  try {
    const attachments: Attachment[] = [];
    for (const [place, { file, path: stored, name, mediaType, bytes }] of read.entries()) {
      const path = file ? await freePath(home.workspace, name) : stored;
      if (file) names.push(path);
      if (file) written.push(path);
      // An edited message takes the conversation's own files to where they were before the earlier one, and brings these along.
      if (file || (call && replaced !== undefined)) await workspace.write(path, bytes);
      const content = found[place];
      const [text, problem] = typeof content === "string" ? [content, undefined] : [undefined, content?.problem];
      const type = mediaType || (textIn(bytes) === undefined ? "application/octet-stream" : "text/plain");
      attachments.push({ path, name, media_type: type, size: bytes.length, text, problem });
    }
    const more = { content, sender, pending, replaced, window, files: call?.end() ?? [] };
    const json = await ask(core, "sideCall", { attachments: JSON.stringify(attachments), ...more });
    call?.commit();
    return JSON.parse(json);
  } catch (error) {
    if (call) home.changed();
    // Nobody knows of these files. One that was not written, or cannot be removed, is no further failure.
    else await Promise.all(written.map((path) => workspace.remove(path).catch(() => {})));
    throw error;
  } finally {
    for (const path of names) reservedIn(home.workspace).delete(path.toLowerCase());
  }
}

/** @throws ThreadkeepError `invalid_options`, `too_large` */
function checked(part: object): Given {
  const { file, path, name, mediaType, text, ...others } = reading("a file of the message", () => ({ ...part })) as Record<string, unknown>;
  const unknown = Object.keys(others).find((key) => key !== "type");
  if (unknown !== undefined) throw invalidOptions(`a file of a message has no option ${JSON.stringify(unknown)}`);
  for (const [key, value] of Object.entries({ name, mediaType, text }))
    if (value !== undefined && typeof value !== "string") throw invalidOptions(`${key} of a file must be a text`);
  const more = { mediaType: (mediaType ?? "") as string, text: text as string | undefined };
  if (file === undefined && typeof path === "string")
    return { ...more, file: undefined, path, name: (name as string) ?? path.split("/").pop()! };
  if (!isA(file, Blob)) throw invalidOptions("a file of a message needs a File or Blob as file, or the path of a file in the workspace");
  const named = (name ?? (file as Partial<File>).name ?? "") as string;
  if (named.trim() === "") throw invalidOptions("a file of a message needs a name: pass a File, or a name beside the Blob");
  checkSize(named, file.size);
  return { ...more, file, path: "", name: named, mediaType: more.mediaType || file.type };
}

async function bytesOf({ file, path, name }: Given, workspace: Workspace): Promise<Uint8Array> {
  if (!file) return workspace.read(path);
  try {
    return new Uint8Array(await file.arrayBuffer());
  } catch (error) {
    // A folder, or a file that was changed or removed since the user chose it.
    throw invalidOptions(`the file ${JSON.stringify(name)} cannot be read: ${textOf(error)}`);
  }
}

/** The context window of the model in tokens, if it is known. */
async function windowOf(llm: LLM): Promise<number | undefined> {
  return JSON.parse((await rowOf(llm)) || "{}")["max_input_tokens"];
}

function readersOf(options: unknown): readonly AttachmentReader[] {
  const readers: unknown = reading("attachments", () => (options as { readers?: unknown } | undefined)?.readers ?? []);
  const isOne = (each: unknown) => typeof (each as Partial<AttachmentReader> | null)?.read === "function";
  if (Array.isArray(readers) && readers.every(isOne)) return readers;
  throw invalidOptions("attachments.readers must be a list of readers, such as pdfText() of threadkeep/pdf");
}

/** The text by the first reader that accepts the file. Never rejects: a file without its text is better than none. */
async function textBy(
  readers: readonly AttachmentReader[],
  { name, mediaType, bytes }: { name: string; mediaType: string; bytes: Uint8Array },
): Promise<string | { problem: string } | undefined> {
  try {
    const start = bytes.slice(0, 1024);
    const reader = readers.find((each) => each.accepts({ name, mediaType, start }));
    if (!reader) return undefined;
    const signal = AbortSignal.timeout(readingTime);
    const late = new Promise<never>((_, reject) => {
      const fail = () => reject(new Error(`reading it took longer than ${readingTime / 1000} seconds`));
      signal.addEventListener("abort", fail);
      if (signal.aborted) fail();
    });
    return wellFormed(textOf(await Promise.race([reader.read({ name, mediaType, bytes: bytes.slice() }, { signal }), late])));
  } catch (error) {
    return { problem: textOf(error instanceof Error ? error.message : error) };
  }
}

/** The text of a file that is text; the content decides, because names and types may be wrong. */
function textIn(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") || text.startsWith("%PDF-") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Paths of messages that are under way, by the workspace. */
const reserved = new WeakMap<Workspace, Set<string>>();

function reservedIn(workspace: Workspace): Set<string> {
  const found = reserved.get(workspace) ?? new Set();
  reserved.set(workspace, found);
  return found;
}

/** A path that no file has, and reserves it: `attachments/report.pdf`, `attachments/report-2.pdf`. */
async function freePath(workspace: Workspace, name: string): Promise<string> {
  const [, stem, ending] = /^([^]+?)(\.[^.]{1,16})?$/.exec(allowedName(name))!;
  const taken = reservedIn(workspace);
  for (let number = 1; ; number++) {
    const path = `${folder}/${[...stem!].slice(0, longestName - 20).join("")}${number === 1 ? "" : `-${number}`}${ending ?? ""}`;
    // Some file systems do not distinguish upper and lower case.
    const key = path.toLowerCase();
    if (taken.has(key)) continue;
    taken.add(key);
    try {
      if (!(await workspace.stat(path))) return path;
    } catch (error) {
      taken.delete(key);
      throw error;
    }
    taken.delete(key);
  }
}

/** The name without what `js/workspace/path.ts` refuses. */
function allowedName(name: string): string {
  const last = wellFormed(name)
    .split(/[\\/]/)
    .pop()!
    .replace(/[\0-\x1f\x7f-\x9f:]/g, "-")
    .trim();
  return /^(\.*|\.directory)$/i.test(last) ? "file" : last;
}
