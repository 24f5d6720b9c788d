// Messages of the AI SDK as a new conversation.
import type { FileUIPart, ReasoningUIPart, SourceUrlUIPart, UIMessage } from "ai";
import {
  type ChatContent,
  type ChatMessage,
  Conversation,
  type ImportedConversation,
  type Store,
  type ThinkingBlock,
  ThreadkeepError,
} from "threadkeep";
import type { ToolPart } from "./types.js";
import { isImage } from "./user-message.js";

/** Counts what has no place in a conversation, for the warnings. */
class LeftOut {
  readonly #counts = new Map<string, number>();

  add(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }

  get warnings(): string[] {
    const names = [...this.#counts].map(([what, count]) => (count > 1 ? `${what} (${count} times)` : what));
    return names.length > 0 ? [`a conversation has no place for: ${names.join(", ")}`] : [];
  }
}

/**
 * Stores messages of `useChat`, or of the AI SDK on a server, as a new conversation with a new id: texts, reasoning, images,
 * calls and their results. A call without a result is answered with an error, so nothing runs and nothing waits. `warnings`
 * name everything that has no place in a conversation.
 * @throws ThreadkeepError `archive_invalid` for messages that are none, `store_*`
 */
export async function importUIMessages(
  messages: readonly UIMessage[],
  options: { store?: Store | undefined } = {},
): Promise<ImportedConversation> {
  const leftOut = new LeftOut();
  const chat = reading(() =>
    // A hole is no message.
    [...messages].flatMap((message) => (message.role === "assistant" ? ofAssistant(message, leftOut) : ofOther(message, leftOut))),
  );
  const imported = await Conversation.importJSON(chat, options);
  return { ...imported, warnings: [...imported.warnings, ...leftOut.warnings] };
}

function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new ThreadkeepError(
      "archive_invalid",
      "importUIMessages() takes a list of messages of the AI SDK; validateUIMessages() tells what is wrong with this one",
      { cause },
    );
  }
}

function ofOther({ role, parts }: UIMessage, leftOut: LeftOut): ChatMessage[] {
  const content = [...parts].flatMap((part): ChatContent[] => {
    if (part.type === "text") return part.text === "" ? [] : [{ type: "text", text: part.text }];
    if (part.type === "file") return imageOf(part, leftOut);
    leftOut.add(`parts of the type ${part.type}`);
    return [];
  });
  return content.length > 0 ? [{ role, content }] : [];
}

/** Each step is one answer of the model, and in it each text behind a call begins another one. */
function ofAssistant({ parts }: UIMessage, leftOut: LeftOut): ChatMessage[] {
  const answers: Said[] = [];
  let now: Said | undefined;
  for (const part of parts) {
    if (part.type === "step-start") {
      now = undefined;
      continue;
    }
    if (!now || (now.calls.length > 0 && !("toolCallId" in part)))
      answers.push((now = { content: [], reasoning: [], calls: [], sources: [] }));
    if (part.type === "text") now.content.push(...(part.text === "" ? [] : [{ type: "text" as const, text: part.text }]));
    else if (part.type === "reasoning") now.reasoning.push(part);
    else if (part.type === "file") now.content.push(...imageOf(part, leftOut));
    else if ("toolCallId" in part) now.calls.push(part as ToolPart);
    else if (part.type === "source-url") now.sources.push(part);
    // A run that has failed has left nothing else.
    else if (part.type !== "data-failure") leftOut.add(`parts of the type ${part.type}`);
  }
  return answers.flatMap((said) => answerOf(said, leftOut));
}

/** One answer of the model. */
interface Said {
  content: ChatContent[];
  reasoning: ReasoningUIPart[];
  calls: ToolPart[];
  sources: SourceUrlUIPart[];
}

function answerOf({ content, reasoning, calls, sources }: Said, leftOut: LeftOut): ChatMessage[] {
  if (content.length + reasoning.length + calls.length === 0) return [];
  const called = calls.map((part) => {
    const input = part.state === "output-error" ? (part.input ?? part.rawInput) : part.input;
    return {
      id: part.toolCallId,
      type: "function" as const,
      function: { name: nameOf(part), arguments: typeof input === "string" ? input : JSON.stringify(input ?? {}) },
    };
  });
  const answer: ChatMessage = {
    role: "assistant",
    ...(content.length > 0 ? { content } : {}),
    ...withSources(reasoningOf(reasoning), sources),
    ...(called.length > 0 ? { tool_calls: called } : {}),
  };
  return [answer, ...calls.flatMap((part) => resultOf(part, leftOut))];
}

/** The reasoning, in the form in which its provider takes it again. */
function reasoningOf(parts: readonly ReasoningUIPart[]): Partial<ChatMessage> {
  const [first] = parts;
  if (!first) return {};
  const blocks = parts.flatMap(({ text, providerMetadata }): ThinkingBlock[] => {
    const { signature, redactedData } = providerMetadata?.["anthropic"] ?? {};
    if (typeof redactedData === "string") return [{ type: "redacted_thinking", data: redactedData }];
    return typeof signature === "string" ? [{ type: "thinking", thinking: text, signature }] : [];
  });
  if (blocks.length === parts.length) return { thinking_blocks: blocks };
  const text = parts.map(({ text }) => text).join("\n");
  const { itemId, reasoningEncryptedContent } = first.providerMetadata?.["openai"] ?? {};
  if (typeof itemId !== "string") return { reasoning_content: text };
  return {
    responses_reasoning_item: {
      id: itemId,
      summary: [text],
      ...(typeof reasoningEncryptedContent === "string" ? { encrypted_content: reasoningEncryptedContent } : {}),
    },
  };
}

/** The answer with its sources, as the library keeps them. */
function withSources(answer: Partial<ChatMessage>, parts: readonly SourceUrlUIPart[]): Partial<ChatMessage> {
  if (parts.length === 0) return answer;
  const sources = parts.map(({ url, title }) => ({ url, ...(title === undefined ? {} : { title }) }));
  // They are where a server's encrypted reasoning would be; what people can read of that stays.
  const summary = answer.responses_reasoning_item?.summary ?? [];
  return { ...answer, responses_reasoning_item: { summary, encrypted_content: JSON.stringify({ sources }) } };
}

function resultOf(part: ToolPart, leftOut: LeftOut): ChatMessage[] {
  const result = (content: string | ChatContent[]): ChatMessage[] => [{ role: "tool", tool_call_id: part.toolCallId, content }];
  if (part.state === "output-available") return result(contentOf(part.output));
  if (part.state === "output-error") {
    leftOut.add("the mark of a result that it is an error");
    return result(part.errorText);
  }
  if (part.approval?.approved === false) {
    leftOut.add("the mark of a call that the user has rejected it");
    return result(part.approval.reason ?? "The user has rejected this call.");
  }
  if (part.approval?.approved === true) leftOut.add("an approval of a call that has not run");
  // The import answers it.
  return [];
}

/** The content of a result, as `uiMessagesOf` gives it or as any tool has returned it. */
function contentOf(output: unknown): string | ChatContent[] {
  if (typeof output === "string") return output;
  const isContent =
    Array.isArray(output) &&
    output.length > 0 &&
    output.every((item) =>
      item?.type === "text" ? typeof item.text === "string" : item?.type === "image" && Array.isArray(item.image_urls),
    );
  if (!isContent) return JSON.stringify(output ?? null);
  return output.flatMap((item): ChatContent[] =>
    item.type === "text"
      ? [{ type: "text", text: item.text }]
      : item.image_urls.map((url: unknown) => ({ type: "image_url" as const, image_url: { url: String(url) } })),
  );
}

function imageOf({ mediaType, url, filename }: FileUIPart, leftOut: LeftOut): ChatContent[] {
  if (isImage(mediaType)) return [{ type: "image_url", image_url: { url } }];
  leftOut.add(`the file ${filename ?? ""} of the type ${mediaType}`);
  return [];
}

function nameOf(part: { type: string; toolName?: string }): string {
  return part.toolName ?? part.type.slice("tool-".length);
}
