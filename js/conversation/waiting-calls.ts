// The calls that have no result, with those of sub-agents among them: reading, rejecting and editing them.
import type { CoreConversation } from "../../pkg/threadkeep.js";
import { jsonOf } from "../input/arguments.js";
import { actionIds } from "../control/control.js";
import { ask, invalidOptions, optionsOf, textOf } from "../input/errors.js";
import type { ActionEvent } from "../events/events.js";
import type { JSONObject, JSONValue } from "../events/types.js";
import type { Tasks } from "../subagents/types.js";
import type { Acting } from "./types.js";

/** The pending calls of the conversation itself. */
export async function pendingActions(core: CoreConversation): Promise<ActionEvent[]> {
  return (await ask(core, "pendingActions")).map((json) => JSON.parse(json));
}

/** `Conversation.pendingActions()`. `elsewhere` asks the writer, which alone has the sub-agents of a follower open; of a server, its follower. */
export async function shownActions(
  core: CoreConversation,
  { tasks, server }: { tasks: Tasks | undefined; server?: unknown },
  options: { allowable?: boolean | undefined },
  elsewhere?: () => Promise<ActionEvent[]>,
): Promise<ActionEvent[]> {
  const { allowable = false } = optionsOf("pendingActions()", options, "allowable");
  const actions = await pendingActions(core);
  const hasTask = tasks && actions.some(({ tool_name }) => tool_name === "task");
  if ((server || hasTask) && elsewhere && core.access() !== "writer") return elsewhere().catch(() => actions);
  const shown = (await tasks?.pending(actions, allowable)) ?? actions;
  if (!allowable) return shown;
  const own: ActionEvent[] = (await ask(core, "allowableActions")).map((json) => JSON.parse(json));
  const isIn = (actions: ActionEvent[], { id }: ActionEvent) => actions.some((action) => action.id === id);
  // Those of sub-agents are chosen already.
  return shown.filter((action) => isIn(own, action) || !isIn(actions, action));
}

/** `Conversation.rejectPendingActions()`. */
export async function rejectActions(
  { core, session: { tasks } }: Acting,
  reason: string | undefined,
  options: { actionIds?: readonly string[] | undefined },
): Promise<void> {
  if (reason !== undefined && typeof reason !== "string") throw invalidOptions("the reason must be a string");
  const { actionIds: ids } = optionsOf("rejectPendingActions()", options, "actionIds");
  const all = actionIds("actionIds", ids);
  const own = tasks ? await tasks.reject(reason, all, await pendingActions(core)) : all;
  if (!tasks || own?.length !== 0) await ask(core, "rejectPendingActions", reason, own);
}

/** `Conversation.editAction()`. */
export async function editAction(
  { core, session: { tasks } }: Acting,
  actionId: string,
  args: JSONValue | JSONObject,
): Promise<ActionEvent> {
  const json = jsonOf("the arguments", args);
  const edited = tasks && (await tasks.edit(actionId, json, await pendingActions(core)));
  return edited ?? JSON.parse(await ask(core, "editAction", { action: textOf(actionId), arguments: json }));
}
