// Parts of a message, as assistant-ui shows them.
import type {
  SourceMessagePart,
  ThreadMessage,
  ThreadMessageLike,
  ThreadUserMessagePart,
  ToolApprovalOption,
  ToolCallMessagePart,
} from "@assistant-ui/react";
import type { Approval, MessagePart, TextPart, ToolPart, UIMessage } from "../thread/types.js";
import { attachmentNamed, imageAttachment, storedAttachment } from "./attachments.js";

type Like = Exclude<ThreadMessageLike["content"], string>[number];
type ToolLike = Extract<Like, { type: "tool-call" }>;

/** The parts of assistant-ui's type `data` have these names: a line between messages, and a failure that did not end the message. */
export const noticeName = "threadkeep-notice";
export const errorName = "threadkeep-error";

/** A picture that needs no request is shown; any other one is a link, because a request would tell a server about the reader. */
function imageOf(url: string): Like {
  if (url.startsWith("data:image/")) return { type: "image", image: url };
  return { type: "source", sourceType: "url", id: url, url, title: "Image" } satisfies SourceMessagePart;
}

/** Why a text is not complete. */
export function reasonOf({ reason }: TextPart): "cancelled" | "length" | "content-filter" | "other" {
  if (reason === "content_filter") return "content-filter";
  return reason === "length" ? reason : reason === "stopped" ? "cancelled" : "other";
}

/** The sources that a text names. */
export function sourcesOf(part: MessagePart): Like[] {
  const sources = part.type === "text" ? (part.sources ?? []) : [];
  return sources.map(({ url, title }, at) => ({
    type: "source",
    sourceType: "url",
    id: `${at + 1} ${url}`,
    url,
    ...(title !== null && { title }),
  }));
}

/** A part of an answer, except for calls. */
export function partOf(part: Exclude<MessagePart, ToolPart>): Like {
  switch (part.type) {
    case "text":
    case "reasoning":
      if (part.state === "incomplete") return { type: part.type, text: part.text, status: { type: "incomplete", reason: reasonOf(part) } };
      return { type: part.type, text: part.text, status: { type: part.state === "streaming" ? "running" : "complete" } };
    case "image":
      return imageOf(part.url);
    case "error":
      return { type: "data", name: errorName, data: part };
    case "notice":
      return { type: "data", name: noticeName, data: part };
  }
}

const decisions = ({ toolName, canAlwaysAllow }: Approval): readonly ToolApprovalOption[] => [
  { id: "allow-once", kind: "allow-once", label: "Allow" },
  ...(canAlwaysAllow ? [{ id: "allow-always", kind: "allow-always", label: "Always allow", grants: [toolName] } as const] : []),
  { id: "reject-once", kind: "reject-once", label: "Deny" },
];

type RequestedApproval = NonNullable<ToolCallMessagePart["approval"]>;

/** The question to the user about a call, or the answer that is stored. */
function approvalOf(part: ToolPart, asked: Approval | undefined): RequestedApproval | undefined {
  if (part.state === "rejected")
    return { id: part.actionId ?? part.toolCallId, approved: false, ...(part.error !== null && { reason: part.error }) };
  if (!asked) return undefined;
  const request: RequestedApproval = { id: asked.actionId, options: decisions(asked) };
  // The agent that this call has started asks in its place.
  if (asked.actionId !== part.actionId)
    return { ...request, prompt: `The sub-agent wants to call ${asked.toolName}: ${JSON.stringify(asked.args ?? null)}` };
  if (asked.why === "interrupted")
    return { ...request, prompt: "The page was closed while this call was running, so it may have taken effect. Run it again?" };
  return request;
}

/** The value that the tool has returned, or why it has not. `undefined` without a result. */
export function resultOf({ state, value, error }: ToolPart): unknown {
  return state === "error" || state === "rejected" ? (error ?? "") : value;
}

/** A call. `messages` are those of the agent that it has started. */
export function callOf(part: ToolPart, asked: Approval | undefined, messages: readonly ThreadMessage[]): ToolLike {
  const { toolCallId, toolName, args, argsText, state } = part;
  const result = resultOf(part);
  const approval = approvalOf(part, asked);
  return {
    type: "tool-call",
    toolCallId,
    toolName,
    argsText,
    ...(isObject(args) && { args }),
    ...(result !== undefined && { result, isError: state !== "done" }),
    ...(approval && { approval }),
    ...(messages.length > 0 && { messages }),
    artifact: part,
  };
}

const isObject = (value: unknown): value is NonNullable<ToolLike["args"]> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A message of the user: texts are its content; images and files are its attachments. */
export function userMessageOf({ id, parts, attachments: files, createdAt, eventIds, sender }: UIMessage): ThreadMessageLike {
  const content: ThreadUserMessagePart[] = [];
  const attachments: Array<ReturnType<typeof imageAttachment>> = [];
  for (const [at, part] of parts.entries()) {
    const attachmentId = `${id}-${at}`;
    if (part.type === "image") attachments.push(imageAttachment(attachmentId, part.url));
    else if (part.type === "text") {
      const attachment = attachmentNamed(attachmentId, part.text);
      if (attachment) attachments.push(attachment);
      else content.push({ type: "text", text: part.text });
    }
  }
  attachments.push(...files.map((file, at) => storedAttachment(`${id}-file-${at}`, file)));
  return { id, role: "user", content, attachments, metadata: { custom: { eventIds, sender } }, ...(createdAt && { createdAt }) };
}
