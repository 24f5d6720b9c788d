// In a page: plays cases of the suite of homes here, or on an agent server.
import * as library from "/threadkeep/index.js";
import { caseOf, openFor, play } from "/tests/conversation/homes/suite.mjs";
import { deferred } from "/support/deferred.mjs";

const longest = 120_000;

/** So many milliseconds after a call, its request is at the server. Nothing tells of it, because the answer comes later. */
const arrives = 1_500;

/** Resolves to what was seen, the calls that were `unsupported`, and the error that broke it off, if there is one. */
globalThis.playHere = async (name, token) => {
  const each = caseOf(name);
  const player = await openFor(each, { library, store: "memory", token });
  try {
    return await play(each, player, alike);
  } finally {
    await player.end();
  }
};

/** `given` has what `agentServer()` takes, the address of the stage, and the id of a conversation that the server has already. `isHeld`: a
 * tool goes on when a message was sent; `isLate`: the case is over when the agent has answered all messages. */
globalThis.playThere = async (name, { token, server, stage, conversationId, isHeld, isLate }) => {
  const each = caseOf(name);
  const gate = gateOver(`${stage}/${token}/gate`);
  const away = { gate, llm: { baseUrl: `${stage}/${token}/v1`, apiKey: "sk-scripted" }, hasTools: conversationId !== undefined };
  const refused = [];
  let player;
  try {
    const home = library.agentServer(server);
    player = await openFor(each, { library, store: "memory", token, conversationId, home, away });
    if (conversationId) await connected(conversationId);
    const { promise: isRefused, resolve: stop } = deferred();
    const { promise: isOver, resolve: over } = deferred();
    const { conversation } = player;
    const calls = [];
    const late = () => over({ error: `not within ${longest / 1000} s, after ${calls} and ${player.heard.map(({ kind }) => kind)}` });
    const timer = setTimeout(late, longest);
    const watch = {
      // A message waits here only if this page knows of the run.
      isLate: () => isLate && gate.hasBegun,
      isRunning: () => player.until(() => conversation.executionStatus === "running"),
      called(method) {
        calls.push(method);
        if (isHeld && gate.hasBegun && /^(sendMessage|pause)$/.test(method)) setTimeout(gate.open, arrives, "go on");
      },
      refused(method, { code }) {
        if (code !== "unsupported") return;
        refused.push(method);
        stop({});
      },
    };
    player.conversation = watched(conversation, watch);
    const whole = isLate ? { ...each, play: async (player) => [await each.play(player), await isAnswered(player)][0] } : each;
    const seen = play(whole, player, alike).then(
      (seen) => ({ seen }),
      ({ message }) => ({ error: message }),
    );
    const result = await Promise.race([isRefused, isOver, seen]);
    clearTimeout(timer);
    return { refused, ...result };
  } catch ({ code, message }) {
    return { refused: code === "unsupported" ? ["open"] : [], error: message };
  } finally {
    gate.open("go on");
    await player?.end();
  }
};

/** Resolves once no message waits for the server, and the agent has answered the last, or failed to. */
async function isAnswered({ conversation, heard, until }) {
  for (;;) {
    const seen = heard.length;
    const messages = (await conversation.activeBranch()).filter(({ kind }) => kind === "MessageEvent");
    const waits = (await conversation.queue.list()).length > 0 || conversation.executionStatus === "running";
    if (!waits && (messages.at(-1)?.source === "agent" || conversation.executionStatus === "error")) return;
    await until(() => heard.length > seen);
  }
}

/** For each id, what is resolved when its page is told of something, over whichever connection: on a slow machine the first may end. */
const firsts = new Map();
const firstOf = (id) => firsts.get(id) ?? firsts.set(id, deferred()).get(id);
globalThis.WebSocket = class extends WebSocket {
  constructor(address) {
    super(address);
    this.addEventListener("message", firstOf(/[0-9a-f-]{36}/.exec(address)[0]).resolve, { once: true });
  }
};

/** Resolves when the page is told of this conversation. An answer that is streamed before is not shown in pieces. */
const connected = (id) => firstOf(id).promise;

/** The conversation, whose calls are noted. */
function watched(target, watch, place = "") {
  return new Proxy(target, {
    get(_, name) {
      const value = Reflect.get(target, name, target);
      if (name === "queue") return watched(value, watch, "queue.");
      if (typeof value !== "function") return value;
      const act = (...args) => {
        const result = value.apply(target, args);
        result?.catch?.((error) => watch.refused(place + name, error));
        watch.called(name);
        return name === "sendMessage" ? result.then((event) => connected(target.id).then(() => event)) : result;
      };
      return (...args) => (name === "sendMessage" && watch.isLate() ? watch.isRunning().then(() => act(...args)) : act(...args));
    },
  });
}

/** The gates of the stage: see stage.mjs. */
function gateOver(address) {
  const gate = {
    hasBegun: false,
    open: (name) => void fetch(`${address}/open/${name}`),
    async passed(name) {
      await fetch(`${address}/passed/${name}`);
      gate.hasBegun ||= name === "began";
    },
    close() {},
  };
  return gate;
}

/** Fields of the state that are about the place; and what has been used, of which a server may tell a moment after the run has ended. */
const ofThePlace = ["agent", "workspace", "persistence_dir", "activated_path_rules", "stats"];

/** Numbers of tokens and what they cost depend on the tools, which each place describes in its own words. */
const counts = /^(prompt_tokens|per_turn_token|cost|accumulated_cost|usedTokens)$/;

/** The value in one form for both places, which are different software. */
function alike(value) {
  if (typeof value === "string")
    return value.replace(/(chatcmpl-\d+)-[0-9a-f-]{32,36}/g, "$1").replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, "<time>");
  if (Array.isArray(value)) return value.filter((each) => each?.kind !== "ConversationStateUpdateEvent").map(alike);
  if (typeof value !== "object" || value === null || value instanceof Blob) return value;
  const entries = Object.entries(normal(value)).filter(
    ([name, each]) => each !== null && each !== undefined && name !== "reasoning_tokens",
  );
  const plain = entries.map(([name, each]) => [name, counts.test(name) && typeof each === "number" ? each > 0 : alike(each)]);
  return Object.fromEntries(plain.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function normal(value) {
  const { kind, parent_id: parent, ...rest } = value;
  if (kind === "SystemPromptEvent") return { id: value.id, kind };
  const event = kind ? { ...rest, kind, ...(parent !== "__root__" && { parent_id: parent }) } : value;
  // A tool of the page is stored as one of MCP, one of the server with a kind of its own.
  if (kind === "ActionEvent") {
    const { data, kind: _, ...own } = value.action;
    return { ...event, action: data ?? own, thought: value.thought.filter(({ text }) => text !== "") };
  }
  if (kind === "ObservationEvent")
    return { ...event, observation: { content: value.observation.content, is_error: value.observation.is_error } };
  // A server lists its models before they are asked, and tells of their requests one by one only in a description.
  if ("usage_to_metrics" in value) {
    const asked = Object.entries(value.usage_to_metrics).filter(([, { accumulated_cost: cost }]) => cost > 0);
    return { usage_to_metrics: Object.fromEntries(asked.map(([name, { costs: _, token_usages: __, ...sums }]) => [name, sums])) };
  }
  if ("execution_status" in value) {
    const isEmpty = value.leaf_event_id === undefined || value.leaf_event_id === null;
    const left = isEmpty ? [...ofThePlace, "head_is_empty"] : ofThePlace;
    return Object.fromEntries(Object.entries(value).filter(([name]) => !left.includes(name)));
  }
  return event;
}
