// `threadkeep/preact`: the components of `<threadkeep-chat>`, `<threadkeep-conversations>` and `<threadkeep-model>`, and the files and the
// decisions of a conversation, for a Preact app that puts them together itself. The styles are in `threadkeep/preact.css`, for an element with
// the class `threadkeep`.
export { type Chat, useChat, useSnapshot } from "../chat/context.js";
export { ChatView, type ChatViewProps } from "../chat/chat.js";
export {
  Approvals,
  type ApprovalsProps,
  type ChatModel,
  Composer,
  type ComposerHandle,
  type ComposerProps,
  type Recovery,
  StatusLine,
  type StatusLineProps,
} from "../chat/controls/index.js";
export { type ChatLabels, defaultLabels } from "../chat/labels.js";
export { Markdown, type MarkdownProps } from "../chat/markdown/index.js";
export { type Change, changesOf, type Task, TaskList, tasksOf } from "../chat/messages/results.js";
export { Diff, type DiffProps } from "../chat/messages/diff.js";
export { MessageList, type MessageListProps } from "../chat/messages/index.js";
export { PlainText } from "../chat/messages/plain.js";
export { ChatProvider, type ChatProviderProps } from "../chat/provider.js";
export { type Shortcut, Shortcuts, type ShortcutsHandle, type ShortcutsProps } from "../chat/shortcuts.js";
export type { ConversationVisualizer, Visualize, VisualizerOption } from "../chat/visualizer.js";
export { type ControlLabels, defaultControlLabels } from "../control/labels.js";
export { ControlView, type ControlViewProps } from "../control/view.js";
export { type ConversationsLabels, defaultConversationsLabels } from "../conversations/labels.js";
export { type ConversationsHandle, ConversationsView, type ConversationsViewProps, type Selection } from "../conversations/view.js";
export { defaultFilesLabels, type FilesLabels } from "../files/labels.js";
export { FilesView, type FilesViewProps } from "../files/view.js";
export { type KeyProtection, KeyStore } from "../model/keys.js";
export { defaultModelLabels, type ModelLabels } from "../model/labels.js";
export { type ModelProvider, modelProviders } from "../model/providers.js";
export { type ModelSettings, ModelStore, type ModelStoreOptions } from "../model/store.js";
export { ModelView, type ModelViewProps } from "../model/view.js";
