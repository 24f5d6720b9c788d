// Sends messages of the user: new ones, and those in place of an earlier one.
import type { MessageEvent } from "../events/events.js";
import type { Content } from "../events/types.js";
import { ask, invalidOptions, optionsOf, reading, textOf } from "../input/errors.js";
import { contentOf, type Image } from "../llm/images.js";
import { part } from "../wasm/wasm.js";
import type { ConversationSession } from "./session.js";
import type { FileContent } from "./types.js";

/** See `Conversation.sendMessage()`. @internal */
export async function sendMessage(
  session: ConversationSession,
  message: string | ReadonlyArray<Content | Image | FileContent>,
  options: { sender?: string | undefined; pending?: "reject" | "keep" | undefined },
): Promise<MessageEvent> {
  const { sender, pending } = optionsOf("sendMessage()", options, "sender pending");
  if (sender !== undefined && typeof sender !== "string") throw invalidOptions("sender must be a string");
  if (pending !== undefined && pending !== "reject" && pending !== "keep") throw invalidOptions('pending must be "reject" or "keep"');
  return send(session, message, sender, pending);
}

/** See `Conversation.editMessage()`. @internal */
export async function editMessage(
  session: ConversationSession,
  eventId: string,
  message: string | ReadonlyArray<Content | Image | FileContent>,
): Promise<MessageEvent> {
  return send(session, message, undefined, undefined, textOf(eventId));
}

async function send(session: ConversationSession, message: unknown, ...more: [string?, string?, string?]): Promise<MessageEvent> {
  const { core, llm } = session;
  if (reading("the message", () => Array.isArray(message) && message.some((each) => each?.type === "file"))) {
    return (await part(import("./send/files.js"))).sendFiles(session, message as unknown[], more);
  }
  const content = contentOf(message, llm);
  // Without an image nothing is awaited here, so that no later call of the host can overtake this message.
  const json = typeof content === "string" ? content : await content;
  return JSON.parse(await ask(core, "sendMessage", json, ...more));
}
