// `threadkeep/ai-sdk`: conversations as chats of the AI SDK's `useChat`.
export { conversationIdOf } from "./chat-id.js";
export { importUIMessages } from "./import.js";
export { ThreadkeepChatTransport, type ThreadkeepChatTransportOptions } from "./transport.js";
export type { CallOrigin, Failure, MessageOrigin, ThreadkeepUIMessage } from "./types.js";
export { uiMessagesOf } from "./ui-messages.js";
