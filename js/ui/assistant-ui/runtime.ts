// The hook that makes assistant-ui's runtime from conversations of this library.
import {
  type AppendMessage,
  type AssistantRuntime,
  type ExternalStoreAdapter,
  type ThreadMessage,
  useExternalStoreRuntime,
} from "@assistant-ui/react";
import { useMemo } from "react";
import { ThreadkeepError } from "threadkeep";
import type { Thread } from "../thread/types.js";
import { contentOfAppended, fileAttachments } from "./attachments.js";
import { type Current, useCurrent } from "./current.js";
import { type Answer, respond } from "./decisions.js";
import { type ThreadkeepRuntimeOptions, split } from "./options.js";
import { Extras } from "./thread-hook.js";
import { useThreadList } from "./thread-list.js";

type Adapter = ExternalStoreAdapter<ThreadMessage>;

/**
 * A runtime for `<AssistantRuntimeProvider>` whose threads are the conversations of a store. All options but
 * `conversationId` and `store` are read when a conversation is opened, so they may be made anew at every render.
 */
export function useThreadkeepRuntime(options: ThreadkeepRuntimeOptions): AssistantRuntime {
  const current = useCurrent(options);
  const threadList = useThreadList(current, options.store);
  const { pending, adapters, suggestions } = split(options).ui;
  const attachments = useMemo(() => adapters?.attachments ?? fileAttachments(), [adapters?.attachments]);
  const verbs = useVerbs(current);
  const { view, first, error, thread } = current;
  const extras = useMemo(() => new Extras(thread?.thread ?? null, view.snapshot, error), [thread, view.snapshot, error]);
  const { snapshot } = view;
  const repository = useMemo(
    () => (first ? { headId: first.id, messages: [{ message: first, parentId: null }] } : view.repository),
    [first, view.repository],
  );
  const adapter = useMemo(
    (): Adapter => ({
      ...verbs,
      messageRepository: repository,
      unstable_messageRepositoryInstance: view.kept,
      isRunning: first !== null || snapshot.isRunning,
      isLoading: snapshot.phase === "opening",
      isDisabled: snapshot.phase !== "open",
      isSendDisabled: snapshot.approvals.length > 0 && pending === undefined,
      suggestions,
      extras,
      adapters: { ...adapters, attachments, threadList },
    }),
    [verbs, repository, view.kept, first, snapshot, pending, suggestions, extras, adapters, attachments, threadList],
  );
  return useExternalStoreRuntime(adapter);
}

/** All that the user can do. */
function useVerbs({ thread: view, send, stop }: Current) {
  return useMemo(() => {
    const thread = view?.thread;
    const conversation = (): Thread => {
      if (thread) return thread;
      throw new ThreadkeepError("invalid_state", "this conversation has no message yet");
    };
    return {
      onNew: send,
      onEdit: (message: AppendMessage) => edit(conversation(), message),
      onReload: (parentId: string | null) => answerAgain(conversation(), parentId),
      onResume: async () => void (await conversation().resume()),
      onCancel: stop,
      onRespondToToolApproval: (answer: Answer) => respond(conversation(), answer),
      // Only the choice of a branch changes the list of messages; the conversation decides about everything else.
      setMessages: (messages: readonly ThreadMessage[]) => void view?.switchTo(messages.at(-1)?.id),
      // assistant-ui takes setMessages() for a sign that messages can be deleted.
      onDelete: () => {
        throw new ThreadkeepError("invalid_state", "a conversation keeps all its messages: edit the message, or delete the conversation");
      },
    };
  }, [view, send, stop]);
}

/** Sends the message in place of another one of the user, or after an earlier message. */
async function edit(thread: Thread, message: AppendMessage): Promise<void> {
  const content = contentOfAppended(message);
  if (message.sourceId !== null) return void (await thread.editMessage(message.sourceId, content));
  await thread.navigateTo(lastEventOf(thread, message.parentId));
  await thread.send(content);
}

/** Asks for another answer to this message. */
async function answerAgain(thread: Thread, parentId: string | null): Promise<void> {
  const question = thread
    .getSnapshot()
    .messages.filter(({ role }) => role === "user")
    .at(-1);
  if (parentId !== null && parentId !== question?.id) await thread.navigateTo(lastEventOf(thread, parentId));
  await thread.regenerate();
}

function lastEventOf(thread: Thread, messageId: string | null): string | null {
  return (
    thread
      .getSnapshot()
      .messages.find(({ id }) => id === messageId)
      ?.eventIds.at(-1) ?? null
  );
}
