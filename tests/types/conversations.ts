// Uses of the types of `threadkeep/conversations`, its component and those of the files and the decisions of a conversation that TypeScript must accept or refuse. Compiled, never run.
import { type Conversation, memoryStore } from "threadkeep";
import "threadkeep/chat";
import { type ConversationsLabels, defineConversations, type Selection, type ThreadkeepConversations } from "threadkeep/conversations";
import {
  type ControlViewProps,
  type ConversationsHandle,
  type ConversationsViewProps,
  defaultControlLabels,
  defaultConversationsLabels,
  defaultFilesLabels,
  type FilesLabels,
  type FilesViewProps,
} from "threadkeep/preact";

const list: ThreadkeepConversations = document.querySelector("threadkeep-conversations")!;
list.chat = document.querySelector("threadkeep-chat");
// @ts-expect-error a thread is no chat
list.chat = { thread: null };
list.store = memoryStore();
list.linkOf = (conversationId, eventId) => [conversationId ?? "new", eventId].join("/");
// @ts-expect-error an address is a text
list.linkOf = () => 7;
list.labels = { locale: "de", imported: (count) => `${count} importiert` };
// @ts-expect-error there is no such text
list.labels = { title_of: "x" };
list.beforeDelete = async (conversationId) => void conversationId.toUpperCase();
void list.importFiles([new File([], "a.zip")]).then(() => list.search());
void list.deleteConversation("x");
defineConversations("my-list");

const labels: ConversationsLabels = { ...defaultConversationsLabels, today: "Heute" };
const handle: { current: ConversationsHandle | null } = { current: null };
const props: ConversationsViewProps = {
  labels,
  handle,
  conversationId: null,
  onSelect: ({ conversationId, eventId }: Selection) => conversationId !== null && eventId === null,
  onUpdate: (ids, { trashed, tags }) => void [ids.length, trashed === true, tags?.["title"]],
};
// @ts-expect-error it has to be a text or nothing
const wrong: ConversationsViewProps = { conversationId: 7 };
void [props, wrong];

declare const conversation: Conversation;
const filesLabels: FilesLabels = { ...defaultFilesLabels, added: (count) => `${count} hinzugefügt` };
const files: FilesViewProps = { conversation, labels: { add: filesLabels.add } };
// @ts-expect-error there is no such text
const wrongFiles: FilesViewProps = { conversation, labels: { title: "x" } };
void [files, wrongFiles];

const control: ControlViewProps = { conversation, givenSecrets: ["TOKEN"], labels: { ...defaultControlLabels, add: "Hinzufügen" } };
control.onSecret = (name, value) => void [name.length, value?.length];
// @ts-expect-error it takes a function
control.onChange = 7;
void control;
