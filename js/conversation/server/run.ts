// A run on an agent server, which begins there, ends there, and goes on here with the tools of the page.
import type { CoreConversation } from "../../../pkg/threadkeep.js";
import { actionIds } from "../../control/control.js";
import type { ConversationEvent, ExecutionStatus } from "../../events/events.js";
import type { ConversationStats, TokenUsage } from "../../events/types.js";
import { signalOf } from "../../input/arguments.js";
import { ask, optionsOf, type ThreadkeepError } from "../../input/errors.js";
import { serverError } from "../../server/answers.js";
import { eventLog } from "../event-log.js";
import { aborted } from "../run.js";
import type { RunResult } from "../types.js";
import { hasResult, type Outcome, takenOver } from "./client-tools.js";
import { unsupported } from "./described.js";
import { failures } from "./generated/failures.js";
import { isOutage } from "./outbox.js";
import { ensureWaiting, metricsIn, post, rejectThere, type Remote, statusOf, waitingCalls } from "./remote.js";
import { until } from "./until.js";

/** The costs and tokens of all models. */
function totalOf(stats: ConversationStats): Pick<RunResult, "cost" | "tokenUsage"> {
  const names = ["prompt_tokens", "completion_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens"] as const;
  const all = Object.values(metricsIn(stats));
  const sum = (name: keyof TokenUsage) => all.reduce((total, one) => total + (Number(one.accumulated_token_usage?.[name]) || 0), 0);
  const tokenUsage = Object.fromEntries(names.map((name) => [name, sum(name)])) as RunResult["tokenUsage"];
  return { cost: all.reduce((total, one) => total + (Number(one.accumulated_cost) || 0), 0), tokenUsage };
}

/** The number of answers of the model among these events. */
function stepsOf(events: readonly ConversationEvent[]): number {
  const answers = events.map((event) => ("llm_response_id" in event && event.source === "agent" ? event.llm_response_id : undefined));
  return new Set(answers.filter((id) => id !== undefined)).size;
}

/** The statuses that the log has told, since it had this length and behind the last results of this page. */
async function statusesSince(core: CoreConversation, length: number): Promise<unknown[]> {
  const events = await eventLog(core).slice(length);
  const behind = events.slice(events.map(hasResult).lastIndexOf(true) + 1);
  return behind.flatMap((event) => ("key" in event && event.key === "execution_status" ? event.value : []));
}

/** The number of the last message of the user, if it has results of tools of a page. */
async function lastResults({ core, session, link }: Remote): Promise<number | undefined> {
  await link.look();
  const id = session.state().last_user_message_id;
  if (!id) return undefined;
  const log = eventLog(core);
  const index = await log.getIndex(id);
  const event = await log.at(index);
  return event && hasResult(event) ? index : undefined;
}

/** The failure that has ended a run with these events; none if it has reached a limit. */
function failureIn(events: readonly ConversationEvent[], { server }: Remote): ThreadkeepError | undefined {
  const event = events.filter((event) => event.kind === "ConversationErrorEvent").at(-1);
  if (!event) return undefined;
  const code = failures.get(event.code) ?? "unknown";
  return code === "limit_reached" ? undefined : serverError(server, code, String(event.detail));
}

/** Resolves to the status at the end of a run, whose events begin at this number. It may not have begun yet, or even be over. */
async function endOf({ core, link }: Remote, from: number, mayBeOver: boolean): Promise<ExecutionStatus> {
  const end = await link.awaitRun(mayBeOver);
  return until(link, async (isSnapshot) => {
    const described = statusOf(core);
    // The whole state comes at the end, behind all events. While the run goes on, the log need not be read.
    if (!isSnapshot || described === "running") return undefined;
    return end(described, await statusesSince(core, from));
  });
}

/**
 * Lets the server go on until it and the tools of this page have nothing to do any more. Resolves to the status then; to nothing if
 * the user has stopped it before it began.
 */
async function goOn(remote: Remote, length: number, signal: AbortSignal | undefined): Promise<ExecutionStatus | undefined> {
  const { core, calls } = remote;
  const first = statusOf(core);
  let status: ExecutionStatus = first;
  let from = length;
  /** Results begin a run, so one that was stopped or has failed, as at its limit of steps, leaves open calls to the next `run()`. */
  const carryOut = async () => (status === "finished" || status === "idle" ? calls.carryOut() : "none");
  // The results of open calls begin a run.
  const areOpen = !/^(running|waiting_for_confirmation)$/.test(first) && (await calls.open()).length > 0;
  if (areOpen) remote.passOn();
  let outcome: Outcome = areOpen ? await calls.carryOut() : "none";
  if (outcome === "none") {
    const begun = await begin(remote, length, signal).catch(async (error: ThreadkeepError) => {
      const results = error.status === 409 ? await lastResults(remote) : undefined;
      if (results === undefined) throw error;
      // It is the run that goes on with what a page has delivered unasked.
      return results;
    });
    if (begun === undefined) return undefined;
    from = begun;
    remote.passOn();
    // A server does not run what has finished.
    status = await endOf(remote, from, first === "finished" && statusOf(core) === "finished");
    outcome = await carryOut();
  }
  while (outcome === "goesOn") {
    status = await endOf(remote, from, false);
    outcome = await carryOut();
  }
  return outcome === "waits" ? "waiting_for_confirmation" : outcome === "stays" ? "paused" : status;
}

export async function run(
  remote: Remote,
  options: { signal?: AbortSignal | undefined; approve?: readonly string[] | undefined },
): Promise<RunResult> {
  const { core, session, calls } = remote;
  const given = optionsOf("run()", options, "signal approve");
  const approved = actionIds("approve", given.approve);
  const signal = signalOf(given.signal);
  if (signal?.aborted) throw aborted(signal);
  const { there, all } = await waitingCalls(remote);
  if (approved) ensureWaiting(approved, all);
  if (approved && there.some(({ id }) => !approved.includes(id))) throw unsupported("an agent server runs all calls of an answer, or none");
  await calls.approve(approved, there);
  if (calls.areFromBefore(there)) await rejectThere(remote, there, takenOver);
  const start = { length: core.length(), at: performance.now(), ...totalOf(session.state().stats) };
  const interrupt = () => void stop(remote, "/interrupt").catch(() => {});
  signal?.addEventListener("abort", interrupt);
  try {
    const status = await goOn(remote, start.length, signal);
    if (signal?.aborted && (status ?? "paused") === "paused") throw aborted(signal);
    if (status === undefined) return await session.result();
    const events = await eventLog(core).slice(start.length);
    const failure = status === "error" ? failureIn(events, remote) : undefined;
    if (failure) throw failure;
    const end = totalOf(session.state().stats);
    const names = Object.keys(end.tokenUsage) as Array<keyof RunResult["tokenUsage"]>;
    const tokenUsage = Object.fromEntries(names.map((name) => [name, (end.tokenUsage[name] ?? 0) - (start.tokenUsage[name] ?? 0)]));
    return {
      status,
      finalResponse: await ask(core, "finalResponse"),
      finishReason: await ask(core, "finishReason"),
      steps: (there.length > 0 ? 1 : 0) + stepsOf(events),
      tokenUsage: tokenUsage as RunResult["tokenUsage"],
      cost: end.cost - start.cost,
      durationMs: performance.now() - start.at,
    };
  } finally {
    signal?.removeEventListener("abort", interrupt);
  }
}

/**
 * Asks the server to go on. While messages wait, it will go on with them, and this waits for that. Resolves to the length of the log
 * behind which the run is; to nothing if the user stops it before. `length` is that of now.
 */
async function begin(remote: Remote, length: number, signal: AbortSignal | undefined): Promise<number | undefined> {
  const { core, link, outbox } = remote;
  try {
    if (outbox.isOpen) await outbox.flush();
  } catch (error) {
    if (!isOutage(error)) throw error;
    outbox.flushSoon();
  }
  const last = outbox.due.at(-1);
  // Until here there was nothing to stop.
  if (signal?.aborted) return undefined;
  let from = length;
  if (last) {
    remote.passOn();
    if (!(await outbox.run())) return undefined;
    // Others may have run it before that message. It is not in the log if somebody has taken it back.
    const json = await link.sent(last.id);
    if (json !== undefined) from = await eventLog(core).getIndex(JSON.parse(json).id);
  }
  await post(remote, "/run").catch((error: ThreadkeepError) => {
    // It may have begun with the message.
    if (!last || error.status !== 409) throw error;
  });
  return from;
}

/** Stops a run: the one that waits for the server, or that of the server, and the calls of this page. */
export async function stop(remote: Remote, path: "/pause" | "/interrupt"): Promise<void> {
  if (path === "/pause") remote.calls.pause();
  else remote.calls.interrupt();
  if (await remote.outbox.stop()) return;
  await post(remote, path);
  await remote.link.look();
}
