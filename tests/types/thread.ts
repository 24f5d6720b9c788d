// Uses of the types of `threadkeep/thread` and `threadkeep/react` that TypeScript must accept or refuse. Compiled, never run.
import { Agent, LLM, memoryStore, type Conversation, type ConversationInfo, type ErrorCode, type RunResult } from "threadkeep";
import { useApprovals, useConversation, useConversations, type UseConversation } from "threadkeep/react";
import {
  conversationList,
  openThread,
  threadOf,
  type MessagePart,
  type Thread,
  type ThreadSnapshot,
  type ToolState,
} from "threadkeep/thread";

declare const conversation: Conversation;
const agent = new Agent({ llm: new LLM({ model: "m" }) });

const thread: Thread = openThread({ agent, store: memoryStore(), conversationId: null, pageSize: 50, resume: true, maxIterationPerRun: 3 });
openThread({ agent, resume: "keep" });
openThread({ agent, resume: "again" });
// @ts-expect-error: a thread goes on, or not, or keeps
openThread({ agent, resume: "never" });
// @ts-expect-error an agent is needed
openThread({});
// @ts-expect-error there is no such option
openThread({ agent, pages: 3 });
// @ts-expect-error a view has no options of a conversation
threadOf(conversation, { resume: true });
threadOf(conversation, { pageSize: 20 });

const snapshot: ThreadSnapshot = thread.getSnapshot();
// @ts-expect-error snapshots are not changed by views
snapshot.messages.push();
const result: RunResult = await thread.approve(["id"]);
const maybe: RunResult | null = await thread.reject();

/** One `switch` serves errors and failures in messages. */
void ((part: Extract<MessagePart, { type: "error" }>): ErrorCode => part.code);

/** Every kind of part is told apart by its type. */
function textOf(part: MessagePart): string {
  switch (part.type) {
    case "text":
    case "reasoning":
    case "error":
    case "notice":
      return part.text;
    case "image":
      return part.url;
    case "tool": {
      const state: ToolState = part.state;
      return `${part.toolName} ${state}`;
    }
  }
}
// @ts-expect-error only some parts have a text
const text = (part: MessagePart) => part.text;

const list = conversationList();
const infos: readonly ConversationInfo[] = list.getSnapshot().conversations;
conversationList({ trashed: true });
// @ts-expect-error it is a yes or no
conversationList({ trashed: "yes" });

function Component(): void {
  const chat: UseConversation = useConversation({ agent });
  const { messages, send, isRunning } = chat;
  void send("Hi");
  // @ts-expect-error the component closes it by being unmounted
  void chat.close();
  const approvals = useApprovals(chat);
  for (const { approve, edit, risk } of approvals) {
    approve().then(({ status }) => status);
    void edit({ sum: 3 });
    // @ts-expect-error there is no such risk
    void (risk === "EXTREME");
  }
  useApprovals(thread);
  // @ts-expect-error whose approvals?
  useApprovals();
  const { conversations, refresh } = useConversations({ store: memoryStore() });
  void [messages, isRunning, conversations, refresh];
}
void [result, maybe, textOf, text, infos, Component];
