"use client";
// `threadkeep/react`: hooks for React 18 and 19.
export { useApprovals, type PendingApproval } from "./use-approvals.js";
export { useConversation, type UseConversation } from "./use-conversation.js";
export { useConversations, type UseConversations } from "./use-conversations.js";
