// The methods of a conversation, as an agent server carries them out.
import type { CoreConversation } from "../../../pkg/threadkeep.js";
import { actionIds, storedPolicy } from "../../control/control.js";
import type { ActionEvent, MessageEvent } from "../../events/events.js";
import { signalOf } from "../../input/arguments.js";
import { invalidOptions, optionsOf, textOf, textsOf, ThreadkeepError } from "../../input/errors.js";
import { givenLLM } from "../../llm/registry.js";
import { expect } from "../../server/answers.js";
import { eventLog } from "../event-log.js";
import { aborted } from "../run.js";
import type { ArgumentsOf, Verb, Verbs } from "../verbs.js";
import { pendingActions } from "../waiting-calls.js";
import { descriptionOf, modelOf, unsupported } from "./described.js";
import { hasSession } from "./link.js";
import { contentFor, send, unlessRead } from "./messages.js";
import { ensureWaiting, metricsIn, post, rejectThere, type Remote, statusOf, waitingCalls } from "./remote.js";
import { run, stop } from "./run.js";
import { withResolvers } from "./until.js";

type RemoteVerbs = { [V in Verb]: (remote: Remote, ...args: ArgumentsOf<V>) => Promise<Awaited<ReturnType<Verbs[V]>>> };

/** As `src/agent/prompts/superseded.md` has it. */
const superseded = "The user sent a new message instead of approving this call.";

/** The methods that ask a server for nothing that could overtake something, or be overtaken. */
export const atOnce: ReadonlySet<Verb> = new Set<Verb>(["pendingActions", "queued", "editQueued", "removeQueued", "retryNow"]);

function undecided(calls: readonly ActionEvent[], advice: string): ThreadkeepError {
  const names = calls.map(({ tool_name, id }) => `${tool_name} (${id})`).join(", ");
  return new ThreadkeepError("invalid_state", `calls wait for approval: ${names}; ${advice}`);
}

async function navigate(remote: Remote, eventId: string | null): Promise<void> {
  if (statusOf(remote.core) === "running") {
    const message = "another branch cannot be entered during a run; wait for its end or interrupt() first";
    throw new ThreadkeepError("invalid_state", message);
  }
  const { all } = await waitingCalls(remote);
  if (all.length > 0) throw undecided(all, "approve or reject them before you enter another branch");
  await remote.outbox.flush();
  await post(remote, "/navigate", { event_id: eventId });
  // HEAD is not told of.
  await remote.link.look();
}

/** The event before a message of the user, where another one in its place begins; `null` before the first event. */
async function placeBefore(core: CoreConversation, id: string): Promise<string | null> {
  const log = eventLog(core);
  const index = await log.getIndex(id);
  const event = await log.at(index);
  if (event?.kind !== "MessageEvent" || event.source !== "user")
    throw invalidOptions(`event ${id} is not a message of the user; only such messages can be edited`);
  const parent = event.parent_id ?? (index > 0 ? (await log.at(index - 1))?.id : undefined);
  return parent === undefined || parent === "__root__" ? null : parent;
}

/** The answer of the agent to a question that is not part of the conversation. */
async function answerTo(remote: Remote, question: string): Promise<string> {
  await remote.create(() => descriptionOf(remote));
  return remote.requests.ask("POST", `/api/conversations/${remote.id}/ask_agent`, { body: { question } }, ({ response }) => {
    expect(typeof response === "string");
    return response;
  });
}

/** Asks for the state after a change of it. */
async function change(remote: Remote, path: string, body: unknown): Promise<void> {
  await post(remote, path, body);
  await remote.link.look();
}

async function rejectPendingActions(remote: Remote, ...[reason, options]: ArgumentsOf<"rejectPendingActions">): Promise<void> {
  if (reason !== undefined && typeof reason !== "string") throw invalidOptions("the reason must be a string");
  const { actionIds: ids } = optionsOf("rejectPendingActions()", options, "actionIds");
  const rejected = actionIds("actionIds", ids);
  const here = await remote.calls.waiting();
  const there = await pendingActions(remote.core);
  if (rejected) ensureWaiting(rejected, [...there, ...here]);
  const chosen = there.filter(({ id }) => rejected?.includes(id) ?? true);
  if (chosen.length > 0 && chosen.length < there.length) throw unsupported("an agent server rejects all calls of an answer, or none");
  const why = reason ?? "User rejected the action";
  if (chosen.length > 0) await rejectThere(remote, chosen, why);
  await remote.calls.reject(why, rejected);
}

/** A method that is missing here is one that no server has. */
const remoteVerbs: Partial<RemoteVerbs> = {
  async sendMessage(remote, message, options) {
    const { sender, pending } = optionsOf("sendMessage()", options, "sender pending");
    if (sender !== undefined) throw unsupported("an agent server does not keep the sender of a message");
    const { all: waiting } = await waitingCalls(remote);
    if (waiting.length > 0 && pending !== "reject") {
      if (pending === "keep") throw unsupported("an agent server keeps no message for later while calls wait");
      throw undecided(waiting, 'approve or reject them first, or pass pending: "reject"');
    }
    if (waiting.length > 0) await rejectPendingActions(remote, superseded, {});
    return send(remote, message);
  },

  async editMessage(remote, eventId, message) {
    await navigate(remote, await placeBefore(remote.core, textOf(eventId)));
    return send(remote, message);
  },

  run,

  async regenerate(remote, options) {
    const given = optionsOf("regenerate()", options, "signal");
    const signal = signalOf(given.signal);
    if (signal?.aborted) throw aborted(signal);
    // One that is about to be logged is the last one.
    await remote.outbox.flush();
    const id = remote.session.state().last_user_message_id;
    if (!id) throw new ThreadkeepError("invalid_state", "there is no message of the user to answer again; send one first");
    // A run of a conversation that has finished does nothing, so the message is sent once more.
    const log = eventLog(remote.core);
    const message = (await log.at(await log.getIndex(id))) as MessageEvent;
    await navigate(remote, await placeBefore(remote.core, id));
    await send(remote, message.llm_message.content);
    return run(remote, given);
  },

  rejectPendingActions,

  async pendingActions(remote, options) {
    const { allowable = false } = optionsOf("pendingActions()", options, "allowable");
    // No tool can be allowed for good there.
    return allowable ? [] : [...(await pendingActions(remote.core)), ...(await remote.calls.waiting())];
  },

  async pause(remote) {
    await stop(remote, "/pause");
  },

  async interrupt(remote) {
    await stop(remote, "/interrupt");
  },

  async navigateTo(remote, eventId) {
    if (eventId !== null) await eventLog(remote.core).getIndex(textOf(eventId));
    await navigate(remote, eventId);
  },

  async condense(remote) {
    await change(remote, "/condense", {});
  },

  async askAgent(remote, question, options) {
    remote.passOn();
    const given = optionsOf("askAgent()", options, "llm signal");
    if (given.llm !== undefined) throw unsupported("an agent server asks the model of the conversation: leave llm out");
    if (typeof question !== "string") throw invalidOptions("the question must be a string");
    const signal = signalOf(given.signal);
    const { promise: stopped, reject } = withResolvers<never>();
    const stop = () => reject(new ThreadkeepError("aborted", "the request was stopped by its signal", { cause: signal?.reason }));
    signal?.addEventListener("abort", stop);
    if (signal?.aborted) stop();
    try {
      return await Promise.race([stopped, signal?.aborted ? stopped : answerTo(remote, question)]);
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  },

  async setTags(remote, tags) {
    const given = textsOf("tags", tags);
    await remote.create(() => descriptionOf(remote));
    await remote.requests.send("PATCH", `/${remote.id}`, { tags: given });
    await remote.link.look();
  },

  async setConfirmationPolicy(remote, policy) {
    await change(remote, "/confirmation_policy", { policy: JSON.parse(storedPolicy(policy)) });
  },

  async setSecurityAnalyzer(remote, analyzer) {
    await change(remote, "/security_analyzer", { security_analyzer: JSON.parse(await remote.session.analyzers.take(analyzer)) });
  },

  async updateSecrets(remote, secrets) {
    const given = textsOf("secrets", secrets);
    await post(remote, "/secrets", { secrets: given });
  },

  async switchLLM(remote, given) {
    const { session, requests } = remote;
    const llm = givenLLM(given, session.agent.llmRegistry, "switchLLM() takes an LLM");
    await remote.create(() => descriptionOf(remote));
    const { usageId = "default" } = llm.options;
    const { agent, stats } = session.state();
    const isTaken = usageId === agent.llm["usage_id"] || usageId in metricsIn(stats);
    if (isTaken && !(await hasSession(requests)))
      throw unsupported(
        `this agent server keeps the model that it has under the usageId ${usageId}; give the new one a usageId of its own`,
      );
    await change(remote, "/switch_llm", { llm: await modelOf(llm) });
    session.llm = llm;
  },

  async retryNow(remote) {
    await remote.outbox.tryAgain();
    await remote.reconnect();
  },

  async queued({ outbox }) {
    return outbox.waiting;
  },

  async editQueued(remote, id, message) {
    const content = await contentFor(remote, message);
    return unlessRead(remote, textOf(id), (waiting) => remote.outbox.replace(waiting, content));
  },

  async removeQueued(remote, id) {
    await unlessRead(remote, textOf(id), (waiting) => remote.outbox.takeBack(waiting));
  },
};

/** Carries out a method. @throws ThreadkeepError `unsupported` for one that no server has */
export function doThere(remote: Remote, verb: Verb, args: readonly unknown[]): Promise<unknown> {
  const act = remoteVerbs[verb] as ((remote: Remote, ...args: readonly unknown[]) => Promise<unknown>) | undefined;
  if (!act) throw unsupported(`${verb}() is not possible in a conversation that an agent server runs: see docs/server.md`);
  return act(remote, ...args);
}
