// A message of the user in a chat, as the content of a message in a conversation.
import type { FileUIPart, UIMessage } from "ai";
import { type Content, type FileContent, type MessageEvent, ThreadkeepError } from "threadkeep";
import { attachmentsIn, pathOfUrl, workspaceUrl } from "../thread/attachments.js";
import { isSame } from "./approvals.js";

/**
 * The texts, images and files of a message, in order. Data parts are for the app and no model, so they are left out.
 * @throws ThreadkeepError `invalid_options` for a file that is neither in a `data:` URL nor in the workspace, and for a message
 * without text, image and file
 */
export function contentOfUser({ parts }: UIMessage): Array<Content | FileContent> {
  const content = parts.flatMap((part): Array<Content | FileContent> => {
    if (part.type === "text") return part.text === "" ? [] : [{ type: "text", text: part.text }];
    if (part.type !== "file") return [];
    if (isImage(part.mediaType) && /^(https?|data):/i.test(part.url)) return [{ type: "image", image_urls: [part.url] }];
    return [fileOf(part)];
  });
  if (content.length === 0) throw new ThreadkeepError("invalid_options", "the message has neither text nor image nor file");
  return content;
}

function fileOf({ url, filename, mediaType }: FileUIPart): FileContent {
  const named = filename === undefined ? {} : { name: filename };
  const path = pathOfUrl(url);
  if (path !== null) return { type: "file", path, mediaType, ...named };
  const file = blobOf(url, mediaType);
  if (file) return { type: "file", file, name: filename ?? "file" };
  throw new ThreadkeepError(
    "invalid_options",
    `the file ${filename ?? ""} of the type ${mediaType} cannot be sent: give it as a data: URL`,
  );
}

/** The content of a `data:` URL; `null` for another one. */
function blobOf(url: string, type: string): Blob | null {
  const [, base64, data] = /^data:[^,]*?(;base64)?,([^]*)$/i.exec(url) ?? [];
  if (data === undefined) return null;
  try {
    const text = base64 ? atob(data) : decodeURIComponent(data);
    return new Blob([base64 ? Uint8Array.from(text, (character) => character.charCodeAt(0)) : text], { type });
  } catch {
    return null;
  }
}

/** The files of a stored message as parts, whose URLs are `workspace:` and the path. */
export function filePartsOf({ extended_content }: MessageEvent): FileUIPart[] {
  return attachmentsIn(extended_content).map(({ path, name, mediaType }) => {
    return { type: "file", mediaType, filename: name, url: workspaceUrl(path) };
  });
}

/** Whether a stored message has these texts, images and files. */
export function isSameMessage({ llm_message, extended_content }: MessageEvent, content: ReadonlyArray<Content | FileContent>): boolean {
  const plain = (part: Content) => (part.type === "text" ? part.text : part.image_urls);
  const given = content.filter((part) => part.type === "file");
  const stored = attachmentsIn(extended_content);
  const others = content.filter((part) => part.type !== "file");
  return (
    isSame(llm_message.content.map(plain), others.map(plain)) &&
    given.length === stored.length &&
    given.every(({ file, path, name }, index) => {
      const { [index]: known } = stored;
      return file ? file.size === known?.size && name === known.name : path === known?.path;
    })
  );
}

export function isImage(mediaType: string): boolean {
  return /^image(\/|$)/i.test(mediaType);
}
