// Lists of conversations.
import { listConversations } from "../../pkg/threadkeep.js";
import { isFunction } from "../input/arguments.js";
import { join } from "./changes.js";
import { invalidOptions, optionsOf, settle } from "../input/errors.js";
import type { ExecutionStatus } from "../events/events.js";
import { type Store, coreStore, indexedDBStore } from "./store.js";

/**
 * An entry in the list of conversations: what was committed when the list was read; the conversation need not be open. It costs
 * no reading of events, except of the first ones for a title where neither the tag nor a text of the user is known.
 */
export interface ConversationInfo {
  /** A UUID, for `Conversation.open({ conversationId })`. */
  id: string;
  /** `tags.title`, or else the beginning of the first message of the user; `null` without both. Also `conversation.title`. */
  title: string | null;
  /** When it was first stored here; for an import, when it was imported. */
  createdAt: Date;
  /**
   * When it was last written here, also by a change of its tags or settings; for an import, until then, when its last event
   * happened. By the clock of the machine that wrote it. Lists have the newest first.
   */
  updatedAt: Date;
  /** The status of its last commit: `"running"` also if the page that ran it has died, until it is opened again. */
  executionStatus: ExecutionStatus;
  /** How many events its log has, on all its branches. */
  eventCount: number;
  /** Texts of the host by name: the SDK's tags. */
  tags: Record<string, string>;
  /** When it was pinned, archived or put into the trash by `updateConversations()`, which notes that in tags of these names; or `null`. */
  pinnedAt: Date | null;
  archivedAt: Date | null;
  trashedAt: Date | null;
  /** The conversation whose agent has started this one for a sub-agent; `null` for other conversations. */
  parentId: string | null;
  /**
   * The address of the agent server that runs it, of which this is a copy: it is opened with `home: agentServer()` of that address.
   * `null` for one that runs here.
   */
  server: string | null;
  /**
   * Whether it was imported and `setConfirmationPolicy()` has not been called here since. Until then, of the imported
   * settings and those given to `open()` the stricter apply.
   */
  undecided: boolean;
}

/** A list entry of the wasm. Times in milliseconds since the Unix epoch. */
interface Listing {
  id: string;
  title: string | null;
  parent: string | null;
  server: string | null;
  execution_status: ExecutionStatus;
  undecided: boolean;
  tags: Record<string, string>;
  length: number;
  created_at: number;
  updated_at: number;
  last_event: string | null;
}

/** The options of `Conversation.list()`. */
export interface ListOptions {
  /** Default: `indexedDBStore()`. */
  store?: Store | undefined;
  /** Whether those of sub-agents are listed, too. Default: they are not. */
  subagents?: boolean | undefined;
  /** With `true` those in the trash are listed, and only these. Default: all others. */
  trashed?: boolean | undefined;
}

/** See `Conversation.list()`. @internal */
export async function list(options: ListOptions): Promise<ConversationInfo[]> {
  const { store = indexedDBStore(), subagents, trashed = false } = optionsOf("list()", options, "store subagents trashed");
  if (typeof trashed !== "boolean") throw invalidOptions("trashed must be true or false");
  return (await listAll(store)).filter((info) => (subagents || info.parentId === null) && (info.trashedAt !== null) === trashed);
}

/** All conversations, newest first. @internal */
export async function listAll(store: Store): Promise<ConversationInfo[]> {
  const listings = JSON.parse(await settle(listConversations(await coreStore(store)))) as Listing[];
  return listings.map(toInfo).sort(byTime);
}

/** The entries of these conversations, in this order, without those that do not exist. @internal */
export async function infosOf(store: Store, ids: readonly string[]): Promise<ConversationInfo[]> {
  const core = await coreStore(store);
  const listings = await Promise.all(ids.map((id) => settle(core.describe(id))));
  return listings.flatMap((listing) => (listing === undefined ? [] : [toInfo(JSON.parse(listing))]));
}

/** The order of a list, the newest first. @internal */
export const byTime = (one: ConversationInfo, other: ConversationInfo): number => Number(other.updatedAt) - Number(one.updatedAt);

/** See `Conversation.onListChange()`. @internal */
export function onListChange(listener: (change: { id: string }) => void, options: { store?: Store | undefined }): () => void {
  const { store = indexedDBStore() } = optionsOf("onListChange()", options, "store");
  if (!isFunction(listener)) throw invalidOptions("onListChange() takes a function");
  return join(store, ({ id, isListed }) => void (isListed && listener({ id }))).leave;
}

function toInfo(listing: Listing): ConversationInfo {
  const { tags } = listing;
  const updatedAt = dateOf(listing.last_event) ?? new Date(listing.updated_at);
  // Python may have set the tag to any text.
  const since = (tag: string) => (tag in tags ? (dateOf(tags[tag]) ?? updatedAt) : null);
  return {
    id: listing.id,
    title: listing.title,
    createdAt: new Date(listing.created_at),
    updatedAt,
    executionStatus: listing.execution_status,
    eventCount: listing.length,
    tags,
    pinnedAt: since("pinned"),
    archivedAt: since("archived"),
    trashedAt: since("trashed"),
    parentId: listing.parent,
    server: listing.server,
    undecided: listing.undecided,
  };
}

/** The date that a text has, if it has one. */
function dateOf(text: string | null | undefined): Date | undefined {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? undefined : new Date(time);
}
