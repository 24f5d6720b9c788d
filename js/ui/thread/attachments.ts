// The files of a message of the user, as `src/llm/attachment.rs` writes them into the texts that are added for the model.
import type { TextContent } from "threadkeep";
import type { UIAttachment } from "./types.js";

const givenItself = "A model that reads such files is given the file itself.";

/** The files that these texts name. Texts of skills and hooks name none. */
export function attachmentsIn(texts: readonly TextContent[] | undefined): UIAttachment[] {
  return (Array.isArray(texts) ? texts : []).flatMap((content): UIAttachment[] => {
    const [, json, heading = ""] = /^Attached file: (\{.*\})(?:\n(.*)|$)/.exec(content?.text) ?? [];
    if (json === undefined) return [];
    try {
      const { path, name, media_type: mediaType, size, sha256 } = JSON.parse(json);
      const isOne = [path, name, mediaType].every((each) => typeof each === "string") && typeof size === "number";
      const left = heading === "Its text:" || heading === "" ? null : heading.replace(/:$/, ".");
      // Only those that some models are given themselves have it.
      const note = left !== null && typeof sha256 === "string" ? `${left} ${givenItself}` : left;
      return isOne ? [{ path, name, mediaType, size, note }] : [];
    } catch {
      return [];
    }
  });
}

const scheme = "workspace:";

/** The URL that stands for a file of the workspace in other libraries' messages. */
export const workspaceUrl = (path: string): string => scheme + path.split("/").map(encodeURIComponent).join("/");

/** The path in such a URL; `null` for another one. */
export function pathOfUrl(url: string): string | null {
  if (!url.startsWith(scheme)) return null;
  const path = url.slice(scheme.length);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
