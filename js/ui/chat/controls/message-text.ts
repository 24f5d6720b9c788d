// The text of a message, for copying and editing it.
import type { UIMessage } from "../../thread/index.js";

/** The texts of a message, without reasoning, calls and files. */
export function textOf({ parts }: UIMessage): string {
  return parts.flatMap((part) => (part.type === "text" && part.text !== "" ? [part.text] : [])).join("\n\n");
}
