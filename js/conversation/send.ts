// Sends messages of the user: new ones, and those in place of an earlier one.
import type { MessageEvent } from "../events/events.js";
import type { Content } from "../events/types.js";
import { ask, invalidOptions, optionsOf, reading, textOf } from "../input/errors.js";
import { contentOf, type Image } from "../llm/images.js";
import { part } from "../wasm/wasm.js";
import type { Acting, FileContent } from "./types.js";

/** See `Conversation.sendMessage()`. @internal */
export async function sendMessage(
  on: Acting,
  message: string | ReadonlyArray<Content | Image | FileContent>,
  options: { sender?: string | undefined; pending?: "reject" | "keep" | undefined },
): Promise<MessageEvent> {
  const { sender, pending } = optionsOf("sendMessage()", options, "sender pending");
  if (sender !== undefined && typeof sender !== "string") throw invalidOptions("sender must be a string");
  if (pending !== undefined && pending !== "reject" && pending !== "keep") throw invalidOptions('pending must be "reject" or "keep"');
  if (hasFiles(message)) return (await part(import("./send/files.js"))).sendFiles(on, message, sender, pending);
  const content = contentOf(message, on.session.llm);
  // Without an image nothing is awaited here, so that no later call of the host can overtake this message.
  const json = typeof content === "string" ? content : await content;
  return JSON.parse(await ask(on.core, "sendMessage", json, sender, pending));
}

/** See `Conversation.editMessage()`. @internal */
export async function editMessage(
  on: Acting,
  eventId: string,
  message: string | ReadonlyArray<Content | Image | FileContent>,
): Promise<MessageEvent> {
  const id = textOf(eventId);
  if (hasFiles(message)) return (await part(import("./send/files.js"))).editFiles(on, id, message);
  const content = contentOf(message, on.session.llm);
  const json = typeof content === "string" ? content : await content;
  return JSON.parse(await ask(on.core, "editMessage", id, json));
}

function hasFiles(message: unknown): message is readonly unknown[] {
  return reading("the message", () => Array.isArray(message) && message.some((each) => each?.type === "file"));
}
