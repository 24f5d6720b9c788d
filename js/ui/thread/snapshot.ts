// The snapshot of a conversation of which nothing is known yet.
import type { ThreadSnapshot } from "./types.js";

/**
 * Before a conversation is opened, and on a server, which opens none. A view of a conversation that does not exist before its first
 * message shows it with another `phase`.
 */
export const openingSnapshot: Readonly<ThreadSnapshot> = {
  phase: "opening",
  conversationId: null,
  conversation: null,
  access: null,
  home: null,
  isSilent: false,
  status: "idle",
  isRunning: false,
  waiting: null,
  isCondensing: false,
  messages: [],
  hasEarlier: false,
  continuations: [],
  approvals: [],
  title: null,
  error: null,
  warnings: [],
};
