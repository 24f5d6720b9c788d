// The active branch, and the lists of branches and versions, behind the class.
import type { CoreConversation } from "../../pkg/threadkeep.js";
import { ask, invalidOptions, optionsOf, textOf } from "../input/errors.js";
import { type EventLog, readable } from "./event-log.js";
import type { ActionEvent, ConversationEvent, MessageEvent } from "../events/events.js";

/** A branch beside the active one. */
export interface Branch {
  /** The last event: `navigateTo(leafEventId)` makes this branch the active one. */
  leafEventId: string;
  /** The last event that it shares with the active branch; `null` if it shares none. */
  forkEventId: string | null;
  /** Its first message or call after that. */
  firstEvent: MessageEvent | ActionEvent;
}

/** A message that was edited or answered again. All that the agent does between two messages of the user is one message. */
export interface Versions {
  /** The last event of the message on the active branch; `null` for the message that comes next, which other branches have already. */
  eventId: string | null;
  role: "user" | "assistant";
  /** The place of the active version in `versions`; -1 for the message that comes next. */
  index: number;
  /** All versions, in the order in which they were begun. */
  versions: Version[];
}

export interface Version {
  /** The first event that no older version has. */
  id: string;
  /** The last event of the newest branch with this version: `navigateTo(leafEventId)` shows it. */
  leafEventId: string;
}

/** @internal */
export async function activeBranch(
  core: CoreConversation,
  events: EventLog,
  options: { limit?: number | undefined },
): Promise<ConversationEvent[]> {
  const { limit = Number.MAX_SAFE_INTEGER } = optionsOf("activeBranch()", options, "limit");
  if (!(Number.isInteger(limit) && limit >= 0)) throw invalidOptions("limit must be a number of events");
  const { ids, events: texts } = await ask(core, "activeBranch", limit);
  const event = async (id: string, json: string) => readable(json) ?? (await events.at(await events.getIndex(id)))!;
  return Promise.all(ids.map((id, place) => event(id, texts[place]!)));
}

/** @internal */
export async function branches(core: CoreConversation): Promise<Branch[]> {
  const found = await ask(core, "branches");
  return found.map((branch) => ({ ...branch, firstEvent: JSON.parse(branch.firstEvent) }));
}

/** @internal */
export function versions(core: CoreConversation, options: { after?: string | null | undefined }): Promise<Versions[]> {
  const { after = null } = optionsOf("versions()", options, "after");
  return ask(core, "versions", after === null ? null : textOf(after));
}
