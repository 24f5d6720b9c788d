// Exports of programs for chats: ChatGPT, Claude, Open WebUI, LibreChat, Chatbox, and lists of llama.cpp's. They are found by their
// shape. What reads them is loaded for the first such file; it makes sessions of them, which the core imports.
import { part } from "../../wasm/wasm.js";
import type { Converted } from "./programs/session.js";

/** A text without one of these names is none of them, so that it need not be parsed here. */
const MARKS = /"(?:mapping|chat_messages|chat|conversationId|conv|chat-sessions(?:-list)?|session:[^"]*)"\s*:/;

/** The conversations of such a file; `undefined` if it is another one. */
export async function conversationsIn(text: string): Promise<Converted[] | undefined> {
  if (!MARKS.test(text)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    // The core says what is wrong.
    return undefined;
  }
  const { converted } = await part(import("./programs/read.js"));
  return converted(value);
}
