// Sends a message with files: they go into the workspace, the conversation's own in the transaction of the message, and the
// core names them in the message with their texts.
import type { CoreMessageWithFiles, CorePending } from "../../../pkg/threadkeep.js";
import type { MessageEvent } from "../../events/events.js";
import { isA, wellFormed } from "../../input/arguments.js";
import { ask, invalidOptions, reading, textOf } from "../../input/errors.js";
import { contentOf } from "../../llm/images.js";
import { type LLM, rowOf } from "../../llm/llm.js";
import { checkSize, mostChangedBytes, tooLarge } from "../../workspace/limits.js";
import type { Workspace } from "../../workspace/types.js";
import type { Acting, AttachmentReader, FilePreview } from "../types.js";
import { sha256Of, typeOf } from "./media-type.js";

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
  /** Of a file that some models are given themselves. */
  sha256: string | undefined;
  pages: number | undefined;
  text: string | undefined;
  /** Why there is no text. */
  problem: string | undefined;
}

/** The findings about the content of a file. */
interface Found {
  text?: string | undefined;
  pages?: number | undefined;
  problem?: string | undefined;
}

/** Whether a part of a message is a file. */
export const isFile = (part: unknown): boolean => !isA(part, Blob) && (part as { type?: unknown } | null)?.type === "file";

export function sendFiles(
  on: Acting,
  message: readonly unknown[],
  sender: string | undefined,
  pending: CorePending,
): Promise<MessageEvent> {
  return storedWithFiles(on, message, false, (given) => ask(on.core, "sendWithFiles", given, sender, pending));
}

/** `replaced` is the message that this one takes the place of. */
export function editFiles(on: Acting, replaced: string, message: readonly unknown[]): Promise<MessageEvent> {
  return storedWithFiles(on, message, true, (given) => ask(on.core, "editWithFiles", replaced, given));
}

/** Writes the files, and stores the message with `store`, which gets it in the form that the core takes. */
async function storedWithFiles(
  { session: { home, llm, attachments: options } }: Acting,
  message: readonly unknown[],
  isEdited: boolean,
  store: (given: CoreMessageWithFiles) => Promise<string>,
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
  const found = await Promise.all(read.map((each) => foundIn(each, readers)));
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
      if (file || (call && isEdited)) await workspace.write(path, bytes);
      const { text, pages, problem } = found[place]!;
      const type = typeFor(mediaType, bytes);
      const sha256 = /^(application\/pdf|audio\/.*|image\/(?!svg).*)$/.test(type) ? await sha256Of(bytes) : undefined;
      attachments.push({ path, name, media_type: type, size: bytes.length, sha256, pages, text, problem });
    }
    const json = await store({ content, attachments: JSON.stringify(attachments), window, files: call?.end() ?? [] });
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

async function foundIn(file: Given & { bytes: Uint8Array }, readers: readonly AttachmentReader[]): Promise<Found> {
  const { bytes } = file;
  const text = file.text ?? textIn(bytes);
  if (text !== undefined) return { text };
  const reader = readerOf(file, readers);
  if (reader) return reader instanceof Error ? failed(reader) : textBy(reader, file);
  // The content of an archive may be a thousand times as large, or another archive.
  return startsAsZip(bytes) ? { problem: "it is a zip archive, as .docx and .xlsx files are, and those are not unpacked" } : {};
}

const startsAsZip = (bytes: Uint8Array): boolean => bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4;

/** The first reader that accepts the file, or the failure of one to tell. */
function readerOf(
  { name, mediaType, bytes }: { name: string; mediaType: string; bytes: Uint8Array },
  readers: readonly AttachmentReader[],
): AttachmentReader | Error | undefined {
  try {
    const start = bytes.slice(0, 1024);
    return readers.find((each) => each.accepts({ name, mediaType, start }));
  } catch (error) {
    return error instanceof Error ? error : new Error(textOf(error));
  }
}

/** Never rejects: a file without its text is better than none. */
async function textBy(
  reader: AttachmentReader,
  { name, mediaType, bytes }: { name: string; mediaType: string; bytes: Uint8Array },
): Promise<Found> {
  try {
    const signal = AbortSignal.timeout(readingTime);
    const late = new Promise<never>((_, reject) => {
      const fail = () => reject(new Error(`reading it took longer than ${readingTime / 1000} seconds`));
      signal.addEventListener("abort", fail);
      if (signal.aborted) fail();
    });
    const read: unknown = await Promise.race([reader.read({ name, mediaType, bytes: bytes.slice() }, { signal }), late]);
    if (typeof read !== "object" || read === null) return { text: wellFormed(textOf(read)) };
    const { text, pages } = read as { text?: unknown; pages?: unknown };
    return { text: wellFormed(textOf(text)), pages: countOf(pages) };
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): Found {
  const { message, pages } = (error instanceof Error ? error : { message: error }) as { message: unknown; pages?: unknown };
  return { problem: wellFormed(textOf(message)), pages: countOf(pages) };
}

const countOf = (pages: unknown): number | undefined =>
  Number.isSafeInteger(pages) && (pages as number) > 0 ? (pages as number) : undefined;

/** The media type by the bytes where the platform knows none. */
function typeFor(given: string, bytes: Uint8Array): string {
  const isGiven = given !== "" && given !== "application/octet-stream";
  return isGiven ? given : (typeOf(bytes) ?? (given || (textIn(bytes) === undefined ? "application/octet-stream" : "text/plain")));
}

/** See `Conversation.previewFiles()`. */
export async function previewFiles(
  { core, session: { home, attachments: options } }: Acting,
  files: readonly unknown[],
): Promise<FilePreview[]> {
  const given = reading("the files", () => [...files]).map((part) => checked(part as object));
  const readers = readersOf(options);
  const asked = await Promise.all(given.map((each) => described(each, home.workspace)));
  const reasons = await ask(core, "reasonsAgainst", JSON.stringify(asked));
  return Promise.all(
    given.map(async (each, index): Promise<FilePreview> => {
      const reason = reasons[index]!;
      if (reason === null) return { form: "file", note: null };
      const bytes = await bytesOf(each, home.workspace);
      const hasText = (each.text ?? textIn(bytes) ?? readerOf({ ...each, bytes }, readers)) !== undefined;
      return { form: hasText ? "text" : "name", note: reason || null };
    }),
  );
}

/** The description of a file for the core. A file whose type is known is not read for it. */
async function described({ file, path, name, mediaType }: Given, workspace: Workspace) {
  const isTyped = mediaType !== "" && mediaType !== "application/octet-stream";
  const known = file ?? (isTyped ? await workspace.stat(path) : undefined);
  const start = file?.slice(0, 1024) ?? new Blob(known ? [] : [(await workspace.read(path)) as BlobPart]);
  const bytes = new Uint8Array(await start.arrayBuffer());
  return { path, name, media_type: typeFor(mediaType, bytes), size: known?.size ?? bytes.length };
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
