// The parts that a view reads beside its branch, after it is shown: the work of sub-agents, and calls as they were before the user
// changed them. Most conversations have neither, so this is loaded when it is needed.
import type { ActionEvent, Conversation, ConversationEvent, JSONValue, Store } from "threadkeep";
import type { ToolPart } from "./types.js";

/** Of one sub-agent, from the end. */
const mostEvents = 500;

/**
 * The events of the sub-agents of these calls, by the id of the call that has started a sub-agent or continued it. They are read
 * from the store: opening their conversations would make them some that this page writes.
 */
export async function storedWork(
  store: Store,
  conversation: Conversation,
  calls: readonly ToolPart[],
): Promise<Map<string, ConversationEvent[]>> {
  const wanted = new Set(calls.map(({ actionId }) => actionId!));
  const resumed = new Set(calls.map(({ args }) => resumedBy(args)));
  const tasks = Object.entries(conversation.state.agent_state?.subagent_tasks ?? {});
  const own = tasks.filter(([task, { action }]) => wanted.has(action) || resumed.has(task));
  const work = new Map<string, ConversationEvent[]>();
  for (const [, task] of own) {
    const length = (await store.load(task.conversation))?.length ?? 0;
    const stored = await store.events(task.conversation, Math.max(0, length - mostEvents), length);
    let current: ConversationEvent[] | undefined;
    for (const event of stored.flatMap(({ json }) => readable(json))) {
      // A prompt names the call that has sent it. An archive may name any conversation as that of a task, but no other has such prompts.
      if (event.kind === "MessageEvent" && event.source === "user") {
        current = wanted.has(event.sender ?? "") ? (work.get(event.sender!) ?? []) : undefined;
        if (current) work.set(event.sender!, current);
      }
      current?.push(event);
    }
  }
  return work;
}

/**
 * The calls of this branch as they were before the user changed them, by their ids: in the answer that the change has left on
 * another branch, right before its copy in the log. Of the log, `most` events from the end are read.
 */
export async function originalsOf(
  { events }: Conversation,
  branch: readonly ConversationEvent[],
  most: number,
): Promise<Map<string, ActionEvent>> {
  const log = await events.slice(Math.max(await events.getIndex(branch[0]!.id), events.length - most));
  const shown = new Set(branch.map(({ id }) => id));
  const others = callsIn(log).filter(({ id }) => !shown.has(id));
  return new Map(
    callsIn(branch).flatMap((call): Array<[string, ActionEvent]> => {
      const original = others.find((other) => isSameCall(call, other));
      return original && original.tool_call?.arguments !== call.tool_call?.arguments ? [[call.id, original]] : [];
    }),
  );
}

const callsIn = (events: readonly ConversationEvent[]): ActionEvent[] => events.filter((event) => event.kind === "ActionEvent");

/** Whether both are one call of one answer: a provider may give calls of several answers the same id. */
const isSameCall = (one: ActionEvent, other: ActionEvent): boolean =>
  one.tool_call_id === other.tool_call_id && one.llm_response_id === other.llm_response_id && one.tool_name === other.tool_name;

function resumedBy(args: JSONValue | undefined): unknown {
  return typeof args === "object" && args !== null && !Array.isArray(args) ? args["resume"] : undefined;
}

/** Nothing for an event that is no JSON: its writer may have died in the middle. */
function readable(json: string): ConversationEvent[] {
  try {
    return [JSON.parse(json)];
  } catch {
    return [];
  }
}
