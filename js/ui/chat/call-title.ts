// The label of a call.
import { type ToolPart, visibleText } from "../thread/index.js";
import type { ChatLabels } from "./labels.js";

/** The parts of a call that its label is made of. */
export type Titled = Pick<ToolPart, "toolName" | "summary" | "args">;

/** The label of a call, with nothing hidden in it: the model's summary or one from the arguments, otherwise the tool's. */
export function titleOf(part: Titled, labels: ChatLabels): string {
  return visibleText(givenTitle(part, labels) ?? labels.toolTitle(part.toolName));
}

/** `null` if neither the model's summary nor the arguments give one. In place of a summary the SDK writes the tool's name and arguments. */
export function givenTitle({ toolName, summary, args }: Titled, labels: ChatLabels): string | null {
  const isGiven = summary !== null && summary !== "" && !summary.startsWith(`${toolName}: {`);
  return isGiven ? summary : labels.callTitle(toolName, fieldsOf(args));
}

export function fieldsOf(args: ToolPart["args"]): Readonly<Record<string, unknown>> {
  if (args === undefined) return {};
  return typeof args === "object" && args !== null && !Array.isArray(args) ? (args as Record<string, unknown>) : { "": args };
}
