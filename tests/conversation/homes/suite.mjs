// The suite of homes: what a conversation can do is the same wherever its loop runs. A case is played by a handle, once by one
// whose loop is here and once by one whose loop is elsewhere; what it saw is compared. Runs in Node and in pages.
//
// A case is { name, setup?, play }. `setup({ library, gate })` gives what the handle at the loop is opened with:
//   replies   the script of its model
//   tools     of the agent; `agent` more options of it, and `llm` of its model
//   options   more options of Conversation.open()
// `play` gets what `Player` has, and returns what it saw. `live`: the live events are compared as well; `closes`: it closes the handle.
import { ScriptedModel } from "../../support/model/script.mjs";
import { until } from "../../support/until.mjs";
import { approvals } from "./approvals.mjs";
import { branches } from "./branches.mjs";
import { messages } from "./messages.mjs";
import { queue } from "./queue.mjs";
import { reading } from "./reading.mjs";
import { refusals } from "./refusals.mjs";
import { runs } from "./runs.mjs";
import { settings } from "./settings.mjs";
import { sideCalls } from "./side-calls.mjs";
import { toolCalls } from "./tool-calls.mjs";

export const cases = [
  ...messages,
  ...runs,
  ...approvals,
  ...toolCalls,
  ...branches,
  ...queue,
  ...settings,
  ...sideCalls,
  ...reading,
  ...refusals,
];

/** The case of this name. */
export const caseOf = (name) => cases.find((each) => each.name === name);

/** The options of Conversation.open() for a case, and what else a case plays with. `away` is of a home with other models and gates. */
export async function partsFor({ setup = () => ({}) }, { library, token, away }) {
  const { Agent, LLM } = library;
  const gate = away?.gate ?? gateOf(token);
  const { replies = [], tools = [], llm: ofModel = {}, agent: more = {}, options = {} } = await setup({ library, gate });
  const model = new ScriptedModel(replies);
  const at = away?.llm ?? { baseUrl: "https://model.invalid", fetch: model.fetch };
  const llm = new LLM({ model: "openai/gpt-4o", numRetries: 1, ...at, ...ofModel });
  return {
    given: { agent: new Agent({ llm, tools: away?.hasTools ? [] : tools, systemPrompt: "Be brief.", ...more }), ...options },
    gate,
    model,
  };
}

/** A handle on the conversation of a case. Without an id the conversation is new. `home` is where it runs. */
export async function openFor(each, { library, store, conversationId, token, home, away }) {
  const { Conversation, memoryStore } = library;
  const { given, gate, model } = await partsFor(each, { library, token, away });
  const heard = [];
  const conversation = await Conversation.open({
    store: store === "memory" ? memoryStore() : store,
    conversationId,
    ...(home && { home }),
    ...given,
  });
  conversation.subscribe((event) => void heard.push(event));
  return new Player({ library, conversation, gate, heard, model });
}

/** What a case plays with. */
class Player {
  constructor(parts) {
    Object.assign(this, parts);
  }

  until = (holds) => until(holds, undefined, { of: this.conversation, seen: () => this.heard.at(-1) });

  /** Resolves when this handle has heard of such an event. */
  hears = (wanted) => this.until(() => this.heard.some(wanted));

  /** All that can be compared with what another handle has. */
  async view() {
    const { conversation } = this;
    const idsOf = (events) => events.map(({ id }) => id);
    return {
      events: await conversation.events.slice(),
      branch: idsOf(await conversation.activeBranch()),
      pending: idsOf(await conversation.pendingActions()),
      status: conversation.executionStatus,
      state: conversation.state,
      title: conversation.title,
    };
  }

  async end() {
    this.gate.close();
    await this.conversation.close();
  }
}

/** Plays a case; what it saw, in a form in which two homes can be compared, after `alike` where they are not the same software. */
export async function play({ play, live, closes }, player, alike = (seen) => seen) {
  const saw = await play(player);
  if (closes) return saw;
  const { conversation, heard } = player;
  const stored = await conversation.events.slice();
  await player.until(() => heard.filter(({ id }) => id !== undefined).length >= stored.length);
  const view = await player.view();
  const result = {
    saw,
    // Every event of the log once, in its order.
    heard: heard.filter(({ id }) => id !== undefined),
    ...(live && { live: liveOf(heard) }),
    view,
  };
  return comparable(alike(result));
}

/** The live events that do not come from a commit, with the pieces of a text joined. */
function liveOf(heard) {
  const kinds = ["StreamingDeltaEvent", "WaitingEvent", "ToolProgressEvent", "SubagentEvent", "MCPServerEvent"];
  const live = [];
  for (const event of heard) {
    if (!kinds.includes(event.kind)) continue;
    const last = live.at(-1);
    const text = ["content", "reasoning_content"].find((text) => event[text]);
    if (event.kind === "StreamingDeltaEvent" && last?.message_id === event.message_id && text && last[text]) last[text] += event[text];
    else live.push({ ...event });
  }
  return live;
}

/** What differs from time to time, and is not what a case is about. */
const varying = new Set(["timestamp", "durationMs", "latency", "response_latencies", "created", "created_at", "updated_at", "tag_times"]);

/** The value without times, and with a name for each id by its place. */
function comparable(value) {
  const names = new Map();
  const nameOf = (id) => {
    const key = id.replaceAll("-", "");
    if (!names.has(key)) names.set(key, `#${names.size}`);
    return names.get(key);
  };
  const text = JSON.stringify(value, (key, part) => (varying.has(key) ? undefined : part instanceof Blob ? { size: part.size } : part));
  return JSON.parse(
    (text ?? "null")
      .replace(/[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}/g, nameOf)
      .replace(/\d{4}-\d\d-\d\d[T ]\d\d:[\d:.]+Z?/g, "<time>"),
  );
}

/** Signals between the handle of a case and the tools where its loop runs. */
function gateOf(token) {
  const channel = new BroadcastChannel(`homes ${token}`);
  channel.unref?.();
  const opened = new Set();
  const waiting = new Set();
  const note = (name) => {
    opened.add(name);
    for (const wake of waiting) wake();
  };
  channel.onmessage = ({ data }) => note(data);
  return {
    open(name) {
      note(name);
      channel.postMessage(name);
    },
    passed: (name) =>
      new Promise((resolve) => {
        const wake = () => opened.has(name) && (waiting.delete(wake), resolve());
        waiting.add(wake);
        wake();
      }),
    close: () => channel.close(),
  };
}
