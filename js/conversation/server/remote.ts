// A conversation on an agent server, as its methods see it.
import type { CoreConversation } from "../../../pkg/threadkeep.js";
import type { Agent } from "../../agent/agent.js";
import type { ActionEvent, ExecutionStatus } from "../../events/events.js";
import type { ConversationStats } from "../../events/types.js";
import { ThreadkeepError } from "../../input/errors.js";
import type { Requests } from "../../server/requests.js";
import type { AgentServerOptions } from "../../server/server.js";
import type { ActingSession } from "../types.js";
import { activeBranch } from "../branches.js";
import { eventLog } from "../event-log.js";
import { pendingActions } from "../waiting-calls.js";
import type { ClientCalls } from "./client-tools.js";
import { descriptionOf } from "./described.js";
import type { Link } from "./link.js";
import type { Outbox } from "./outbox.js";
import { until } from "./until.js";

export interface Remote {
  readonly id: string;
  readonly core: CoreConversation;
  readonly session: ActingSession & { readonly agent: Agent };
  readonly server: AgentServerOptions;
  readonly requests: Requests;
  readonly link: Link;
  readonly outbox: Outbox;
  /** The calls of the tools of this page. */
  readonly calls: ClientCalls;
  /** Makes the conversation on the server with this description, unless it is there; then the description is not made. */
  create(describe: () => Promise<unknown>): Promise<void>;
  /** Connects anew, if the conversation is there. */
  reconnect(): Promise<void>;
  /** Lets the next call begin, which otherwise waits for the end of this one, so that the server gets them in their order. */
  passOn(): void;
  /** From now on the call says itself how it ends, also if the handle is closed meanwhile. */
  outlive(): void;
}

/** As it is outside of a call. */
export type Reached = Omit<Remote, "passOn" | "outlive">;

/** Sends a request about the conversation, which is made before if it is not there. Resolves to the text of the answer. */
export async function post(remote: Reached, path: string, body: unknown = {}): Promise<string> {
  await remote.create(() => descriptionOf(remote));
  return remote.requests.send("POST", `/${remote.id}${path}`, body);
}

/** The costs and tokens of the models, by the id of their usage, as far as the server tells something that has this form. */
export function metricsIn(stats: ConversationStats | null | undefined): ConversationStats["usage_to_metrics"] {
  const all = Object.entries(stats?.usage_to_metrics ?? {});
  return Object.fromEntries(all.filter(([, one]) => typeof one === "object" && one !== null));
}

export const statusOf = (core: CoreConversation): ExecutionStatus => core.executionStatus();

/** Rejects these calls, which are all that wait on the server. Resolves once its log says so. */
export async function rejectThere(remote: Reached, calls: readonly ActionEvent[], reason: string): Promise<void> {
  const { core, link } = remote;
  await post(remote, "/events/respond_to_confirmation", { accept: false, reason });
  const areLeft = (left: readonly ActionEvent[]) => left.some(({ id }) => calls.some((call) => call.id === id));
  await until(link, async () => (areLeft(await pendingActions(core)) ? undefined : true));
  if (!remote.calls.areFromBefore(calls)) return;
  // The server makes the view of its model anew, which now has the calls and their rejections.
  const [head] = await activeBranch(core, eventLog(core), { limit: 1 });
  await post(remote, "/navigate", { event_id: head?.id ?? null });
  await link.look();
}

/** The calls that wait for the user: those of the server's tools, which are under way during a run, and those of this page's. */
export async function waitingCalls({ core, calls }: Remote): Promise<{ there: ActionEvent[]; all: ActionEvent[] }> {
  const there = statusOf(core) === "running" ? [] : await pendingActions(core);
  return { there, all: [...there, ...(await calls.waiting())] };
}

/** @throws ThreadkeepError `not_found` for an id that is not one of these calls */
export function ensureWaiting(ids: readonly string[], waiting: readonly ActionEvent[]): void {
  const unknown = ids.find((id) => !waiting.some((action) => action.id === id));
  if (unknown !== undefined)
    throw new ThreadkeepError("not_found", `action ${unknown} is not pending; pendingActions() lists those that are`);
}
