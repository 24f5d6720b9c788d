// The text of a message, for copying and editing it.
import type { UIMessage } from "../../thread/index.js";
import { attachedTextOf } from "./attached-text.js";

/** The texts of a message, without reasoning, calls and files. */
export function textOf({ parts }: UIMessage): string {
  return parts
    .flatMap((part) => (part.type === "text" && part.text !== "" && attachedTextOf(part.text) === null ? [part.text] : []))
    .join("\n\n");
}
