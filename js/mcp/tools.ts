// The tools that a server lists. Whatever it sends is bounded, and what is unusable is left out with a note.
import type { Tool } from "../tool/types.js";
import { isObject, usableSchema } from "./schemas.js";
import type { ServerTool } from "./types.js";

const longestDescription = 10_000;
const longestNote = 300;

/** The usable ones of the tools that a server has listed, and notes about the others. */
export function usableTools(listed: readonly unknown[], maxTools: number): { tools: ServerTool[]; notes: string[] } {
  const notes: string[] = [];
  const tools = new Map<string, ServerTool>();
  for (const given of listed.slice(0, maxTools)) {
    const name = isObject(given) ? given["name"] : undefined;
    if (!isObject(given) || typeof name !== "string" || name === "" || name.length > 256) {
      notes.push("a tool without a usable name was left out");
    } else if (tools.has(name)) {
      notes.push(`a second tool with the name ${shown(name)} was left out`);
    } else {
      tools.set(name, usableTool(name, given, notes));
    }
  }
  if (listed.length > maxTools) notes.push(`only the first ${maxTools} tools were taken (maxTools)`);
  // A server may repeat the same mistake for each of its tools.
  return { tools: [...tools.values()], notes: [...new Set(notes)].slice(0, 20) };
}

function usableTool(name: string, given: Record<string, unknown>, notes: string[]): ServerTool {
  const hints = isObject(given["annotations"]) ? given["annotations"] : {};
  const title = [given["title"], hints["title"]].find((text) => typeof text === "string" && text !== "") as string | undefined;
  const text = typeof given["description"] === "string" ? visible(given["description"]) : "";
  if (text.length > longestDescription) notes.push(`the description of ${shown(name)} was cut off after ${longestDescription} characters`);
  const inputSchema = usableSchema(given["inputSchema"]);
  if (!inputSchema) notes.push(`the schema of ${shown(name)} cannot be used, so its arguments are not checked here`);
  return {
    name,
    ...(title !== undefined && { title: visible(title).slice(0, 200) }),
    // The SDK has this text for a tool without a description.
    description: text.slice(0, longestDescription) || "No description provided",
    inputSchema: inputSchema ?? { type: "object" },
    annotations: annotationsOf(hints, title),
  };
}

/** The hints that the server gives. They decide only where the protocol's defaults are not on the safe side. */
function annotationsOf(hints: Record<string, unknown>, title: string | undefined): Tool["annotations"] {
  const annotations: Record<string, unknown> = {};
  if (title !== undefined) annotations["title"] = visible(title).slice(0, 200);
  for (const hint of ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]) {
    if (typeof hints[hint] === "boolean") annotations[hint] = hints[hint];
  }
  // A tool that changes nothing cannot destroy anything; servers contradict themselves, and the stricter hint counts.
  if (annotations["destructiveHint"] === true) delete annotations["readOnlyHint"];
  return annotations as Tool["annotations"];
}

/** Whether calls that were admitted under one definition would need more care under another. */
export function isStricter(now: Tool["annotations"], before: Tool["annotations"]): boolean {
  const repeats = (hints: Tool["annotations"]) => hints.readOnlyHint === true || hints.idempotentHint === true;
  return (now.destructiveHint === true && before.destructiveHint !== true) || (repeats(before) && !repeats(now));
}

/** The text without characters that a reader does not see, in which instructions could be hidden from people. */
export function visible(text: string): string {
  return text.replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]|\p{Surrogate}/gu,
    "",
  );
}

/** A text of a server in a note. */
export function shown(text: string): string {
  return JSON.stringify(visible(text).slice(0, 100));
}

/** A message of a server, for the model and for people. */
export function note(text: string): string {
  const clean = visible(text);
  return clean.length > longestNote ? `${clean.slice(0, longestNote)}…` : clean;
}
