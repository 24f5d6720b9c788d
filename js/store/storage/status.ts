// The storage of an origin, and the size of each conversation in a store.
import { signalOf } from "../../input/arguments.js";
import { ThreadkeepError, fromCore, invalidOptions, optionsOf } from "../../input/errors.js";
import { type ConversationInfo, list } from "../listing.js";
import { Page, PageYield, asked, contentsOf, corrupt, eventsOf, timeout } from "../reading.js";
import { type Listing, type Store, indexedDBStore } from "../store.js";

export interface StorageStatusOptions {
  /** The store whose conversations are measured. Default: `indexedDBStore()`. */
  store?: Store | undefined;
  /**
   * Whether to measure them: `false` reads nothing, and `conversations` is empty. Default: true.
   */
  conversations?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** See `storageStatus()`. */
export interface StorageStatus {
  /**
   * Whether the browser has promised not to clear the data of this origin when the disk runs full; `null` if it does not say so.
   */
  persisted: boolean | null;
  /** How many bytes everything that this origin has stored takes up, by the browser's own estimate; `null` if it does not say so. */
  usage: number | null;
  /** How many bytes it may take up, by the same estimate; `null` if the browser does not say so. */
  quota: number | null;
  /** The conversations of the store with the bytes of their contents, the largest first. */
  conversations: ConversationSize[];
}

/** The size of a conversation, with those of its sub-agents: they are deleted together. */
export interface ConversationSize {
  /** A UUID, for `Conversation.open({ conversationId })` and `Conversation.delete()`. */
  id: string;
  /** As in `Conversation.list()`. */
  title: string | null;
  /** The sum of the following ones: the contents as they are exported. The database needs space for its own purposes, too. */
  bytes: number;
  /** The texts of all events, on all branches, as UTF-8. */
  eventBytes: number;
  /** The files: those of the workspace that are stored with the conversation and what they were before, attachments, drafts. */
  fileBytes: number;
  /** The text of `base_state.json`, as UTF-8. */
  baseStateBytes: number;
  /** Why not all of it could be read; then the bytes are those that could. Otherwise it is not there. */
  error?: ThreadkeepError;
}

/** See `storageStatus()`. */
export async function status(options: StorageStatusOptions): Promise<StorageStatus> {
  const given = optionsOf("storageStatus()", options, "store conversations signal");
  const { store = indexedDBStore(), conversations: isMeasured = true } = given;
  if (typeof isMeasured !== "boolean") throw invalidOptions("conversations must be true or false");
  const signal = signalOf(given.signal);
  try {
    signal?.throwIfAborted();
    const conversations = isMeasured ? await sizes(store, signal) : [];
    // Of the browser last, so that this is what there is now.
    const [persisted, { usage = null, quota = null }] = await Promise.all([isPersisted(), estimate()]);
    return { persisted, usage, quota, conversations };
  } catch (error) {
    if (!signal?.aborted) throw fromCore(error);
    throw new ThreadkeepError("aborted", "storageStatus() was stopped by its signal", { cause: signal.reason });
  }
}

/** In a page without a secure context, and in Node, there is no Storage API; in a page without an origin its methods reject. */
async function isPersisted(): Promise<boolean | null> {
  try {
    return await navigator.storage.persisted();
  } catch {
    return null;
  }
}

async function estimate(): Promise<StorageEstimate> {
  try {
    return await navigator.storage.estimate();
  } catch {
    return {};
  }
}

async function sizes(store: Store, signal: AbortSignal | undefined): Promise<ConversationSize[]> {
  const infos = await list({ store, subagents: true });
  const topmost = topmostOf(infos);
  const pageYield = new PageYield(signal);
  const found = new Map<string, ConversationSize>();
  for (const { id, title } of infos.filter(({ id }) => topmost(id) === id)) {
    const size: ConversationSize = { id, title, bytes: 0, eventBytes: 0, fileBytes: 0, baseStateBytes: 0 };
    if (await add(store, id, size, pageYield)) found.set(id, size);
  }
  for (const { id } of infos.filter(({ id }) => topmost(id) !== id)) {
    const above = found.get(topmost(id));
    if (above) await add(store, id, above, pageYield);
  }
  return [...found.values()].sort((one, other) => other.bytes - one.bytes);
}

/** Adds what this conversation alone has. Resolves to whether there is one: it may be deleted meanwhile. */
async function add(store: Store, id: string, size: ConversationSize, pageYield: PageYield): Promise<boolean> {
  const parts: Parts = { eventBytes: 0, fileBytes: 0, baseStateBytes: 0 };
  try {
    if (!(await measure(store, id, parts, pageYield))) return false;
  } catch (error) {
    // One that cannot be read keeps nobody from seeing the others.
    pageYield.goOn();
    size.error ??= fromCore(error);
  }
  for (const part of ["eventBytes", "fileBytes", "baseStateBytes"] as const) {
    size[part] += parts[part];
    size.bytes += parts[part];
  }
  return true;
}

/** A function from a conversation to that whose sub-agents, or whose sub-agents' sub-agents, work in it: itself, if there is none. */
function topmostOf(infos: ConversationInfo[]): (id: string) => string {
  const parents = new Map(infos.map(({ id, parentId }) => [id, parentId]));
  return (id) => {
    // An import may name any conversations as parents, also in a circle.
    const passed = new Set([id]);
    for (let at = id; ; ) {
      const above = parents.get(at);
      if (typeof above !== "string" || !parents.has(above)) return at;
      if (passed.has(above)) return id;
      passed.add((at = above));
    }
  };
}

const encoder = new TextEncoder();
const bytesOf = (text: string): number => encoder.encode(text).length;

type Parts = Pick<ConversationSize, "eventBytes" | "fileBytes" | "baseStateBytes">;

/** Adds the sizes of what this conversation alone has to `parts`, as it is read. Resolves to whether it is still there. */
async function measure(store: Store, id: string, parts: Parts, pageYield: PageYield): Promise<boolean> {
  const listing = await asked("load", timeout, () => store.load(id));
  if (listing === undefined || listing === null) return false;
  const { baseState, length } = checked(listing);
  parts.baseStateBytes = bytesOf(baseState);
  const page = new Page();
  for (let next = 0; next < length; ) {
    const events = await eventsOf(store, id, next, Math.min(length, next + page.count), timeout).catch(unlessGone);
    if (events === undefined) return false;
    for (const { json } of events) {
      const bytes = bytesOf(json);
      page.saw(bytes);
      parts.eventBytes += bytes;
    }
    next += events.length;
    page.turn();
    await pageYield.wait();
  }
  const paths = await asked("files", timeout, () => store.files(id));
  if (!Array.isArray(paths) || paths.some((path) => typeof path !== "string")) throw corrupt("files() did not return an array of paths");
  page.count = 1;
  for (let next = 0; next < paths.length; ) {
    const contents = await contentsOf(store, id, paths.slice(next, next + page.count), timeout);
    for (const content of contents) {
      // It was removed meanwhile.
      if (content === undefined || content === null) continue;
      if (!(content instanceof Uint8Array)) throw corrupt("readFile() returned something that is not a Uint8Array");
      page.saw(content.length);
      parts.fileBytes += content.length;
    }
    next += contents.length;
    page.turn();
    await pageYield.wait();
  }
  return true;
}

function checked(listing: Listing): Listing {
  if (typeof listing.baseState !== "string") throw corrupt("baseState of load() is missing or has the wrong type");
  if (!Number.isSafeInteger(listing.length)) throw corrupt("length of load() is missing or has the wrong type");
  return listing;
}

function unlessGone(error: unknown): undefined {
  if (!(error instanceof ThreadkeepError && error.code === "not_found")) throw error;
}
