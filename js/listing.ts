// Lists of conversations.
import type { ExecutionStatus } from "./events.js";

/** An entry in the list of conversations. */
export interface ConversationInfo {
  id: string;
  /** `tags.title`. */
  title: string | null;
  createdAt: Date;
  updatedAt: Date;
  executionStatus: ExecutionStatus;
  eventCount: number;
  tags: Record<string, string>;
  /** The conversation whose agent has started this one for a sub-agent; `null` for other conversations. */
  parentId: string | null;
  /**
   * Whether it was imported and `setConfirmationPolicy()` has not been called here since. Until then, of the imported
   * settings and those given to `open()` the stricter apply.
   */
  undecided: boolean;
}

/** A list entry of the wasm. Times in milliseconds since the Unix epoch. @internal */
export interface Listing {
  id: string;
  parent: string | null;
  execution_status: ExecutionStatus;
  undecided: boolean;
  tags: Record<string, string>;
  length: number;
  created_at: number;
  updated_at: number;
}

/** @internal */
export function toInfo(listing: Listing): ConversationInfo {
  return {
    id: listing.id,
    title: listing.tags["title"] ?? null,
    createdAt: new Date(listing.created_at),
    updatedAt: new Date(listing.updated_at),
    executionStatus: listing.execution_status,
    eventCount: listing.length,
    tags: listing.tags,
    parentId: listing.parent,
    undecided: listing.undecided,
  };
}
