// Results of a page's tools in a conversation that an agent server runs: the server only notes a call and goes on, and the page delivers
// the result in a message of the user, whose first line names the call. `conversation/server/client-tools.ts` writes it.
import type { Content, ConversationEvent, MessageEvent } from "threadkeep";
import { contentOf, structureIn, textOf } from "./fields.js";
import type { ToolPart } from "./types.js";

/** The result of one call. */
export interface Delivered {
  actionId: string;
  toolName: string;
  outcome: Pick<ToolPart, "state" | "value" | "output" | "result" | "error" | "progress">;
}

const firstLine = /^The call (\S+) of the tool (\S+) (has this result|has failed|was rejected by the user):\n/;

/** The words of the page about a call from before the conversation was on the server, as `client-tools.ts` has them. */
const takenOver = "The page carries this call out, and tells its result in a message of the user.";

/** Whether this is a note that the page has to carry a call out. */
export const isNote = (event: ConversationEvent): boolean =>
  event.kind === "UserRejectObservation"
    ? event.rejection_reason === takenOver
    : event.kind === "ObservationEvent" && event.observation?.kind === "ClientToolObservation";

/** The results in a message; none if it has words of the user. */
export function deliveredIn({ llm_message }: MessageEvent): Delivered[] {
  const found: Array<{ line: RegExpExecArray; content: Content[] }> = [];
  for (const part of contentOf(llm_message?.content)) {
    const line = part.type === "text" ? firstLine.exec(part.text) : null;
    if (line && part.type === "text") found.push({ line, content: [{ ...part, text: part.text.slice(line[0].length) }] });
    else if (found.length === 0) return [];
    else found.at(-1)!.content.push(part);
  }
  return found.map(({ line, content }) => ({ actionId: line[1]!, toolName: line[2]!, outcome: outcomeOf(line[3]!, content) }));
}

function outcomeOf(how: string, content: readonly Content[]): Delivered["outcome"] {
  const text = textOf(content);
  const without = { value: undefined, output: null, result: null, progress: null };
  if (how === "was rejected by the user") return { ...without, state: "rejected", error: text };
  // The text before an image may be empty.
  const output = content.filter((part) => part.type !== "text" || part.text !== "");
  if (how === "has failed") return { ...without, output, state: "error", error: text };
  return { ...without, output, state: "done", value: structureIn(text), error: null };
}
