// The messages of this entry: those of the AI SDK, with what a conversation knows beyond them.
import type { ToolUIPart, UIMessage } from "ai";
import type { ErrorCode, ToolProgressEvent, WaitingEvent } from "threadkeep";

/** A message as the conversation knows it; in `message.metadata.threadkeep`. */
export interface MessageOrigin {
  /** The ids of its events, in order; of a message that is still streaming, those that are stored. */
  eventIds: string[];
  /** ISO 8601; absent while nothing of the message is stored. */
  createdAt?: string;
  /** Who sent it, in a conversation with several senders. */
  sender?: string;
}

/** A call as the conversation knows it; in `part.toolMetadata`. */
export type CallOrigin = {
  /** The id of the `ActionEvent`. */
  actionId: string;
  /** How dangerous the model rates the call. */
  risk: string;
  /** The purpose of the call, in the model's words. */
  summary?: string;
};

/** A failure that ended a run; in a part `data-failure` of the answer. */
export type Failure = {
  code: ErrorCode;
  text: string;
};

/**
 * A message of `useChat` as this entry makes it. `onData` gets `data-waiting` when a request failed and is made again, and
 * `data-progress` when a tool reports how far it is; neither becomes a part of a message.
 */
export type ThreadkeepUIMessage = UIMessage<
  { threadkeep?: MessageOrigin },
  { waiting: WaitingEvent; progress: ToolProgressEvent; failure: Failure }
>;

/** A part of a message. */
export type Part = UIMessage["parts"][number];
/** A call of a tool. */
export type ToolPart = ToolUIPart;
