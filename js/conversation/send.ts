// Sends messages of the user: new ones, and those in place of an earlier one.
import type { MessageEvent } from "../events/events.js";
import type { Content } from "../events/types.js";
import { ask, invalidOptions, optionsOf, textOf } from "../input/errors.js";
import { contentOf, type Image } from "../llm/images.js";
import type { ConversationSession } from "./session.js";

/** See `Conversation.sendMessage()`. @internal */
export async function sendMessage(
  { core, llm }: ConversationSession,
  message: string | ReadonlyArray<Content | Image>,
  options: { sender?: string | undefined; pending?: "reject" | "keep" | undefined },
): Promise<MessageEvent> {
  const { sender, pending } = optionsOf("sendMessage()", options, "sender pending");
  if (sender !== undefined && typeof sender !== "string") throw invalidOptions("sender must be a string");
  if (pending !== undefined && pending !== "reject" && pending !== "keep") throw invalidOptions('pending must be "reject" or "keep"');
  const content = contentOf(message, llm);
  // Without an image nothing is awaited here, so that no later call of the host can overtake this message.
  const json = typeof content === "string" ? content : await content;
  return JSON.parse(await ask(core, "sendMessage", json, sender, pending));
}

/** See `Conversation.editMessage()`. @internal */
export async function editMessage(
  { core, llm }: ConversationSession,
  eventId: string,
  message: string | ReadonlyArray<Content | Image>,
): Promise<MessageEvent> {
  const json = await contentOf(message, llm);
  return JSON.parse(await ask(core, "sendMessage", json, undefined, undefined, textOf(eventId)));
}
