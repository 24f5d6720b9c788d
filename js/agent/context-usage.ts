/** The use of the model's context window, in tokens. */
export interface ContextUsage {
  /** The size of the next request. */
  usedTokens: number;
  /** The limit of the model or of the condenser, whichever is lower; `null` if neither is known. */
  limitTokens: number | null;
  /** The size of the events that `condense()` would replace by a summary. */
  reclaimableTokens: number;
}
