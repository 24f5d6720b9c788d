// The fields that the page reads from stored events. Logs may come from other programs and versions, so every field is
// optional, and unknown events are shown as they are.

import type { ConversationEvent } from "threadkeep";

export interface TextLike {
  type?: string;
  text?: string;
  image_urls?: string[];
}

export interface StoredEvent {
  id: string;
  kind: string;
  timestamp?: string;
  source?: string;
  parent_id?: string | null;
  // SystemPromptEvent
  system_prompt?: TextLike;
  tools?: Array<{ title?: string; mcp_tool?: { name?: string } }>;
  // MessageEvent
  llm_message?: { role?: string; content?: TextLike[] | string; reasoning_content?: string };
  sender?: string;
  activated_skills?: string[];
  // ActionEvent
  thought?: TextLike[];
  reasoning_content?: string;
  action?: { kind?: string; data?: Record<string, unknown>; [field: string]: unknown };
  tool_name?: string;
  tool_call_id?: string;
  tool_call?: { arguments?: string };
  llm_response_id?: string;
  summary?: string;
  security_risk?: string;
  // Answers to an action
  action_id?: string;
  observation?: { kind?: string; content?: TextLike[] | string; is_error?: boolean; [field: string]: unknown };
  error?: string;
  rejection_reason?: string;
  rejection_source?: string;
  // Condensation
  forgotten_event_ids?: string[];
  // HookExecutionEvent
  hook_event_type?: string;
  blocked?: boolean;
  success?: boolean;
  reason?: string;
  additional_context?: string;
  // SecurityAnalysisEvent
  analyzer?: string;
  risks?: Record<string, unknown>;
  // ConversationErrorEvent
  code?: string;
  detail?: string;
  classification?: { kind?: string; user_action?: string };
  [field: string]: unknown;
}

/** The event without trust in the library's types, which describe what this version writes. */
export const asStored = (event: ConversationEvent): StoredEvent => event as object as StoredEvent;

/** All texts of a content list, in order. */
export function textOf(content: TextLike[] | string | undefined): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => part.text ?? "").filter(Boolean).join("\n");
}

export function imagesOf(content: TextLike[] | string | undefined): string[] {
  return Array.isArray(content) ? content.flatMap((part) => part.image_urls ?? []) : [];
}

/** The arguments of a call, without those that the SDK adds to every tool. */
export function argumentsOf(event: StoredEvent): Record<string, unknown> {
  if (event.action?.data) return event.action.data;
  if (event.action) {
    const { kind: _, ...fields } = event.action;
    return fields;
  }
  try {
    const { summary: _s, security_risk: _r, ...rest } = JSON.parse(event.tool_call?.arguments ?? "{}");
    return rest;
  } catch {
    return { arguments: event.tool_call?.arguments };
  }
}

/** Timestamps are in the writer's local time, so they are only shown. */
export function timeOf(event: StoredEvent): Date | null {
  const time = new Date(event.timestamp ?? "");
  return Number.isNaN(time.getTime()) ? null : time;
}
