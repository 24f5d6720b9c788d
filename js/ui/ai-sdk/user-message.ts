// A message of the user in a chat, as the content of a message in a conversation.
import type { UIMessage } from "ai";
import { type Content, ThreadkeepError } from "threadkeep";

/**
 * The texts and images of a message, in order. Data parts are for the app and no model, so they are left out.
 * @throws ThreadkeepError `invalid_options` for a file that is no image, and for a message with neither text nor image
 */
export function contentOfUser({ parts }: UIMessage): Content[] {
  const content = parts.flatMap((part): Content[] => {
    if (part.type === "text") return part.text === "" ? [] : [{ type: "text", text: part.text }];
    if (part.type !== "file") return [];
    if (isImage(part.mediaType) && /^(https?|data):/i.test(part.url)) return [{ type: "image", image_urls: [part.url] }];
    throw new ThreadkeepError(
      "invalid_options",
      `the file ${part.filename ?? ""} of the type ${part.mediaType} cannot be sent: a message takes texts and images`,
    );
  });
  if (content.length === 0) throw new ThreadkeepError("invalid_options", "the message has neither text nor image");
  return content;
}

export function isImage(mediaType: string): boolean {
  return /^image(\/|$)/i.test(mediaType);
}
