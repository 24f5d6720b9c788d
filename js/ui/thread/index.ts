// `threadkeep/thread`: a conversation as a user interface shows it.
export { conversationList } from "./list.js";
export { openingSnapshot } from "./snapshot.js";
export { openThread, threadOf } from "./thread.js";
export type * from "./types.js";
export { visibleText } from "./visible-text.js";
