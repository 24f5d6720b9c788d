// Parts of the definitions of tools that work on files.
import type { JSONObject, JSONValue } from "../events/types.js";
import type { BuiltInDefinition } from "../tool/types.js";

/** The fields that have a value: Python does not store null. */
export function present(fields: { readonly [name: string]: unknown }): JSONObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)) as {
    [name: string]: JSONValue;
  };
}

/**
 * The safety of a tool that changes files. `isOwn`: they are those of the conversation, or of the one whose sub-agent this
 * is. If changes are stored with the result, nothing outside of the conversation
 * changes, and a call that died has changed nothing. Otherwise calls wait until the user allows the tool.
 */
export function safety(isTransactional: boolean, isOwn = isTransactional): Pick<BuiltInDefinition, "needsApproval" | "replay"> {
  return { replay: isTransactional ? "safe" : "ask", ...(isOwn && { needsApproval: () => false }) };
}

/** The text of an error for the model. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
