// The options of `useThreadkeepRuntime()`.
import type { ExternalStoreAdapter, ThreadSuggestion } from "@assistant-ui/react";
import type { ThreadOptions } from "../thread/types.js";

export interface ThreadkeepRuntimeOptions extends Omit<ThreadOptions, "conversationId"> {
  /** The conversation to show; none, or `null`, is a new one, which is created with its first message. Another id shows another conversation. */
  conversationId?: string | null | undefined;
  /** Called when the user goes to another conversation or begins one; `null` for a new one without a message. Keep the id in the URL. */
  onConversationChange?: ((conversationId: string | null) => void) | undefined;
  /**
   * A message while calls wait for the user, as in `sendMessage()`: `"reject"` rejects the calls, `"keep"` keeps the message
   * until the user has decided. Default: the composer cannot send while calls wait.
   */
  pending?: "reject" | "keep" | undefined;
  /** assistant-ui's own adapters. Default for attachments: any file. */
  adapters?: Pick<NonNullable<ExternalStoreAdapter["adapters"]>, "attachments" | "speech" | "dictation" | "voice" | "feedback"> | undefined;
  /** Suggestions below the thread. */
  suggestions?: readonly ThreadSuggestion[] | undefined;
}

/** Splits them into those of assistant-ui and those of the conversation. */
export function split({ conversationId, onConversationChange, pending, adapters, suggestions, ...conversation }: ThreadkeepRuntimeOptions) {
  return { ui: { conversationId: conversationId ?? null, onConversationChange, pending, adapters, suggestions }, conversation };
}
