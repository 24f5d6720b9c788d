// Reads the fields of stored events. Logs may come from other programs and versions, so nothing is taken for granted.
import type { ActionEvent, Content, ConversationEvent, ErrorCode, JSONValue, LLMMessage, MessageEvent } from "threadkeep";
import { cutMarks } from "./cut-marks.js";
import { storedErrors } from "./stored-errors.js";
import type { CutReason, ImagePart, TextPart, ToolPart } from "./types.js";

/** Texts and images, in order. Empty texts are left out. */
export function partsOf(content: unknown): Array<TextPart | ImagePart> {
  return contentOf(content).flatMap((item): Array<TextPart | ImagePart> => {
    if (item.type === "image") return (item.image_urls ?? []).map((url) => ({ type: "image", url }));
    return item.text ? [{ type: "text", text: item.text, state: "done" }] : [];
  });
}

/** The words of an answer. Texts that are added to one say that it was cut off. */
export function textsIn(event: MessageEvent): Array<TextPart | ImagePart> {
  const parts = partsOf(event.llm_message?.content);
  if (!event.extended_content?.length) return parts;
  const reason = cutReasonOf(event);
  const cut: Pick<TextPart, "state" | "reason"> = { state: "incomplete", ...(reason && { reason }) };
  if (parts.length === 0) return [{ type: "text", text: "", ...cut }];
  return parts.map((part) => (part.type === "text" ? { ...part, ...cut } : part));
}

/** Why the answer in an event of the agent is not whole, if its mark says it. */
export const cutReasonOf = ({ extended_content }: MessageEvent): CutReason | undefined => cutMarks.get(textOf(extended_content));

/** Whether a model that is asked to go on can say more. */
export const canGoOn = (reason: CutReason | undefined): boolean => reason === "length" || reason === "incomplete";

/** The content of a message or result; some programs write one text in place of a list. */
export function contentOf(content: unknown): readonly Content[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content : [];
}

/** All texts in one. */
export function textOf(content: unknown): string {
  return contentOf(content)
    .flatMap((item) => (item.type === "text" && item.text ? [item.text] : []))
    .join("\n");
}

/** The reasoning that came with an answer, in the form in which its provider gives it. */
export function reasoningOf(
  given: Partial<Pick<ActionEvent, "reasoning_content" | "thinking_blocks" | "responses_reasoning_item">> | undefined,
): string {
  if (given?.reasoning_content) return given.reasoning_content;
  const thoughts = (given?.thinking_blocks ?? []).flatMap((block) => (block.type === "thinking" ? [block.thinking] : []));
  return [...thoughts, ...shownOf(given?.responses_reasoning_item)].join("\n");
}

/** What people are shown of a reasoning item: what the provider has made for them, else the reasoning itself. */
export function shownOf(item: LLMMessage["responses_reasoning_item"]): readonly string[] {
  return item?.summary?.length ? item.summary : (item?.content ?? []);
}

/** The arguments of a call as its tool takes them, without those that the library adds to every tool. */
export function argumentsOf({ action, tool_call }: ActionEvent): JSONValue | undefined {
  if (action) {
    const { kind: _, ...fields } = action;
    // Tools of a host and of MCP servers have their arguments in one field.
    return action["data"] ?? fields;
  }
  try {
    const { summary: _, security_risk: __, ...args } = JSON.parse(tool_call?.arguments ?? "");
    return args;
  } catch {
    return undefined;
  }
}

/** The code of a failure that ended a run. Names of the SDK are in the table, and codes are stored as they are. */
export function codeOf({ code, detail }: { code: string; detail: string }): ErrorCode {
  const known = storedErrors.find(([name, , begin]) => name === code && (begin === undefined || detail?.startsWith(begin)));
  return known?.[1] ?? (/^[a-z]+(_[a-z]+)*$/.test(code) ? (code as ErrorCode) : "unknown");
}

/** A list of names. */
export const namesOf = (list: unknown): string[] => (Array.isArray(list) ? list.filter((name) => typeof name === "string") : []);

/** The local time that the writer's clock showed. */
export function dateOf({ timestamp }: ConversationEvent): Date | null {
  const date = new Date(timestamp ?? "");
  return Number.isNaN(date.getTime()) ? null : date;
}

export type AnswerToCall = Extract<ConversationEvent, { kind: "ObservationEvent" | "UserRejectObservation" | "AgentErrorEvent" }>;

/** The fields of a call's part that its result sets. */
export function outcome(event: AnswerToCall): Pick<ToolPart, "state" | "value" | "output" | "result" | "error"> {
  const without = { value: undefined, output: null, result: null };
  if (event.kind === "UserRejectObservation") return { ...without, state: "rejected", error: event.rejection_reason };
  if (event.kind === "AgentErrorEvent") return { ...without, state: "error", error: event.error };
  const { content, ...fields } = event.observation;
  const given = { output: contentOf(content), result: fields as NonNullable<ToolPart["result"]> };
  const text = textOf(content);
  if (fields.is_error) return { ...given, state: "error", value: undefined, error: text };
  return { ...given, state: "done", value: fields["kind"] === "MCPToolObservation" ? structureIn(text) : text, error: null };
}

/** Objects and lists are stored as their JSON. Any other text is what was returned itself. */
export function structureIn(text: string): JSONValue {
  if (!/^\s*[{[]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The sender of a prompt of an agent is the id of a call, which is no name for a reader. */
export const withoutSender = (event: ConversationEvent): ConversationEvent => {
  if (event.kind !== "MessageEvent") return event;
  const { sender: _, ...own } = event;
  return own;
};
