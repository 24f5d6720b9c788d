// The controls of a chat: what the user writes, decides and does with a message.
export { Approvals, type ApprovalsProps } from "./approvals.js";
export { Composer, type ComposerHandle, type ComposerProps } from "./composer.js";
export { type ChatModel, ModelMenu } from "./model-menu.js";
export { MessageActions, type MessageActionsProps } from "./message-actions.js";
export { notify } from "./notices.js";
export { type Recovery, StatusLine, type StatusLineProps } from "./status-line.js";
