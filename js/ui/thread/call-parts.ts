// The parts of a message that come from an answer of the model.
import type { ActionEvent, MessageEvent } from "threadkeep";
import { besideOf } from "./beside.js";
import { argumentsOf, reasoningOf } from "./fields.js";
import type { MessagePart, ToolPart } from "./types.js";

export const reasoningParts = (text: string): MessagePart[] => (text === "" ? [] : [{ type: "reasoning", text, state: "done" }]);

export const isSpeech = (tool: string): boolean => tool === "finish" || tool === "think";

/** The last words of an agent are text, and a thought is reasoning: neither is a call to a reader. */
export function saidBy(event: ActionEvent): MessagePart[] | undefined {
  const { message, thought } = (event.action ?? {}) as { message?: unknown; thought?: unknown };
  if (event.tool_name === "finish" && typeof message === "string")
    return message === "" ? [] : [{ type: "text", text: message, state: "done" }];
  if (event.tool_name === "think" && typeof thought === "string") return reasoningParts(thought);
  return undefined;
}

/** What an answer says in this event, with what is shown beside it. */
export function saidIn(
  event: MessageEvent | ActionEvent,
  from: Parameters<typeof reasoningOf>[0],
  said: readonly MessagePart[],
): MessagePart[] {
  const { sources, work } = besideOf(from);
  const notices = work.map((text): MessagePart => ({ type: "notice", notice: "server", text, event, forgotten: [] }));
  const end = said.map(({ type }) => type).lastIndexOf("text");
  const shown = said.map((part, at) => (at === end && part.type === "text" && sources.length > 0 ? { ...part, sources } : part));
  return [...reasoningParts(reasoningOf(from)), ...notices, ...shown];
}

/** A call of which nothing is known but this. */
export function toolPart({ tool_call_id: toolCallId, tool_name: toolName }: { tool_call_id: string; tool_name: string }): ToolPart {
  return {
    type: "tool",
    toolCallId,
    toolName,
    actionId: null,
    state: "ready",
    args: undefined,
    argsText: "",
    summary: null,
    risk: "UNKNOWN",
    value: undefined,
    output: null,
    result: null,
    error: null,
    progress: null,
    subagent: [],
    original: null,
  };
}

export function argumentsIn(event: ActionEvent): Pick<ToolPart, "args" | "argsText"> {
  const args = argumentsOf(event);
  return { args, argsText: args === undefined ? (event.tool_call?.arguments ?? "") : JSON.stringify(args) };
}
