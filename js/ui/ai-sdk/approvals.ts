// Who may approve a call: only a user who was shown exactly this call by this page. The messages of a chat are the app's
// data, which may come from a server or a file, so an approval in them counts only under these conditions.
import type { UIMessage } from "ai";
import type { ActionEvent, Conversation } from "threadkeep";
import { inputOf } from "./parts.js";

/** The ids of the questions that this page has asked, by the id of the action. Nobody outside of the page can know them. */
const questions = new Map<string, string>();

/** The id of the question whether this action may run. It stays the same as long as the page lives. */
export function questionAbout(actionId: string): string {
  const id =
    questions.get(actionId) ??
    Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  questions.set(actionId, id);
  return id;
}

/** The calls without a result. */
export interface OpenCalls {
  /** Those that wait for the user. */
  waiting: ActionEvent[];
  /** Those that the next run executes without a question. */
  ready: ActionEvent[];
  /** The ids of those that were begun by a page that died: they may have run. */
  begun: ReadonlySet<string>;
}

/** Reads the calls without a result. */
export async function openCalls(conversation: Conversation): Promise<OpenCalls> {
  const actions = await conversation.pendingActions();
  // The others are in the log of a sub-agent.
  const own = new Set(
    await Promise.all(
      actions.map(({ id }) =>
        conversation.events.getIndex(id).then(
          () => id,
          () => null,
        ),
      ),
    ),
  );
  const state = actions.length === 0 ? {} : conversation.state.agent_state;
  const leftOut = idsIn(state["unapproved_actions"]);
  const begun = idsIn(state["interrupted_actions"]);
  const asks = conversation.executionStatus === "waiting_for_confirmation";
  // All calls of an answer wait until the user has decided about one, or a page has died in one.
  const allWait = asks && leftOut.size === 0 && begun.size === 0;
  const waits = ({ id }: ActionEvent) => leftOut.has(id) || allWait || (asks && (begun.has(id) || !own.has(id)));
  return { waiting: actions.filter(waits), ready: actions.filter((action) => !waits(action)), begun };
}

/** The user's decisions about calls. */
export interface Decisions {
  /** Ids of actions. */
  approved: string[];
  rejected: Array<{ actionId: string; reason: string | undefined }>;
}

/**
 * The decisions in a message about calls that wait now. An approval of anything else, or of a call that the message shows
 * with another tool or other arguments, is no decision.
 */
export function decisionsIn(message: UIMessage | undefined, waiting: readonly ActionEvent[]): Decisions {
  const decisions: Decisions = { approved: [], rejected: [] };
  for (const part of message?.role === "assistant" ? message.parts : []) {
    if (!("toolCallId" in part) || part.state !== "approval-responded") continue;
    const { id, approved, reason } = part.approval;
    const action = waiting.find((action) => questions.get(action.id) === id);
    if (!action) continue;
    const toolName = "toolName" in part ? part.toolName : part.type.slice("tool-".length);
    const isShown = toolName === action.tool_name && part.toolCallId === action.tool_call_id && isSame(part.input, inputOf(action));
    if (approved === false) decisions.rejected.push({ actionId: action.id, reason });
    else if (approved === true && isShown) decisions.approved.push(action.id);
  }
  return decisions;
}

/** Whether both are the same as JSON, in whatever order the fields are. */
export function isSame(one: unknown, other: unknown): boolean {
  return sorted(one) === sorted(other);
}

function sorted(value: unknown): string | undefined {
  const isObject = (value: unknown): value is object => typeof value === "object" && value !== null && !Array.isArray(value);
  return JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

function idsIn(list: unknown): ReadonlySet<string> {
  return new Set(Array.isArray(list) ? list : []);
}
