// The methods of a conversation, as an agent server carries them out.
import type { CoreConversation } from "../../../pkg/threadkeep.js";
import type { Agent } from "../../agent/agent.js";
import { actionIds, storedPolicy } from "../../control/control.js";
import type { ActionEvent, ConversationEvent, ConversationState, ExecutionStatus, MessageEvent } from "../../events/events.js";
import type { ConversationStats, TokenUsage } from "../../events/types.js";
import { signalOf } from "../../input/arguments.js";
import { ask, invalidOptions, optionsOf, textOf, textsOf, ThreadkeepError } from "../../input/errors.js";
import { contentOf } from "../../llm/images.js";
import { eventLog } from "../event-log.js";
import { aborted } from "../run.js";
import type { AgentServerOptions } from "../../server/server.js";
import type { ActingSession, RunResult } from "../types.js";
import { type ArgumentsOf, type Verb, verbs, type Verbs } from "../verbs.js";
import { pendingActions } from "../waiting-calls.js";
import type { VersionedWorkspace } from "../../workspace/types.js";
import { type ClientCalls, clientTools, hasResult, type Outcome } from "./client-tools.js";
import type { Link } from "./link.js";
import { isOutage, type Outbox } from "./outbox.js";
import { until, withResolvers } from "./until.js";
import type { Requests } from "../../server/requests.js";

/** A conversation on a server. */
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
}

/** As it is outside of a call. */
export type Reached = Omit<Remote, "passOn">;

type RemoteVerbs = { [V in Verb]: (remote: Remote, ...args: ArgumentsOf<V>) => Promise<Awaited<ReturnType<Verbs[V]>>> };

const unsupported = (message: string) => new ThreadkeepError("unsupported", message);

/** So many milliseconds after it was asked a server has begun a run. */
const beginsWithin = 10_000;

/** So many milliseconds after an event of its log a server may still describe the status from before. */
const settlesWithin = 3_000;

/** As `src/agent/prompts/superseded.md` has it. */
const superseded = "The user sent a new message instead of approving this call.";

/** The methods that ask a server for nothing that could overtake something, or be overtaken. */
export const atOnce: ReadonlySet<Verb> = new Set<Verb>([
  "pendingActions",
  "queued",
  "editQueued",
  "removeQueued",
  "retryNow",
  "generateTitle",
]);

/** A method that no server has. */
const refuses = (verb: Verb) => () =>
  Promise.reject(unsupported(`${verb}() is not possible in a conversation that an agent server runs: see docs/server.md`));

/**
 * `state` is that of a new conversation.
 * @throws ThreadkeepError `unsupported` for tools of this library that no server has, and a workspace that is not one of a server
 */
export function refuseWhatStaysHere(agent: Agent, state: ConversationState | undefined, workspace: VersionedWorkspace): void {
  const there = state && new Set(state.agent.tools?.map(({ name }) => name));
  const own = agent.tools.flatMap(({ name, builtIn }) => (builtIn && there?.has(name) === false ? [name] : []));
  if (own.length > 0) throw unsupported(`an agent server does not have these tools of threadkeep: ${own.join(", ")}`);
  if (!workspace.executeCommand)
    throw unsupported("an agent server works on its own files: leave the option workspace out, or give it a remoteWorkspace()");
}

/** A conversation that is to be made on a server. */
export interface Described {
  readonly id: string;
  readonly server: AgentServerOptions;
  readonly session: Pick<Remote["session"], "agent" | "llm" | "state">;
}

/** The description with which a conversation is made on a server. Keys are in it, so it is made when it is sent. */
export async function descriptionOf({ id, session, server }: Described): Promise<{ agent: { llm: object }; [field: string]: unknown }> {
  const { agent: stored, confirmation_policy, security_analyzer, tags, max_iterations, stuck_detection } = session.state();
  const { apiKey, stream = true } = session.llm.options;
  const key = typeof apiKey === "function" ? await apiKey() : apiKey;
  const { system_prompt, ...agent } = stored as typeof stored & { system_prompt?: string };
  const names = (agent.tools ?? []).map(({ name }) => name);
  return {
    conversation_id: id,
    agent: {
      ...agent,
      llm: { ...agent.llm, api_key: key || null, stream },
      // The default one is about a page.
      ...(session.agent.systemPrompt !== undefined && { system_prompt }),
    },
    client_tools: clientTools(session.agent),
    workspace: { kind: "LocalWorkspace", working_dir: server.workingDir },
    confirmation_policy,
    ...(security_analyzer && { security_analyzer }),
    tags,
    max_iterations,
    stuck_detection,
    // It would ask the model on the user's account.
    autotitle: false,
    tool_module_qualnames: Object.fromEntries(names.map((name) => [name, `openhands.tools.${name}.definition`])),
  };
}

async function post(remote: Reached, path: string, body: unknown = {}): Promise<string> {
  await remote.create(() => descriptionOf(remote));
  return remote.requests.send("POST", `/${remote.id}${path}`, body);
}

async function contentFor({ session }: Remote, message: Parameters<typeof contentOf>[0]): Promise<string> {
  if (Array.isArray(message) && message.some((part) => part?.type === "file"))
    throw unsupported("files of messages are not sent to an agent server yet: upload them into its workspace");
  return contentOf(message, session.llm);
}

/** Sends a message. Resolves to its event in the log, or to that of the message as long as it has to wait. */
async function send(remote: Remote, message: Parameters<typeof contentOf>[0]): Promise<MessageEvent> {
  const { outbox, link } = remote;
  const content = await contentFor(remote, message);
  await remote.create(() => descriptionOf(remote));
  const kept = await outbox.keep(content);
  if (!outbox.isOpen) return kept;
  try {
    await outbox.flush();
  } catch (error) {
    if (isOutage(error)) outbox.flushSoon();
    else await outbox.drop(kept.id);
    if (isOutage(error)) return kept;
    throw error;
  }
  const json = await link.sent(kept.id);
  return json === undefined ? kept : JSON.parse(json);
}

/** Sends a message, after which the agent goes on or not. Resolves once it is in the log. `content` is a JSON list. */
export async function deliver({ outbox, link }: Reached, content: string, runs: boolean): Promise<void> {
  const { id } = await outbox.keep(content, runs);
  try {
    await outbox.flush();
  } catch (error) {
    if (!isOutage(error)) await outbox.drop(id);
    if (!isOutage(error)) throw error;
    outbox.flushSoon();
  }
  await until(link, async () => ((await link.sent(id)) === undefined ? undefined : true));
}

const statusOf = (core: CoreConversation) => core.executionStatus() as ExecutionStatus;

/** The calls that wait for the user: those of the server's tools, which are under way during a run, and those of this page's. */
async function waitingCalls({ core, calls }: Remote): Promise<{ there: ActionEvent[]; all: ActionEvent[] }> {
  const there = statusOf(core) === "running" ? [] : await pendingActions(core);
  return { there, all: [...there, ...(await calls.waiting())] };
}

function undecided(calls: readonly ActionEvent[], advice: string): ThreadkeepError {
  const names = calls.map(({ tool_name, id }) => `${tool_name} (${id})`).join(", ");
  return new ThreadkeepError("invalid_state", `calls wait for approval: ${names}; ${advice}`);
}

/** @throws ThreadkeepError `not_found` for an id that is not one of these calls */
function ensureWaiting(ids: readonly string[], waiting: readonly ActionEvent[]): void {
  const unknown = ids.find((id) => !waiting.some((action) => action.id === id));
  if (unknown !== undefined)
    throw new ThreadkeepError("not_found", `action ${unknown} is not pending; pendingActions() lists those that are`);
}

/** The costs and tokens of all models. */
function totalOf(stats: ConversationStats): Pick<RunResult, "cost" | "tokenUsage"> {
  const names = ["prompt_tokens", "completion_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens"] as const;
  const all = Object.values(stats?.usage_to_metrics ?? {});
  const sum = (name: keyof TokenUsage) => all.reduce((total, one) => total + (Number(one.accumulated_token_usage?.[name]) || 0), 0);
  const tokenUsage = Object.fromEntries(names.map((name) => [name, sum(name)])) as RunResult["tokenUsage"];
  return { cost: all.reduce((total, one) => total + (one.accumulated_cost ?? 0), 0), tokenUsage };
}

/** The number of answers of the model among these events. */
function stepsOf(events: readonly ConversationEvent[]): number {
  const answers = events.map((event) => ("llm_response_id" in event && event.source === "agent" ? event.llm_response_id : undefined));
  return new Set(answers.filter((id) => id !== undefined)).size;
}

/** The status that the log has told last, since it had this length and behind the last results of this page. */
async function statusSince(core: CoreConversation, length: number): Promise<unknown> {
  const events = await eventLog(core).slice(length);
  const behind = events.slice(events.map(hasResult).lastIndexOf(true) + 1);
  return behind.flatMap((event) => ("key" in event && event.key === "execution_status" ? event.value : [])).at(-1);
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

async function run(
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
  const start = { status: statusOf(core), length: core.length(), at: performance.now(), ...totalOf(session.state().stats) };
  const interrupt = () => void stop(remote, "/interrupt").catch(() => {});
  signal?.addEventListener("abort", interrupt);
  let from = start.length;
  /** Resolves to the status at the end of a run, which may not have begun yet. */
  const ended = (mayBeOver: boolean) => {
    // The whole state comes at the end, behind all events; before the run has begun, it may be one from before. Pausing sends it as
    // well, while the last answer or call still goes on.
    let pauses = 0;
    let contradicted: number | undefined;
    const begin = performance.now();
    return until(remote.link, async (isSnapshot) => {
      const now = statusOf(core);
      if (!isSnapshot || now === "running") return undefined;
      const told = await statusSince(core, from);
      // A description may be older than the log. A server that has died does not log that its run has ended.
      contradicted = told === "running" ? (contradicted ?? performance.now()) : undefined;
      if (contradicted !== undefined && performance.now() - contradicted < settlesWithin) return undefined;
      // A server that has died may have forgotten the run.
      const isLate = performance.now() - begin > beginsWithin;
      if (!mayBeOver && !isLate && told === undefined) return undefined;
      return now !== "paused" || ++pauses > 1 ? now : undefined;
    });
  };
  try {
    let { status } = start;
    // The results of open calls begin a run.
    const areOpen = !/^(running|waiting_for_confirmation)$/.test(status) && (await calls.open()).length > 0;
    if (areOpen) remote.passOn();
    let outcome: Outcome = areOpen ? await calls.carryOut() : "none";
    if (outcome === "none") {
      const hasBegun = await begin(remote, signal).catch(async (error: ThreadkeepError) => {
        const results = error.status === 409 ? await lastResults(remote) : undefined;
        if (results === undefined) throw error;
        // It is the run that goes on with what a page has delivered unasked.
        from = results;
        return true;
      });
      if (!hasBegun) {
        if (signal?.aborted) throw aborted(signal);
        return await session.result();
      }
      remote.passOn();
      // A server does not run what has finished.
      status = await ended(start.status === "finished" && statusOf(core) === "finished");
      outcome = await calls.carryOut();
    }
    while (outcome === "goesOn") {
      status = await ended(false);
      outcome = await calls.carryOut();
    }
    if (outcome === "waits") status = "waiting_for_confirmation";
    if (outcome === "stays") status = "paused";
    if (signal?.aborted && status === "paused") throw aborted(signal);
    const end = totalOf(session.state().stats);
    const names = Object.keys(end.tokenUsage) as Array<keyof RunResult["tokenUsage"]>;
    const tokenUsage = Object.fromEntries(names.map((name) => [name, (end.tokenUsage[name] ?? 0) - (start.tokenUsage[name] ?? 0)]));
    return {
      status,
      finalResponse: await ask(core, "finalResponse", false),
      steps: (there.length > 0 ? 1 : 0) + stepsOf(await eventLog(core).slice(start.length)),
      tokenUsage: tokenUsage as RunResult["tokenUsage"],
      cost: end.cost - start.cost,
      durationMs: performance.now() - start.at,
    };
  } finally {
    signal?.removeEventListener("abort", interrupt);
  }
}

/**
 * Asks the server to go on. While messages wait, it will go on with them, and this waits for that. Resolves to whether it has begun;
 * not if the user stops it before.
 */
async function begin(remote: Remote, signal: AbortSignal | undefined): Promise<boolean> {
  const { outbox } = remote;
  try {
    if (outbox.isOpen) await outbox.flush();
  } catch (error) {
    if (!isOutage(error)) throw error;
    outbox.flushSoon();
  }
  const waits = outbox.waiting.length > 0;
  // Until here there was nothing to stop.
  if (signal?.aborted) return false;
  if (waits) {
    remote.passOn();
    if (!(await outbox.run())) return false;
  }
  await post(remote, "/run").catch((error: ThreadkeepError) => {
    // It may have begun with the message.
    if (!waits || error.status !== 409) throw error;
  });
  return true;
}

/** Stops a run: the one that waits for the server, or that of the server, and the calls of this page. */
async function stop(remote: Remote, path: "/pause" | "/interrupt"): Promise<void> {
  if (path === "/pause") remote.calls.pause();
  else remote.calls.interrupt();
  if (await remote.outbox.stop()) return;
  await post(remote, path);
  await remote.link.look();
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

/** Asks for the state after a change of it. */
async function change(remote: Remote, path: string, body: unknown): Promise<void> {
  await post(remote, path, body);
  await remote.link.look();
}

export const remoteVerbs: RemoteVerbs = {
  async sendMessage(remote, message, options) {
    const { sender, pending } = optionsOf("sendMessage()", options, "sender pending");
    if (sender !== undefined) throw unsupported("an agent server does not keep the sender of a message");
    const { all: waiting } = await waitingCalls(remote);
    if (waiting.length > 0 && pending !== "reject") {
      if (pending === "keep") throw unsupported("an agent server keeps no message for later while calls wait");
      throw undecided(waiting, 'approve or reject them first, or pass pending: "reject"');
    }
    if (waiting.length > 0) await remoteVerbs.rejectPendingActions(remote, superseded, {});
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
    const id = remote.session.state().last_user_message_id;
    if (!id) throw new ThreadkeepError("invalid_state", "there is no message of the user to answer again; send one first");
    // A run of a conversation that has finished does nothing, so the message is sent once more.
    const log = eventLog(remote.core);
    const message = (await log.at(await log.getIndex(id))) as MessageEvent;
    await navigate(remote, await placeBefore(remote.core, id));
    await send(remote, message.llm_message.content);
    return run(remote, given);
  },

  async rejectPendingActions(remote, reason, options) {
    if (reason !== undefined && typeof reason !== "string") throw invalidOptions("the reason must be a string");
    const { actionIds: ids } = optionsOf("rejectPendingActions()", options, "actionIds");
    const rejected = actionIds("actionIds", ids);
    const here = await remote.calls.waiting();
    const there = await pendingActions(remote.core);
    if (rejected) ensureWaiting(rejected, [...there, ...here]);
    const chosen = there.filter(({ id }) => rejected?.includes(id) ?? true);
    if (chosen.length > 0 && chosen.length < there.length) throw unsupported("an agent server rejects all calls of an answer, or none");
    const why = reason ?? "User rejected the action";
    if (chosen.length > 0) {
      await post(remote, "/events/respond_to_confirmation", { accept: false, reason: why });
      const areLeft = (left: readonly ActionEvent[]) => left.some(({ id }) => chosen.some((action) => action.id === id));
      await until(remote.link, async () => (areLeft(await pendingActions(remote.core)) ? undefined : true));
    }
    await remote.calls.reject(why, rejected);
  },

  async pendingActions(remote, options) {
    const { allowable = false } = optionsOf("pendingActions()", options, "allowable");
    // A tool of this page cannot be allowed for good there.
    return allowable ? pendingActions(remote.core, true) : [...(await pendingActions(remote.core)), ...(await remote.calls.waiting())];
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
    const given = optionsOf("askAgent()", options, "signal");
    if (typeof question !== "string") throw invalidOptions("the question must be a string");
    const signal = signalOf(given.signal);
    const { promise: stopped, reject } = withResolvers<never>();
    const stop = () => reject(new ThreadkeepError("aborted", "the request was stopped by its signal", { cause: signal?.reason }));
    signal?.addEventListener("abort", stop);
    if (signal?.aborted) stop();
    try {
      const answer = signal?.aborted ? stopped : post(remote, "/ask_agent", { question });
      return JSON.parse(await Promise.race([stopped, answer])).response;
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

  async retryNow(remote) {
    await remote.reconnect();
  },

  async queued({ outbox }) {
    return outbox.waiting;
  },

  async editQueued(remote, id, message) {
    return remote.outbox.replace(textOf(id), await contentFor(remote, message));
  },

  async removeQueued({ outbox }, id) {
    await outbox.takeBack(textOf(id));
  },

  async generateTitle({ core, session }, options) {
    if (!options.llm) throw unsupported("the model's key is on the agent server; give generateTitle() a model of its own: { llm }");
    return verbs.generateTitle({ core, session }, options);
  },

  editAction: refuses("editAction"),
  setLimits: refuses("setLimits"),
  setAllowedTools: refuses("setAllowedTools"),
  setAgentState: refuses("setAgentState"),
  executeTool: refuses("executeTool"),
  switchLLM: refuses("switchLLM"),
  allowSecrets: refuses("allowSecrets"),
};
