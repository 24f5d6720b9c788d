// From events to messages: a reducer without side effects. It takes the events of the active branch and the live events one
// by one; each costs as much as the message that it changes is long. Objects that nothing has changed stay the same.
import type {
  ActionEvent,
  ACPToolCallEvent,
  ConversationEvent,
  LiveEvent,
  MessageEvent,
  SecurityRisk,
  StreamingDeltaEvent,
  SubagentEvent,
  ToolCallDelta,
  Versions,
} from "threadkeep";
import { attachmentsIn } from "./attachments.js";
import { argumentsIn, isSpeech, saidBy, saidIn, toolPart } from "./call-parts.js";
import { deliveredIn, isNote } from "./delivered.js";
import { type AnswerToCall, codeOf, dateOf, namesOf, outcome, partsOf, textOf, textsIn, withoutSender } from "./fields.js";
import { GrowingArguments } from "./growing-arguments.js";
import { noticeOf } from "./notices.js";
import type { MessagePart, MessageVersions, NoticePart, ToolPart, UIMessage } from "./types.js";

/** The calls without a result, as far as events do not tell. */
export interface OpenCalls {
  /** Ids of actions that wait for the user. */
  waiting: ReadonlySet<string>;
  /** Ids of actions that were begun: by this run, or by a page that died. */
  begun: ReadonlySet<string>;
  /** Ratings of the security analyzer, by the id of the action. */
  risks: { readonly [actionId: string]: SecurityRisk };
  /** Whether a run is under way. */
  isRunning: boolean;
}

/** A message that is still growing. */
interface Draft extends Omit<UIMessage, "parts" | "eventIds" | "state"> {
  parts: MessagePart[];
  /** A name for each part, the same in every transcript that contains the same events. */
  keys: string[];
  eventIds: string[];
  /** The message as it was last shown; `null` after a change. */
  built: UIMessage | null;
}

interface Place {
  draft: Draft;
  at: number;
}

/** A call that a server has noted. Another program may never deliver a result: once the user has gone on, the note is the result. */
interface Noted extends Place {
  note: AnswerToCall;
  isPast: boolean;
}

/** The pieces of an answer that have come, and the message with them as it was last shown. */
interface Answer {
  id: string;
  reasoning: string;
  text: string;
  /** The calls that the model is writing, in their order. */
  calls: readonly WrittenCall[];
  /** Whether nothing more of it comes. */
  isCutOff: boolean;
  shown: { base: UIMessage | null; message: UIMessage } | null;
}

/** A call that the model is writing. */
interface WrittenCall {
  index: number;
  id: string;
  name: string;
  args: GrowingArguments;
}

export class Transcript {
  readonly #drafts: Draft[] = [];
  readonly #ids = new Set<string>();
  /** Calls without a result, by the id of their action. */
  readonly #open = new Map<string, Place>();
  /** The calls that a server has noted, which have their results in messages, by the id of their action. */
  readonly #noted = new Map<string, Noted>();
  readonly #actionOf: (task: string) => string | undefined;
  /** By the id of the action that has started the sub-agent. */
  #subagents = new Map<string, Transcript>();
  #tasks = new Map<string, string>();
  #changedSubagents = new Set<string>();
  /** Messages that are stored beside the log until the current answer has ended. */
  #sent = new Map<string, UIMessage>();
  #calls: OpenCalls = { waiting: new Set(), begun: new Set(), risks: {}, isRunning: false };
  #answer: Answer | null = null;
  #last: ConversationEvent | undefined;
  /** The messages behind the last one on other branches. */
  #following: readonly Versions[] = [];
  #messages: readonly UIMessage[] | null = null;

  /** `actionOf` returns the action that has started the sub-agent of a task. */
  constructor(actionOf: (task: string) => string | undefined = () => undefined) {
    this.#actionOf = actionOf;
  }

  /** The messages now: the same array until something has changed. */
  get messages(): readonly UIMessage[] {
    this.#showSubagents();
    return (this.#messages ??= this.#build());
  }

  /** The id of the event that the next one follows. */
  get lastEventId(): string | null {
    return this.#last?.id ?? null;
  }

  /** Whether the last event is a message of the user, which nobody has answered. */
  get endsWithUser(): boolean {
    return this.#last?.kind === "MessageEvent" && this.#last.source === "user";
  }

  /** Whether a call is shown that has no result. */
  get hasOpenCalls(): boolean {
    return this.#open.size > 0;
  }

  /** The ids of what other branches have in place of the message that comes next. */
  get continuations(): readonly string[] {
    const isAnswered = this.messages.at(-1)?.role === "assistant";
    return this.#following.flatMap((found) => (found.role === "assistant" && isAnswered ? [] : idsOf(found)));
  }

  /** Whether other branches have something in place of the message that comes next. */
  get isBeside(): boolean {
    return this.#following.length > 0;
  }

  has(eventId: string): boolean {
    return this.#ids.has(eventId);
  }

  /** Adds an event that is known to follow the last one. */
  load(event: ConversationEvent): void {
    if (event.kind !== "ConversationStateUpdateEvent") this.#last = event;
    this.#ids.add(event.id);
    this.#sent.delete(event.id);
    this.#messages = null;
    // A call that could not be read is answered with a note, and nothing of the answer is stored.
    if (event.kind === "MessageEvent" && event.source === "environment") this.endAnswer();
    try {
      this.#take(event);
    } catch {
      // A field of another program's event has a form that nobody knows.
      this.#add(event, [{ type: "notice", notice: "unreadable", text: String(event.kind), event, forgotten: [] }]);
    }
    if (event.kind === "MessageEvent" || event.kind === "ActionEvent") this.#following = [];
  }

  /** Adds an event that was stored now. Returns false if it does not follow the last one: then the branch has changed. */
  append(event: ConversationEvent): boolean {
    if (this.#ids.has(event.id)) return true;
    const parent = event.kind === "UnreadableEvent" ? undefined : event.parent_id;
    // An update of the state follows an event too, and nothing follows it.
    if (parent !== undefined && this.#last !== undefined && parent !== this.#last.id && event.kind !== "ConversationStateUpdateEvent")
      return false;
    this.load(event);
    return true;
  }

  /** A message that is stored, and not yet part of the branch: behind the others, or in place of one. */
  addSent(event: MessageEvent, replaced = event.id): void {
    // Results that wait for a server are none of the user's words either.
    if (this.#ids.has(event.id) || this.#hasResults(event)) return;
    const sent = new Map(this.#sent).set(replaced, { ...built(userDraft(event)), state: "queued" });
    this.#sent = new Map([...sent.values()].map((message) => [message.id, message]));
    this.#messages = null;
  }

  removeSent(id: string): void {
    this.#messages = this.#sent.delete(id) ? null : this.#messages;
  }

  /** Takes the messages of the branch that have several versions, and what follows it on other branches. */
  setVersions(all: readonly Versions[]): void {
    const versions = new Map(all.map((found) => [found.eventId, found]));
    this.#following = all.filter(({ eventId }) => eventId === null);
    for (const draft of this.#drafts) {
      const found = draft.eventIds.map((id) => versions.get(id)).find((found) => found?.role === draft.role);
      show(draft, found ? { index: found.index, ids: idsOf(found) } : null);
    }
    // An answer of which nothing has come but its failure.
    const last = this.#drafts.at(-1);
    if (last?.role === "assistant") show(last, last.versions ?? this.#nextVersion(last));
    this.#messages = null;
  }

  /** The versions of a message that follows the last one, together with this one. */
  #nextVersion({ id, role }: Pick<UIMessage, "id" | "role">): MessageVersions | null {
    const found = this.#following.find((found) => found.role === role);
    return found ? { index: found.versions.length, ids: [...idsOf(found), id] } : null;
  }

  /** The calls whose sub-agents were not heard. */
  get unheard(): ToolPart[] {
    const calls = this.#drafts.flatMap(({ parts }) => parts.filter((part) => part.type === "tool"));
    return calls.filter(({ toolName, actionId, subagent }) => {
      return toolName === "task" && actionId !== null && subagent.length === 0 && !this.#subagents.has(actionId);
    });
  }

  /** Takes the stored events of sub-agents, by the ids of the calls that have started them. */
  setWork(work: ReadonlyMap<string, readonly ConversationEvent[]>): void {
    for (const [action, events] of work) {
      if (this.#subagents.has(action)) continue;
      const subagent = new Transcript();
      for (const event of events) subagent.load(withoutSender(event));
      this.#subagents.set(action, subagent);
      this.#change(action, { subagent: subagent.messages });
    }
  }

  /** Takes the arguments of calls before the user changed them, by the ids of the calls as they are. */
  setOriginals(originals: ReadonlyMap<string, ActionEvent>): void {
    for (const [action, event] of originals) this.#change(action, { original: argumentsIn(event) });
  }

  /** Changes the part of a call, which may have its result. */
  #change(action: string, fields: Partial<ToolPart>): void {
    for (const draft of this.#drafts) {
      const at = draft.parts.findIndex((part) => part.type === "tool" && part.actionId === action);
      if (at >= 0) this.#update({ draft, at }, fields);
    }
  }

  /** Takes what happens without being stored. */
  live(event: LiveEvent): void {
    if (event.kind === "StreamingDeltaEvent") this.#stream(event);
    else if (event.kind === "ToolProgressEvent") this.#progress(event.tool_call_id, event.text);
    else if (event.kind === "SubagentEvent") this.#hear(event);
    // The answer starts anew.
    else if (event.kind === "WaitingEvent") this.endAnswer();
  }

  /** Shows the answer that a page has left when it died, unless another one is on its way. */
  setDraft(draft: StreamingDeltaEvent | null): void {
    if (this.#answer?.isCutOff) this.endAnswer();
    if (draft === null || this.#answer !== null || this.#ids.has(draft.message_id)) return;
    this.#answer = { id: draft.message_id, reasoning: "", text: draft.content ?? "", calls: [], isCutOff: true, shown: null };
    this.#messages = null;
  }

  /** Forgets the pieces of an answer, because it was stored or given up. */
  endAnswer(): void {
    if (this.#answer === null) return;
    this.#answer = null;
    this.#messages = null;
  }

  /** Takes what the state of the conversation says about the calls without a result. */
  setCalls(calls: OpenCalls): void {
    this.#calls = calls;
    for (const [id, place] of this.#open) this.#update(place, this.#stage(id, partAt(place)));
    for (const [id, noted] of this.#noted) this.#showNoted(id, noted);
  }

  /** Takes the objects of an earlier transcript where they are the same, and its live state. */
  adopt(earlier: Transcript): void {
    const parts = new Map(earlier.#drafts.flatMap(({ keys, parts }) => keys.map((key, at) => [key, parts[at]!])));
    const drafts = new Map(earlier.#drafts.map((draft) => [draft.id, draft]));
    for (const draft of this.#drafts) {
      draft.versions = drafts.get(draft.id)?.versions ?? null;
      draft.parts = draft.parts.map((part, at) => sameOr(parts.get(draft.keys[at]!), part));
      const old = drafts.get(draft.id);
      if (old && isSameList(old.eventIds, draft.eventIds) && isSameList(old.parts, draft.parts)) draft.built = old.built;
    }
    for (const [id, message] of earlier.#sent) if (!this.#ids.has(id)) this.#sent.set(id, message);
    this.#answer = earlier.#answer;
    this.#subagents = earlier.#subagents;
    this.#tasks = earlier.#tasks;
    this.#messages = null;
    this.setCalls(earlier.#calls);
  }

  /** The messages of events, without an answer or a message that is on its way. */
  get stored(): UIMessage[] {
    // An answer may be empty, and a page may begin with the result of a call that is shown as text.
    const drafts = this.#drafts.filter(({ role, parts }) => role === "user" || parts.length > 0);
    return drafts.map((draft) => (draft.built ??= built(draft)));
  }

  #build(): readonly UIMessage[] {
    const messages = this.stored;
    const answer = this.#answer;
    if (answer !== null && (answer.text !== "" || answer.reasoning !== "" || answer.calls.length > 0)) {
      const last = messages.at(-1);
      const base = last?.role === "assistant" ? last : null;
      if (answer.shown?.base !== base) answer.shown = null;
      answer.shown ??= { base, message: streaming(base, answer, this.#nextVersion({ id: answer.id, role: "assistant" })) };
      if (base) messages.pop();
      messages.push(answer.shown.message);
    }
    return [...messages, ...this.#sent.values()];
  }

  #take(event: ConversationEvent): void {
    switch (event.kind) {
      case "MessageEvent":
        if (event.source === "user") {
          if (this.#answer?.isCutOff) this.endAnswer();
          if (this.#hasResults(event)) return this.#deliver(event);
          for (const [id, noted] of this.#noted) this.#showNoted(id, Object.assign(noted, { isPast: true }));
          const draft = userDraft(event);
          return void this.#drafts.push({ ...draft, versions: this.#nextVersion(draft) });
        }
        if (event.source !== "agent") break;
        return this.#answered(event, saidIn(event, event.llm_message, textsIn(event)));
      case "ActionEvent":
        return this.#call(event);
      case "ObservationEvent":
      case "UserRejectObservation":
      case "AgentErrorEvent":
        return this.#result(event);
      case "ConversationErrorEvent":
      case "ServerErrorEvent":
        this.endAnswer();
        return this.#add(event, [{ type: "error", code: codeOf(event), storedCode: event.code, text: event.detail }]);
      case "SecurityAnalysisEvent":
        for (const [id, risk] of Object.entries(event.risks ?? {})) this.#update(this.#open.get(id), { risk });
        return;
      case "ACPToolCallEvent":
        return this.#foreignCall(event);
      case "Condensation":
        return this.#add(event, [{ ...noticeOf(event)!, forgotten: this.#replacedBy(new Set(event.forgotten_event_ids)) }]);
      case "InterruptEvent":
        this.endAnswer();
    }
    const notice = noticeOf(event);
    if (notice) this.#add(event, [notice]);
  }

  /** The messages with those of their parts that a summary replaces. The summary before it counts as an event of its own. */
  #replacedBy(ids: ReadonlySet<string>): UIMessage[] {
    const isIn = (key: string): boolean => {
      const [id] = key.split(" ") as [string];
      return ids.has(id) || ids.has(`${id}-summary`);
    };
    return this.#drafts.flatMap((draft) => {
      const parts = draft.parts.filter((_, at) => isIn(draft.keys[at]!));
      return parts.length === 0 ? [] : [{ ...built(draft), parts, versions: null }];
    });
  }

  /** Adds what the model has answered, in place of the pieces that have come of it. */
  #answered(event: ConversationEvent, parts: MessagePart[]): void {
    const calls = this.#answer?.calls ?? [];
    this.endAnswer();
    this.#add(event, parts);
    // The events of one answer come one after the other. The calls behind this one stay until theirs has come.
    if (event.kind === "ActionEvent" && calls.length > 1)
      this.#answer = { id: event.id, reasoning: "", text: "", calls: calls.slice(1), isCutOff: false, shown: null };
  }

  /** Adds to the message of the agent, which begins with this event if the user has spoken last. */
  #add(event: ConversationEvent, parts: MessagePart[]): void {
    let draft = this.#drafts.at(-1);
    if (draft?.role !== "assistant") {
      const empty = { parts: [], keys: [], eventIds: [], sender: null, skills: [], attachments: [], built: null };
      const versions = this.#nextVersion({ id: event.id, role: "assistant" });
      draft = { id: event.id, role: "assistant", ...empty, createdAt: dateOf(event), versions };
      this.#drafts.push(draft);
    }
    for (const part of parts) {
      draft.keys.push(`${event.id} ${parts.indexOf(part)}`);
      draft.parts.push(part);
    }
    draft.eventIds.push(event.id);
    draft.built = null;
  }

  #call(event: ActionEvent): void {
    const said = saidBy(event);
    const parts = saidIn(event, event, [...partsOf(event.thought), ...(said ?? [])]);
    if (said) return this.#answered(event, parts);
    this.#answered(event, [...parts, { ...toolPart(event), ...argumentsIn(event), actionId: event.id }]);
    const draft = this.#drafts.at(-1)!;
    const place = { draft, at: draft.parts.length - 1 };
    draft.keys[place.at] = event.id;
    this.#open.set(event.id, place);
    this.#update(place, { summary: event.summary ?? null, ...this.#stage(event.id, { risk: event.security_risk ?? "UNKNOWN" }) });
  }

  /** Whether this message has results of calls that a server has noted. On an earlier page there may be calls that are not known. */
  #hasResults(event: MessageEvent): boolean {
    const results = deliveredIn(event);
    return results.some(({ actionId }) => this.#noted.has(actionId)) || (results.length > 0 && this.#drafts.length === 0);
  }

  #deliver(event: MessageEvent): void {
    for (const { actionId, toolName, outcome } of deliveredIn(event)) {
      const place = this.#noted.get(actionId);
      this.#noted.delete(actionId);
      const unknown = { ...toolPart({ tool_call_id: actionId, tool_name: toolName }), ...outcome };
      if (place) this.#settle(actionId, place, event, outcome);
      else this.#add(event, [unknown]);
    }
  }

  /** Until its result is delivered, the state of the conversation says what happens to the call. */
  #showNoted(id: string, { note, isPast, ...place }: Noted): void {
    const { waiting, isRunning } = this.#calls;
    const state = waiting.has(id) ? "waiting" : isRunning && !isPast ? "running" : null;
    const noted = outcome(note);
    // An object that shows it already stays the same.
    if (partAt(place).state === (state ?? noted.state)) return;
    this.#update(place, state === null ? noted : { state, value: undefined, output: null, result: null, error: null });
  }

  #settle(id: string, place: Place, { id: eventId }: ConversationEvent, fields: Partial<ToolPart>): void {
    this.#open.delete(id);
    place.draft.keys[place.at] = `${id} ${eventId}`;
    if (!place.draft.eventIds.includes(eventId)) place.draft.eventIds.push(eventId);
    this.#update(place, fields);
  }

  #result(event: AnswerToCall): void {
    // Errors name the call by the id that the provider gave it.
    const id = event.kind === "AgentErrorEvent" ? this.#openWith(event.tool_call_id) : event.action_id;
    const place = this.#open.get(id ?? "");
    if (!place) {
      // The message of `finish` and the thoughts of `think` are shown already. Otherwise the call is on an earlier page.
      return this.#add(event, isSpeech(event.tool_name) ? [] : [{ ...toolPart(event), ...outcome(event) }]);
    }
    this.#showSubagents();
    this.#settle(id!, place, event, { ...outcome(event), progress: null });
    if (!isNote(event)) return;
    const noted = { ...place, note: event, isPast: false };
    this.#noted.set(id!, noted);
    this.#showNoted(id!, noted);
  }

  /** The agent client protocol reports a call again and again as it goes on. */
  #foreignCall(event: ACPToolCallEvent): void {
    const text = textOf(event.content);
    const part: ToolPart = {
      ...toolPart({ ...event, tool_name: event.title }),
      args: event.raw_input,
      argsText: event.raw_input === undefined ? "" : JSON.stringify(event.raw_input),
      state: event.is_error || event.status === "failed" ? "error" : event.status === "completed" ? "done" : "running",
      output: event.content === undefined ? null : [{ type: "text", text }],
      value: event.is_error ? undefined : (event.raw_output ?? text),
      result: event.raw_output === undefined ? null : { raw_output: event.raw_output },
      error: event.is_error ? text : null,
    };
    const draft = this.#drafts.at(-1);
    const at = (draft?.parts ?? []).findIndex((other) => other.type === "tool" && other.toolCallId === event.tool_call_id);
    if (!draft || at < 0) return this.#add(event, [part]);
    draft.keys[at] = event.id;
    draft.eventIds.push(event.id);
    this.#update({ draft, at }, part);
  }

  #openWith(toolCallId: string): string | undefined {
    return [...this.#open].find(([, place]) => partAt(place).toolCallId === toolCallId)?.[0];
  }

  /** All that the state of the conversation says about a call without a result. */
  #stage(id: string, { risk }: Pick<ToolPart, "risk">): Pick<ToolPart, "state" | "risk"> {
    const { waiting, begun, risks, isRunning } = this.#calls;
    const state = waiting.has(id) ? "waiting" : isRunning ? "running" : begun.has(id) ? "interrupted" : "ready";
    return { state, risk: risks[id] ?? risk };
  }

  #update(place: Place | undefined, fields: Partial<ToolPart>): void {
    if (!place) return;
    const part = partAt(place);
    const isChange = (Object.keys(fields) as Array<keyof ToolPart>).some((name) => part[name] !== fields[name]);
    if (!isChange) return;
    place.draft.parts[place.at] = { ...part, ...fields };
    place.draft.built = null;
    this.#messages = null;
  }

  #stream({ message_id: id, reasoning_content: reasoning, content: text, tool_calls: calls }: StreamingDeltaEvent): void {
    // A piece that comes after the event of its answer is in that event.
    if (this.#ids.has(id)) return;
    const isAnew = reasoning === undefined && text === undefined && calls === undefined;
    if (this.#answer === null || this.#answer.id !== id || isAnew)
      this.#answer = { id, reasoning: "", text: "", calls: [], isCutOff: false, shown: null };
    this.#answer.reasoning += reasoning ?? "";
    this.#answer.text += text ?? "";
    for (const call of calls ?? []) this.#write(this.#answer, call);
    this.#answer.shown = null;
    this.#messages = null;
  }

  #write(answer: Answer, { index, id, function: { name, arguments: piece } }: ToolCallDelta): void {
    let call = answer.calls.find((call) => call.index === index);
    if (!call) {
      // Some servers give no id, or one that another call has.
      const isTaken = id === undefined || answer.calls.some((call) => call.id === id) || this.#hasCall(id);
      call = { index, id: isTaken ? `${answer.id}/${index}` : id, name: name ?? "", args: new GrowingArguments() };
      answer.calls = [...answer.calls, call];
    }
    call.args.push(piece);
  }

  #hasCall(toolCallId: string): boolean {
    return (this.#drafts.at(-1)?.parts ?? []).some((part) => part.type === "tool" && part.toolCallId === toolCallId);
  }

  #progress(toolCallId: string, progress: string): void {
    this.#update(this.#open.get(this.#openWith(toolCallId) ?? ""), { progress });
  }

  #hear({ path: [task = "", ...deeper], event }: SubagentEvent): void {
    // The prompt of a sub-agent names the action that has started it, or that continues it.
    if (deeper.length === 0 && event.kind === "MessageEvent" && event.source === "user" && event.sender)
      this.#tasks.set(task, event.sender);
    const action = this.#tasks.get(task) ?? this.#actionOf(task);
    if (action === undefined) return;
    let subagent = this.#subagents.get(action);
    if (!subagent) this.#subagents.set(action, (subagent = new Transcript()));
    const waiting = event.kind === "PendingActionsEvent" ? new Set(event.waiting_ids) : subagent.#calls.waiting;
    subagent.setCalls({ ...subagent.#calls, waiting, isRunning: true });
    if (deeper.length > 0) subagent.live({ kind: "SubagentEvent", path: deeper, event });
    else if ("id" in event) subagent.append(withoutSender(event));
    else subagent.live(event);
    this.#changedSubagents.add(action);
    this.#messages = null;
  }

  #showSubagents(): void {
    for (const action of this.#changedSubagents) this.#update(this.#open.get(action), { subagent: this.#subagents.get(action)!.messages });
    this.#changedSubagents.clear();
  }
}

function show(draft: Draft, versions: MessageVersions | null): void {
  const old = draft.versions;
  if (old === versions || (old && versions && old.index === versions.index && isSameList(old.ids, versions.ids))) return;
  draft.versions = versions;
  draft.built = null;
}

const idsOf = ({ versions }: Versions): string[] => versions.map(({ id }) => id);

/** Whether both lists contain the same objects. */
export function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, at) => item === other[at]);
}

/** The part as it was, if nothing about it has changed. With earlier messages, more is known of what a summary has replaced. */
function sameOr(earlier: MessagePart | undefined, part: MessagePart): MessagePart {
  if (earlier === undefined) return part;
  const isSame = earlier.type !== "notice" || part.type !== "notice" || countOf(earlier) === countOf(part);
  return isSame ? earlier : part;
}

const countOf = ({ forgotten }: NoticePart): number => forgotten.reduce((sum, { parts }) => sum + parts.length, 0);

const partAt = ({ draft, at }: Place): ToolPart => draft.parts[at] as ToolPart;

function userDraft(event: MessageEvent): Draft {
  const parts = partsOf(event.llm_message?.content);
  return {
    id: event.id,
    role: "user",
    parts,
    keys: parts.map((_, at) => `${event.id} ${at}`),
    eventIds: [event.id],
    createdAt: dateOf(event),
    sender: event.sender ?? null,
    skills: namesOf(event.activated_skills),
    attachments: attachmentsIn(event.extended_content),
    versions: null,
    built: null,
  };
}

function built({ id, role, parts, eventIds, createdAt, sender, skills, attachments, versions }: Draft): UIMessage {
  return { id, role, parts: [...parts], state: "done", eventIds: [...eventIds], createdAt, sender, skills, attachments, versions };
}

function streaming(base: UIMessage | null, { id, reasoning, text, calls, isCutOff }: Answer, versions: MessageVersions | null): UIMessage {
  const parts: MessagePart[] = [...(base?.parts ?? [])];
  if (reasoning !== "") parts.push({ type: "reasoning", text: reasoning, state: text === "" && calls.length === 0 ? "streaming" : "done" });
  const textState = isCutOff ? "incomplete" : calls.length === 0 ? "streaming" : "done";
  if (text !== "") parts.push({ type: "text", text, state: textState });
  for (const call of calls) parts.push(...partsOfWritten(call));
  const state = isCutOff ? "done" : "streaming";
  const empty = { eventIds: [], createdAt: null, sender: null, skills: [], attachments: [] };
  return { id, role: "assistant", ...empty, versions, ...base, parts, state };
}

/** A call that is being written, or what it says: see {@link saidBy}. */
function partsOfWritten({ id, name, args: { args, text: argsText, summary } }: WrittenCall): MessagePart[] {
  if (!isSpeech(name)) return [{ ...toolPart({ tool_call_id: id, tool_name: name }), state: "streaming", args, argsText, summary }];
  const text = name === "finish" ? args["message"] : args["thought"];
  return typeof text === "string" && text !== "" ? [{ type: name === "finish" ? "text" : "reasoning", text, state: "streaming" }] : [];
}
