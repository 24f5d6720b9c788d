// Files that the user adds to a message: from the composer to the conversation, and back.
import {
  type AppendMessage,
  type AttachmentAdapter,
  type CompleteAttachment,
  CompositeAttachmentAdapter,
  SimpleImageAttachmentAdapter,
  SimpleTextAttachmentAdapter,
} from "@assistant-ui/react";
import { type Content, type FileContent, type Image, ThreadkeepError } from "threadkeep";
import { pathOfUrl, workspaceUrl } from "../thread/attachments.js";
import type { UIAttachment } from "../thread/types.js";

/** Images, which are sent as such, text files, whose text is sent, and other files, which are stored in the workspace. */
export function fileAttachments(): AttachmentAdapter {
  return new CompositeAttachmentAdapter([new SimpleImageAttachmentAdapter(), new SimpleTextAttachmentAdapter(), storedFiles]);
}

let added = 0;
const storedFiles: AttachmentAdapter = {
  accept: "*",
  add: async ({ file }) => ({
    id: `file-${++added}`,
    type: "file",
    name: file.name,
    contentType: file.type,
    file,
    status: { type: "requires-action", reason: "composer-send" },
  }),
  // The file itself is sent.
  send: async (attachment) => ({ ...attachment, status: { type: "complete" }, content: [] }),
  remove: async () => {},
};

/** The content of a message from the composer. @throws ThreadkeepError `invalid_options` for a part that has no place in a message */
export function contentOfAppended({
  content,
  attachments = [],
}: Pick<AppendMessage, "content" | "attachments">): Array<Content | Image | FileContent> {
  const parts = content.map((part) => contentOfPart(part));
  // The file itself, if it is at hand, is made smaller where a provider requires that.
  const files = attachments.flatMap(({ type, file, content }): Array<Content | Image | FileContent> => {
    if (type === "image" && file) return [file];
    return type === "file" && file ? [{ type: "file", file }] : content.map((part) => contentOfPart(part));
  });
  return [...parts, ...files];
}

function contentOfPart(part: AppendMessage["content"][number]): Content | FileContent {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "image") return { type: "image", image_urls: [part.image] };
  const path = part.type === "file" ? pathOfUrl(part.data) : null;
  if (part.type === "file" && path !== null) return { type: "file", path, mediaType: part.mimeType, name: part.filename };
  if (part.type === "file" && part.mimeType.startsWith("image/")) return { type: "image", image_urls: [part.data] };
  throw new ThreadkeepError("invalid_options", `a message cannot contain a part of the type ${part.type}: send text or images`);
}

/** An image that the user has sent. One from the network is a file, which nothing loads before the user opens it. */
export function imageAttachment(id: string, url: string): CompleteAttachment {
  const status = { type: "complete" as const };
  if (url.startsWith("data:image/")) return { id, type: "image", name: "Image", content: [{ type: "image", image: url }], status };
  return { id, type: "file", name: url, content: [{ type: "file", data: url, mimeType: "image/*", sourceType: "url" }], status };
}

/** A file that the user has sent and that is in the workspace. */
export function storedAttachment(id: string, { path, name, mediaType }: UIAttachment): CompleteAttachment {
  const content = [{ type: "file" as const, data: workspaceUrl(path), mimeType: mediaType, filename: name, sourceType: "url" as const }];
  return { id, type: "file", name, contentType: mediaType, content, status: { type: "complete" } };
}

/** A text file that the user has sent, if this is the text that the composer makes of one. */
export function attachmentNamed(id: string, text: string): CompleteAttachment | null {
  const name = /^<attachment name="([^"<>]*)">\n[^]*\n<\/attachment>$/.exec(text)?.[1];
  if (name === undefined) return null;
  return { id, type: "document", name: unescaped(name), content: [{ type: "text", text }], status: { type: "complete" } };
}

const characters: Record<string, string> = { "&amp;": "&", "&quot;": '"', "&lt;": "<", "&gt;": ">" };

const unescaped = (name: string) => name.replace(/&(?:amp|quot|lt|gt);/g, (entity) => characters[entity]!);
