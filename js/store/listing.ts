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

/** See `Conversation.list()`. @internal */
export async function list(options: { store?: Store | undefined; subagents?: boolean | undefined }): Promise<ConversationInfo[]> {
  const { store = indexedDBStore(), subagents = false } = optionsOf("list()", options, "store subagents");
  const listings = JSON.parse((await settle(listConversations(await coreStore(store)))) as string) as Listing[];
  const infos = listings.filter(({ parent }) => subagents || parent === null).map(toInfo);
  return infos.sort((one, other) => Number(other.updatedAt) - Number(one.updatedAt));
}

/** See `Conversation.onListChange()`. @internal */
export function onListChange(listener: (change: { id: string }) => void, options: { store?: Store | undefined }): () => void {
  const { store = indexedDBStore() } = optionsOf("onListChange()", options, "store");
  if (!isFunction(listener)) throw invalidOptions("onListChange() takes a function");
  return join(store, ({ id, isListed }) => void (isListed && listener({ id }))).leave;
}

function toInfo(listing: Listing): ConversationInfo {
  const lastEvent = Date.parse(listing.last_event ?? "");
  return {
    id: listing.id,
    title: listing.title,
    createdAt: new Date(listing.created_at),
    updatedAt: new Date(Number.isNaN(lastEvent) ? listing.updated_at : lastEvent),
    executionStatus: listing.execution_status,
    eventCount: listing.length,
    tags: listing.tags,
    parentId: listing.parent,
    server: listing.server,
    undecided: listing.undecided,
  };
}
