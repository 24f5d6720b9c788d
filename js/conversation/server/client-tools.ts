// Tools of the page for an agent on a server. The server only notes a call of them, and goes on at once; the page carries it out, and
// delivers the result in a message of the user, which names the call, so that everybody who has the log knows that it was answered.
import type { CoreConversation } from "../../../pkg/threadkeep.js";
import type { Agent } from "../../agent/agent.js";
import type { ActionEvent, ConversationEvent, LiveEvent, ObservationEvent, UserRejectObservation } from "../../events/events.js";
import { textOf } from "../../input/errors.js";
import type { lockOfWriter } from "../../store/changes.js";
import type { Store } from "../../store/store.js";
import { scopeOf } from "../../store/turns.js";
import type { CoreTool, Tool } from "../../tool/types.js";
import { activeBranch } from "../branches.js";
import { eventLog } from "../event-log.js";
import type { ActingSession } from "../types.js";
import type { Link } from "./link.js";
import type { Outbox } from "./outbox.js";

interface Parts {
  store: Store;
  id: string;
  core: CoreConversation;
  session: ActingSession & { readonly agent: Agent };
  link: Link;
  outbox: Outbox;
  /** `undefined` where the calls of this page can only wait for each other. */
  lock: ReturnType<typeof lockOfWriter>;
  emit(event: LiveEvent): void;
  /** Sends a message of the user, a JSON list, after which the agent goes on or not. Resolves once the copy has it. */
  send(content: string, run: boolean): Promise<void>;
  /** Resolves once the server neither runs nor waits for a decision about calls of its own. */
  rest(): Promise<unknown>;
}

/**
 * `"goesOn"`: the results are there, and the server runs with them; `"stays"`: it has been stopped, and does not; `"waits"`: calls wait
 * for the user; `"none"`: there is nothing to do here.
 */
export type Outcome = "goesOn" | "stays" | "waits" | "none";

/** On whose behalf calls are carried out: unasked, for a run, or only to deliver that they were rejected. */
type Occasion = "unasked" | "run" | "rejection";

/** A call that has no result, or one from before the conversation was on the server. */
interface Call {
  readonly event: ActionEvent;
  /** Its number in the log. */
  readonly index: number;
  /** Whether the server has noted it. Before that it may wait for the user there. */
  isDispatched: boolean;
}

/** The most events that are read at once. */
const page = 100;

const answers = { result: "has this result", error: "has failed", rejection: "was rejected by the user" } as const;

/** The first line of a result. It is in the log for good, and every version of this library reads it there. */
const firstLine = new RegExp(`^The call (\\S+) of the tool \\S+ (?:${Object.values(answers).join("|")}):`);

/**
 * The reason that a server is told for a call that was made before the conversation was there. It has left the call out of the view of
 * its model, so that it would put a result there which answers nothing.
 */
export const takenOver = "The page carries this call out, and tells its result in a message of the user.";

const interrupted =
  "The page that carried out this call was closed before there was a result. It is not repeated, and may or may not have taken effect: find out, or ask the user.";
const stopped = "The user has stopped this call. It may have taken effect in part.";
const uncertain = "It was under way when its page was closed, and may have taken effect.";

/** The conversations of which calls are carried out in this page, where there are no locks. */
const busy: Array<{ scope: unknown; id: string; over: Promise<unknown> }> = [];

/** The tools of a host, which a server does not have. */
export function ownTools(agent: Agent): readonly Tool[] {
  return agent.tools.filter(({ builtIn }) => !builtIn);
}

/** The tools of a host as a server takes them. */
export function clientTools(agent: Agent): Array<{ name: string; [field: string]: unknown }> {
  return ownTools(agent).map(({ name, description, parameters, annotations }) => ({
    name,
    description,
    parameters: { type: "object", properties: {}, ...parameters },
    ...(Object.keys(annotations).length > 0 && { annotations }),
  }));
}

/** Whether this event has results of calls of a page. */
export function hasResult(event: ConversationEvent): boolean {
  return answeredBy(event).length > 0;
}

/** The ids of the calls whose results this event has. */
function answeredBy(event: ConversationEvent): string[] {
  if (event.kind !== "MessageEvent" || event.source !== "user") return [];
  const content: unknown = event.llm_message?.content;
  const parts = Array.isArray(content) ? (content as Array<{ text?: unknown } | null>) : [];
  return parts.flatMap((part) => (typeof part?.text === "string" && firstLine.exec(part.text)?.[1]) || []);
}

/** Whether this event says that the page has to carry a call out. */
function isNote(event: ConversationEvent): event is ObservationEvent | UserRejectObservation {
  if (event.kind === "UserRejectObservation") return event.rejection_reason === takenOver;
  return event.kind === "ObservationEvent" && event.observation?.kind === "ClientToolObservation";
}

/** The calls of one conversation. */
export class ClientCalls {
  readonly #parts: Parts;
  readonly #own: ReadonlyMap<string, Tool>;
  /** The calls of the log without a result, and so much of the log has been read. */
  readonly #known = new Map<string, Call>();
  #seen = 0;
  #reading: Promise<void> = Promise.resolve();
  /** Results that were not delivered yet, as content of a message. */
  readonly #results = new Map<string, readonly unknown[]>();
  readonly #approved = new Set<string>();
  /** Whether a call has to wait for the user, as far as its tool was asked. */
  readonly #asks = new Map<string, Promise<boolean>>();
  /** The calls that were under way when an earlier page was closed. */
  readonly #begun = new Set<string>();
  #acting: Promise<Outcome> | undefined;
  /** Whether something has come meanwhile. */
  #isStale = false;
  /** Whether the user has stopped, and nothing begins before the next run. */
  #isHeld = false;
  #stop = new AbortController();
  #shown = "";

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#own = new Map(ownTools(parts.session.agent).map((tool) => [tool.name, tool]));
    // Only then is everything there that another page may have answered.
    parts.link.watch((isSnapshot) => isSnapshot && this.#heed());
  }

  /** Whether calls wait for the user here, while the server has nothing to do. */
  get areWaiting(): boolean {
    return this.#shown !== "" && this.#isAtRest("run");
  }

  /** The calls that this page can carry out, oldest first. */
  async open(): Promise<ActionEvent[]> {
    const { core, session, outbox } = this.#parts;
    const tools: unknown = session.state().agent?.tools;
    const hasOwn = Array.isArray(tools) && tools.some((tool: { name: string } | null) => tool && this.#own.has(tool.name));
    if (this.#own.size === 0 || !hasOwn) return [];
    await (this.#reading = this.#reading.catch(() => {}).then(() => this.#read()));
    // A result that waits for the server is one.
    const answered = new Set(outbox.waiting.flatMap(answeredBy));
    const dispatched = [...this.#known.values()].filter(({ event, isDispatched }) => isDispatched && !answered.has(event.id));
    if (dispatched.length === 0) return [];
    const limit = core.length() - dispatched[0]!.index;
    const branch = new Set((await activeBranch(core, eventLog(core), { limit })).map(({ id }) => id));
    return dispatched.map(({ event }) => event).filter(({ id }) => branch.has(id));
  }

  /** The calls that wait for the user: as in every conversation, all do if one has to. */
  async waiting(): Promise<ActionEvent[]> {
    const open = await this.open();
    const ready = await this.#ready(open);
    return open.filter((event) => !ready.includes(event));
  }

  /**
   * Approves the waiting calls with these ids, or all. Those that wait `there`, on the server, do not have to wait again here; that
   * somebody has approved them elsewhere only the server could say, which is not trusted with that.
   */
  async approve(ids: readonly string[] | undefined, there: readonly ActionEvent[]): Promise<void> {
    this.#isHeld = false;
    for (const { id } of there) this.#approved.add(id);
    for (const { id } of await this.waiting())
      if (ids?.includes(id) ?? true) this.#approved.add(id);
      // The others wait even if their tools do not ask.
      else this.#asks.set(id, Promise.resolve(true));
  }

  /** Whether these calls, which wait on the server, are all of tools of this page, and were made before the conversation was there. */
  areFromBefore(there: readonly ActionEvent[]): boolean {
    const isFromBefore = ({ tool_name, action }: ActionEvent) => this.#own.has(tool_name) && action?.kind !== `ClientAction_${tool_name}`;
    return there.length > 0 && there.every(isFromBefore);
  }

  /** Rejects the waiting calls with these ids, or all. The model reads it in the next run. */
  async reject(reason: string, ids: readonly string[] | undefined): Promise<void> {
    const waiting = await this.waiting();
    const rejected = waiting.filter(({ id }) => ids?.includes(id) ?? true);
    if (rejected.length === 0) return;
    for (const event of waiting)
      if (!rejected.includes(event)) this.#asks.set(event.id, Promise.resolve(true));
      else this.#answer(event, "rejection", this.#begun.has(event.id) ? `${reason}\n${uncertain}` : reason);
    await this.#begin("rejection");
  }

  /** Carries out what may be, and delivers it. */
  async carryOut(): Promise<Outcome> {
    const before = await this.#acting?.catch(() => {});
    return before === "goesOn" || (before === "stays" && this.#isHeld) ? before : this.#begin("run");
  }

  /** Lets calls that are under way end; the agent does not go on with them. */
  pause(): void {
    this.#isHeld = true;
  }

  interrupt(): void {
    this.pause();
    this.#stop.abort();
    this.#stop = new AbortController();
  }

  #heed(): void {
    this.#isStale = true;
    // After a failure the connection, or the next state, leads to another attempt.
    if (!this.#acting) this.#begin("unasked").catch(() => {});
  }

  async #begin(occasion: Occasion): Promise<Outcome> {
    while (this.#acting) await this.#acting.catch(() => {});
    this.#isStale = false;
    const acting = (this.#acting = this.#act(occasion).finally(() => (this.#acting = undefined)));
    acting.then(
      () => this.#isStale && this.#heed(),
      () => {},
    );
    return acting;
  }

  async #act(occasion: Occasion): Promise<Outcome> {
    if (!this.#isAtRest(occasion)) return "none";
    const open = await this.open();
    const ready = await this.#ready(open);
    this.#show(open.filter((event) => !ready.includes(event)));
    if (ready.length === 0) return open.length > 0 ? "waits" : "none";
    return this.#alone(() => this.#actAlone(occasion));
  }

  async #actAlone(occasion: Occasion): Promise<Outcome> {
    const { link, session, send, rest } = this.#parts;
    link.end.throwIfAborted();
    await link.look();
    const found = await this.open();
    // Another page has answered them meanwhile.
    if (found.length === 0) return "goesOn";
    if (!this.#isAtRest(occasion)) return "none";
    const ready = occasion === "rejection" ? [] : await this.#ready(found);
    const signal = AbortSignal.any([link.end, this.#stop.signal]);
    const next = ready.values();
    const carryOutNext = async () => {
      for (const event of next) await this.#carryOut(event, signal);
    };
    await Promise.all(Array.from({ length: Math.min(session.agent.toolConcurrencyLimit, ready.length) }, carryOutNext));
    await rest();
    await link.look();
    // The user may have gone to another branch, and another device may have been faster.
    const open = await this.open();
    const done = open.filter(({ id }) => this.#results.has(id));
    const areLeft = open.length > done.length;
    const goesOn = occasion !== "rejection" && !areLeft && !this.#isHeld && this.#isAtRest(occasion);
    if (done.length > 0) await send(JSON.stringify(done.flatMap(({ id }) => this.#results.get(id))), goesOn);
    this.#show(await this.waiting());
    return areLeft ? "waits" : goesOn ? "goesOn" : "stays";
  }

  /** Whether the server lets a message in that begins a run; unasked none begins after something has stopped the last one. */
  #isAtRest(occasion: Occasion): boolean {
    const status = this.#parts.core.executionStatus();
    if (occasion === "unasked") return !this.#isHeld && (status === "idle" || status === "finished");
    return status !== "running" && status !== "waiting_for_confirmation";
  }

  /** Nobody else carries out calls of this conversation meanwhile: no other handle of this page, and no page with the same store. */
  async #alone(act: () => Promise<Outcome>): Promise<Outcome> {
    const { store, id, lock, link } = this.#parts;
    if (lock) return lock.locks.request(lock.name, { signal: link.end }, act);
    const scope = scopeOf(store);
    for (;;) {
      const before = busy.find((turn) => turn.scope === scope && turn.id === id);
      if (!before) break;
      await before.over;
    }
    const outcome = act();
    const turn = { scope, id, over: outcome.catch(() => {}) };
    busy.push(turn);
    return outcome.finally(() => busy.splice(busy.indexOf(turn), 1));
  }

  async #read(): Promise<void> {
    const { core } = this.#parts;
    while (this.#seen < core.length()) {
      const events = await eventLog(core).slice(this.#seen, this.#seen + page);
      for (const event of events) this.#note(event, this.#seen++);
    }
  }

  #note(event: ConversationEvent, index: number): void {
    // Also one that was made before the conversation was on the server.
    if (event.kind === "ActionEvent" && this.#own.has(event.tool_name)) this.#known.set(event.id, { event, index, isDispatched: false });
    else if (isNote(event)) {
      const call = this.#known.get(event.action_id);
      if (call) call.isDispatched = true;
    }
    // On whatever branch the result is: the call has taken effect.
    for (const id of answeredBy(event))
      for (const forgotten of [this.#known, this.#results, this.#approved, this.#asks]) forgotten.delete(id);
  }

  /** Those of the calls that need no decision of the user any more. */
  async #ready(open: readonly ActionEvent[]): Promise<ActionEvent[]> {
    const isDecided = ({ id }: ActionEvent) => this.#approved.has(id) || this.#results.has(id);
    const undecided = open.filter((event) => !isDecided(event));
    const asks = await Promise.all(undecided.map((event) => this.#asksFor(event)));
    return asks.includes(true) ? open.filter(isDecided) : [...open];
  }

  #asksFor(event: ActionEvent): Promise<boolean> {
    const known = this.#asks.get(event.id) ?? this.#doesAsk(event);
    this.#asks.set(event.id, known);
    return known;
  }

  async #doesAsk(event: ActionEvent): Promise<boolean> {
    const { annotations, needsApproval, replay } = this.#tool(event);
    // It was approved before it began; from then on it is about repeating it.
    if (this.#begun.has(event.id)) return (replay ?? replayFor(annotations)) === "ask";
    const { args, mistake } = this.#argumentsOf(event);
    if (mistake !== null) return false;
    if (!needsApproval) return annotations.destructiveHint === true;
    try {
      return (await needsApproval(args)) !== false;
    } catch {
      return true;
    }
  }

  /** Calls the tool, and keeps the result; a call that turns out to have been begun by an earlier page may have to wait after all. */
  async #carryOut(event: ActionEvent, signal: AbortSignal): Promise<void> {
    const { link, core, session, id: conversationId, emit } = this.#parts;
    const { id, tool_name: name, tool_call_id: toolCallId } = event;
    if (this.#results.has(id)) return;
    const { args, mistake } = this.#argumentsOf(event);
    if (mistake !== null) return this.#answer(event, "error", `the arguments do not fit the parameters of the tool: ${mistake}`);
    if ((await link.change((copy) => copy.beginCall(id))) && !this.#begun.has(id)) {
      this.#begun.add(id);
      this.#approved.delete(id);
      this.#asks.delete(id);
      if (await this.#asksFor(event)) return;
    }
    const { annotations, replay = replayFor(annotations) } = this.#tool(event);
    if (this.#begun.has(id) && replay === "never") return this.#answer(event, "error", interrupted);
    const progress = (text: string) => emit({ kind: "ToolProgressEvent", tool_call_id: toolCallId, tool_name: name, text });
    try {
      const json = await Promise.race([
        session.tools.runHere(name, args, { signal, toolCallId, conversationId, idempotencyKey: id }, progress),
        aborted(signal),
      ]);
      const { content, is_error } = JSON.parse(json as string);
      this.#answer(event, is_error ? "error" : "result", ...content);
    } catch (error) {
      if (link.end.aborted) throw error;
      this.#answer(event, "error", signal.aborted ? stopped : core.masked(textOf(error)));
    }
  }

  #tool({ tool_name }: ActionEvent): CoreTool {
    return this.#parts.session.tools.find(tool_name)!;
  }

  /** The JSON of the arguments, without what the server has added to the parameters of the tool, and a mistake in them. */
  #argumentsOf(event: ActionEvent): { args: string; mistake: string | null } {
    const { properties = {} } = this.#own.get(event.tool_name)!.parameters as { properties?: object };
    const isOwn = (name: string) => !["security_risk", "summary"].includes(name) || name in properties;
    try {
      const given = Object.entries(JSON.parse(event.tool_call.arguments));
      const args = JSON.stringify(Object.fromEntries(given.filter(([name]) => isOwn(name))));
      return { args, mistake: this.#tool(event).check(args) };
    } catch (error) {
      // Python writes numbers that JSON does not have.
      return { args: "", mistake: textOf(error) };
    }
  }

  /** Keeps the result of a call until it is delivered. */
  #answer({ id, tool_name }: ActionEvent, how: keyof typeof answers, ...content: ReadonlyArray<string | Record<string, unknown>>): void {
    const { core } = this.#parts;
    const parts = content.map((part) => (typeof part === "string" ? { type: "text", text: part } : part));
    const [first, ...rest] = parts[0]?.["text"] === undefined ? [{ text: "" }, ...parts] : parts;
    const text = (text: unknown) => ({ type: "text", text: core.masked(String(text)).replace(/\p{Surrogate}/gu, "\ufffd") });
    this.#results.set(id, [
      text(`The call ${id} of the tool ${tool_name} ${answers[how]}:\n${first!["text"]}`),
      // A server refuses fields that it does not know.
      ...rest.map((part) => (part["text"] === undefined ? { type: "image", image_urls: part["image_urls"] } : text(part["text"]))),
    ]);
  }

  #show(waiting: readonly ActionEvent[]): void {
    const ids = waiting.map(({ id }) => id);
    if (ids.join() === this.#shown) return;
    this.#shown = ids.join();
    this.#parts.emit({ kind: "PendingActionsEvent", action_ids: ids, waiting_ids: ids });
  }
}

/** The default of the option `replay`, as `src/tool/mod.rs` has it. */
function replayFor({ readOnlyHint, idempotentHint, destructiveHint }: Tool["annotations"]): NonNullable<Tool["replay"]> {
  return readOnlyHint || idempotentHint ? "safe" : destructiveHint ? "ask" : "never";
}

/** Rejects when the signal is aborted. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
}
