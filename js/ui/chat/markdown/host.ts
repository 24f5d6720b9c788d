// The part of the chat that its views of Markdown use.
import type { Chat } from "../context.js";

/** The chat's texts and its voice, which buttons in the text use. */
export type MarkdownHost = Pick<Chat, "labels" | "announce">;
