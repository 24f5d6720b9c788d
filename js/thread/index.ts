// `threadkeep/thread`: a conversation as a user interface shows it.
export type * from "./types.js";
