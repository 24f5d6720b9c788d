// Conversations in lists.
import type { ExecutionStatus } from "./events.js";

/** A conversation in a list. */
export interface ConversationInfo {
  id: string;
  /** `tags.title`. */
  title: string | null;
  createdAt: Date;
  updatedAt: Date;
  executionStatus: ExecutionStatus;
  eventCount: number;
  tags: Record<string, string>;
  /**
   * Whether it was imported, and nobody has decided here when its calls wait, by `setConfirmationPolicy()`. Until then, of
   * the settings that it brought and those that are given to `open()` the stricter hold.
   */
  undecided: boolean;
}

/** As the wasm lists them. @internal */
export interface Listing {
  id: string;
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
    undecided: listing.undecided,
  };
}
