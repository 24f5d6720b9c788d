// The transport of `useChat`: a chat is a conversation, and the agent runs in the page.
import type { ChatTransport, UIMessage, UIMessageChunk } from "ai";
import {
  type Content,
  Conversation,
  type ConversationEvent,
  type ConversationInfo,
  type FileContent,
  type MessageEvent,
  ThreadkeepError,
} from "threadkeep";
import { decisionsIn, openCalls } from "./approvals.js";
import { canGoOn, cutReasonOf } from "../thread/fields.js";
import { checked, objectOf } from "../thread/given.js";
import { conversationIdOf } from "./chat-id.js";
import { type ChatOptions, type OpenChat, leaveChats, openChat } from "./open-chat.js";
import { isAnswer, isResult, isUserMessage, lastOf } from "./parts.js";
import { Reply } from "./reply.js";
import { lastAnswer, uiMessagesOf } from "./ui-messages.js";
import { contentOfUser, isSameMessage } from "./user-message.js";

/** The options of {@link ThreadkeepChatTransport}: those of `Conversation.open()`, without the id, which is that of the chat. */
export type ThreadkeepChatTransportOptions = ChatOptions;

type Sending<Message extends UIMessage> = Parameters<ChatTransport<Message>["sendMessages"]>[0];
type Reconnecting<Message extends UIMessage> = Parameters<ChatTransport<Message>["reconnectToStream"]>[0];

/**
 * A transport for `useChat` that needs no server: the agent runs in this page, and the chat is stored as a conversation, whose
 * id is `conversationIdOf(chatId)`.
 *
 * The conversation is the truth, and the messages that `useChat` holds are a view of it: of a list of messages only the last
 * one of the user is read, and the decisions of the user about calls that wait. When `sendMessage()` has reached the status
 * `submitted` and the transport has returned a stream, the message is durable. All errors are those of `Conversation`, with
 * their `code`, in `error` and `onError`.
 */
export class ThreadkeepChatTransport<Message extends UIMessage = UIMessage> implements ChatTransport<Message> {
  /** A stream of `reconnectToStream` begins with all that is stored of the answer. */
  readonly resumeStreamIsReplay = true;
  readonly #options: ChatOptions;

  constructor(options: ThreadkeepChatTransportOptions) {
    const given = objectOf("the transport", "options", options);
    if (!given.agent) throw new ThreadkeepError("invalid_options", "the transport takes an agent: new ThreadkeepChatTransport({ agent })");
    if ("conversationId" in given)
      throw new ThreadkeepError("invalid_options", "the id of the conversation is that of the chat: useChat({ id })");
    this.#options = given;
  }

  /**
   * Sends the last message of the user, in place of an earlier one if it has the id of that, or goes on with the decisions of
   * the user about calls; then runs the agent. The stream ends with the run. Stopping it stops the run; cancelling it does not.
   * Where another tab writes the chat, it does all this for this page.
   * @throws ThreadkeepError `invalid_state` if another tab has written what `messages` lacks, `not_found` for a message that is not stored, and those of `sendMessage()`
   */
  async sendMessages(request: Sending<Message>): Promise<ReadableStream<UIMessageChunk>> {
    const { chatId, messages: given, trigger, messageId, abortSignal } = objectOf("sendMessages()", "a request of useChat", request);
    const messages = messagesOf(given);
    const chat = await openChat(this.#options, conversationIdOf(chatId), this);
    abortSignal?.throwIfAborted();
    const reply = new Reply(chat, abortSignal);
    try {
      const last = messages.at(-1);
      if (trigger === "regenerate-message") await regenerate(chat, reply, messages, messageId);
      else if (last?.role === "assistant") await goOn(chat, reply, last);
      else await send(chat, reply, messages, messageId);
    } catch (error) {
      reply.end();
      throw error;
    }
    return reply.stream;
  }

  /**
   * Goes on with what a page has left that died, and returns the answer from its beginning; or the answer that is under way, in
   * this page or in another tab. `null` if there is nothing to go on with: the answer is complete, the user has stopped it, calls
   * wait for the user, or it has failed; and for an import, as long as nobody has called `setConfirmationPolicy()` here:
   * opening a file of somebody else must run nothing. Creates no conversation.
   */
  async reconnectToStream(request: Reconnecting<Message>): Promise<ReadableStream<UIMessageChunk> | null> {
    const { chatId, abortSignal } = objectOf("reconnectToStream()", "a request of useChat", request);
    const chat = await this.#existing(chatId, ({ undecided }) => !undecided);
    if (!chat || abortSignal?.aborted) return null;
    const reply = new Reply(chat, abortSignal);
    const events = await chat.conversation.activeBranch();
    const { runsElsewhere } = chat;
    if (abortSignal?.aborted || (!chat.run && !runsElsewhere && !isLeft(chat.conversation, events))) {
      reply.end();
      return null;
    }
    reply.replay(lastAnswer(events));
    await reply.run(() => (runsElsewhere ? chat.ofAnother() : chat.go()));
    return reply.stream;
  }

  /**
   * The stored messages of a chat, for `useChat({ messages })`; none for a chat that does not exist. Opens the conversation.
   * @throws ThreadkeepError those of `Conversation.open()`
   */
  async messages(chatId: string): Promise<Message[]> {
    const chat = await this.#existing(chatId);
    // The app says which tools there are, and so the types of their parts.
    return chat ? ((await uiMessagesOf(chat.conversation)) as UIMessage[] as Message[]) : [];
  }

  /**
   * The open conversation of a chat, for everything that `useChat` has no place for; created if it does not exist. The
   * transport closes it. The handle lasts: when the chat is opened again, with another agent or because the tab that wrote it
   * has ended, subscriptions and watches go on.
   * @throws ThreadkeepError those of `Conversation.open()`
   */
  async conversation(chatId: string): Promise<Conversation> {
    return (await openChat(this.#options, conversationIdOf(chatId), this)).handle.conversation;
  }

  /**
   * Stops the runs of all chats of this transport, or of one, and lets other tabs write them, unless another transport of the
   * page has them open. A chat is opened again when it is used. Never rejects.
   */
  async close(chatId?: string): Promise<void> {
    await leaveChats(this.#options.store, this, chatId === undefined ? undefined : conversationIdOf(chatId)).catch(() => {});
  }

  /** The open chat, if it is stored and `isMeant`. */
  async #existing(chatId: string, isMeant: (stored: ConversationInfo) => boolean = () => true): Promise<OpenChat | null> {
    const id = conversationIdOf(chatId);
    const stored = (await Conversation.list({ store: this.#options.store })).find((stored) => stored.id === id);
    return stored && isMeant(stored) ? openChat(this.#options, id, this) : null;
  }
}

/** A copy of the list of messages, which has no holes. @throws ThreadkeepError `invalid_options` */
function messagesOf(given: readonly UIMessage[]): UIMessage[] {
  return checked("sendMessages() takes the messages of useChat", () => {
    if (!Array.isArray(given)) return false;
    // `every()` skips holes, and a copy fills them.
    const messages: UIMessage[] = [...given];
    const isMessage = ({ id, parts }: UIMessage) => typeof id === "string" && Array.isArray(parts) && [...parts].every(isPart);
    return messages.every(isMessage) && messages;
  });
}

/** Whether it has what is read of a part. */
function isPart(part: UIMessage["parts"][number]): boolean {
  const has = (...names: string[]) => names.every((name) => typeof (part as Record<string, unknown>)[name] === "string");
  return has("type") && (part.type !== "text" || has("text")) && (part.type !== "file" || has("url", "mediaType"));
}

/** Sends the last message of the user. */
async function send(chat: OpenChat, reply: Reply, messages: readonly UIMessage[], messageId: string | undefined): Promise<void> {
  const { conversation } = chat;
  const last = lastOf(messages, ({ role }) => role === "user");
  if (!last) throw notFound("there is no message of the user to send");
  const content = contentOfUser(last);
  const stored = await chat.eventOf(last.id);
  if (stored === null && messageId !== undefined && !chat.sent.has(messageId))
    throw notFound(`the message ${messageId} is not in the conversation; give useChat the messages of uiMessagesOf()`);
  if (chat.mayLack) await expectUpToDate(chat, messages);
  if (stored === null) chat.sent.set(last.id, null);
  const sent = (event: MessageEvent) => {
    chat.sent.set(last.id, event.id);
    reply.begin(event.id);
  };
  if (stored !== null && !(await isUnanswered(conversation, stored, content))) {
    await chat.leave();
    sent(await conversation.editMessage(stored, content));
    return reply.run(() => chat.go());
  }
  const { waiting } = await openCalls(conversation);
  const { approved, rejected } = decisionsIn(
    lastOf(messages, ({ role }) => role === "assistant"),
    waiting,
  );
  for (const { actionId, reason } of rejected) await conversation.rejectPendingActions(reason, { actionIds: [actionId] });
  // A message is no approval: calls that nobody has decided about are rejected. It is placed after the results of the others.
  const isDecided = rejected.length === waiting.length;
  if (stored !== null) reply.begin();
  else sent(await conversation.sendMessage(content, isDecided ? {} : { pending: approved.length > 0 ? "keep" : "reject" }));
  if (approved.length > 0) await rejectOthers(conversation, approved);
  await reply.run(() => chat.go(approved));
}

/** Refuses to send from a view that lacks what another tab has stored: the user has not seen what the message follows. */
async function expectUpToDate(chat: OpenChat, messages: readonly UIMessage[]): Promise<void> {
  const newest = lastOf(await chat.conversation.activeBranch(), isUserMessage);
  const shown = await Promise.all(messages.map(({ id }) => chat.eventOf(id)));
  if (newest && !shown.includes(newest.id))
    throw new ThreadkeepError(
      "invalid_state",
      "another tab has continued this chat, and the message was not sent: show setMessages(await transport.messages(id)), and send it again",
    );
  chat.mayLack = chat.conversation.access !== "writer";
}

/** Goes on after the decisions of the user in the last message. */
async function goOn(chat: OpenChat, reply: Reply, last: UIMessage): Promise<void> {
  const { conversation } = chat;
  const [events, { waiting }] = await Promise.all([conversation.activeBranch(), openCalls(conversation)]);
  reply.answer.continue(lastAnswer(events), waiting, last);
  reply.begin();
  const { approved, rejected } = decisionsIn(last, waiting);
  for (const { actionId, reason } of rejected) await conversation.rejectPendingActions(reason, { actionIds: [actionId] });
  const isDecided = approved.length > 0 || rejected.length === waiting.length;
  const answer = lastOf(events, isAnswer);
  const isOver = conversation.executionStatus === "finished" && !(answer?.kind === "MessageEvent" && canGoOn(cutReasonOf(answer)));
  if (chat.run || (isDecided && !isOver)) return reply.run(() => chat.go(approved));
  // Nothing may run: the calls that are left are asked about again.
  const status = conversation.executionStatus;
  void reply.follow(Promise.resolve({ status: status === "error" || status === "stuck" ? "idle" : status }));
}

/** Answers the last message of the user in `messages` again, or sends it if that has failed. */
async function regenerate(chat: OpenChat, reply: Reply, messages: readonly UIMessage[], messageId: string | undefined): Promise<void> {
  const { conversation } = chat;
  const question = lastOf(messages, ({ role }) => role === "user");
  if (!question) throw notFound("there is no message of the user to answer");
  const last = lastOf(await conversation.activeBranch(), isUserMessage);
  const stored = (await chat.eventOf(question.id)) ?? (last && isSameMessage(last, contentOfUser(question)) ? last.id : null);
  if (stored === null && messageId === undefined) return send(chat, reply, messages, undefined);
  if (stored === null) throw notFound(`the message ${question.id} is not in the conversation; give useChat the messages of uiMessagesOf()`);
  await chat.leave();
  reply.begin();
  if (stored === last?.id) return reply.run(() => conversation.regenerate());
  await conversation.navigateTo(stored);
  await reply.run(() => chat.go());
}

async function rejectOthers(conversation: Conversation, approved: readonly string[]): Promise<void> {
  const { waiting } = await openCalls(conversation);
  const others = waiting.flatMap(({ id }) => (approved.includes(id) ? [] : [id]));
  if (others.length > 0) await conversation.rejectPendingActions(undefined, { actionIds: others });
}

/** Whether this stored message has this content, and nobody has answered it: then it need not be sent again. */
async function isUnanswered(conversation: Conversation, eventId: string, content: ReadonlyArray<Content | FileContent>): Promise<boolean> {
  const last = lastOf(await conversation.activeBranch(), (event) => isUserMessage(event) || isAnswer(event));
  return last?.id === eventId && isUserMessage(last) && isSameMessage(last, content);
}

/** Whether a page that died has left something to go on with. */
function isLeft({ access, executionStatus }: Conversation, events: readonly ConversationEvent[]): boolean {
  // Somebody else is there to go on.
  if (access !== "writer") return false;
  const last = lastOf(
    events,
    (event) => isUserMessage(event) || isAnswer(event) || isResult(event) || event.kind === "PauseEvent" || event.kind === "InterruptEvent",
  );
  if (last === undefined || last.kind === "PauseEvent" || last.kind === "InterruptEvent") return false;
  if (last.kind === "MessageEvent" && last.source === "agent") return false;
  return executionStatus === "idle" || executionStatus === "paused";
}

function notFound(message: string): ThreadkeepError {
  return new ThreadkeepError("not_found", message);
}
