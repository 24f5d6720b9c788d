// Files that the user adds to a message: from the composer to the conversation, and back.
import {
  type AppendMessage,
  type AttachmentAdapter,
  type CompleteAttachment,
  CompositeAttachmentAdapter,
  SimpleImageAttachmentAdapter,
  SimpleTextAttachmentAdapter,
} from "@assistant-ui/react";
import { type Content, type Image, ThreadkeepError } from "threadkeep";

/** Images, which are sent as such, and text files, whose text is sent. */
export function fileAttachments(): AttachmentAdapter {
  return new CompositeAttachmentAdapter([new SimpleImageAttachmentAdapter(), new SimpleTextAttachmentAdapter()]);
}

/** The content of a message from the composer. @throws ThreadkeepError `invalid_options` for a part that has no place in a message */
export function contentOfAppended({ content, attachments = [] }: Pick<AppendMessage, "content" | "attachments">): Array<Content | Image> {
  const parts = content.map((part) => contentOfPart(part));
  // The file itself, if it is at hand, is made smaller where a provider requires that.
  const files = attachments.flatMap(
    ({ type, file, content }): Array<Content | Image> => (type === "image" && file ? [file] : content.map((part) => contentOfPart(part))),
  );
  return [...parts, ...files];
}

function contentOfPart(part: AppendMessage["content"][number]): Content {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "image") return { type: "image", image_urls: [part.image] };
  if (part.type === "file" && part.mimeType.startsWith("image/")) return { type: "image", image_urls: [part.data] };
  throw new ThreadkeepError("invalid_options", `a message cannot contain a part of the type ${part.type}: send text or images`);
}

/** An image that the user has sent. One from the network is a file, which nothing loads before the user opens it. */
export function imageAttachment(id: string, url: string): CompleteAttachment {
  const status = { type: "complete" as const };
  if (url.startsWith("data:image/")) return { id, type: "image", name: "Image", content: [{ type: "image", image: url }], status };
  return { id, type: "file", name: url, content: [{ type: "file", data: url, mimeType: "image/*", sourceType: "url" }], status };
}

/** A text file that the user has sent, if this is the text that the composer makes of one. */
export function attachmentNamed(id: string, text: string): CompleteAttachment | null {
  const name = /^<attachment name="([^"<>]*)">\n[^]*\n<\/attachment>$/.exec(text)?.[1];
  if (name === undefined) return null;
  return { id, type: "document", name: unescaped(name), content: [{ type: "text", text }], status: { type: "complete" } };
}

const characters: Record<string, string> = { "&amp;": "&", "&quot;": '"', "&lt;": "<", "&gt;": ">" };

const unescaped = (name: string) => name.replace(/&(?:amp|quot|lt|gt);/g, (entity) => characters[entity]!);
