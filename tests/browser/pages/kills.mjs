// The page of the kill suite. It brings conversations to certain points, or works on one without end, until its browser
// is killed; the page after it continues them. Everything that the library reports goes to the test at once, by a
// WebSocket: what the page itself remembers is lost with it.
import { until } from "/support/until.mjs";
import { Agent, Conversation, LLM, directoryStore, encryptedStore, indexedDBStore, mirror, tool } from "/threadkeep/index.js";
import { randomFrom } from "/support/random.mjs";
import { hanging } from "./hanging-store.mjs";
import { losing } from "./losing-store.mjs";
import { httpPlace } from "./http-place.mjs";
import { directory, filesIn } from "./opfs.mjs";

const socket = new WebSocket(new URLSearchParams(location.search).get("socket"));
await new Promise((resolve) => (socket.onopen = resolve));
const tell = (conversation, kind, value) => socket.send(JSON.stringify({ conversation, kind, value }));
for (const failure of ["error", "unhandledrejection"]) {
  window.addEventListener(failure, (event) => tell(null, "problem", String(event.reason?.stack ?? event.message ?? event.reason)));
}

/** The conversations that this page has brought to a point and still holds, by id, with a function that lets their hanging call return. */
const held = new Map();

/** How far a page goes before `act`; when that is over, the point is reached. */
const points = {
  "tool at work": { until: "tool" },
  "request sent": { until: "request" },
  "answer streaming": { until: "delta" },
  "actions stored": { until: "never" },
  "run over": { until: "end" },
  "waiting, message pending": { until: "end", act: ({ conversation }) => conversation.sendMessage("And then rest.", { pending: "keep" }) },
  "paused before a run": { act: ({ conversation }) => conversation.pause() },
  "paused, no answer": { until: "request", act: ({ conversation }) => conversation.pause() },
  "paused, call answered": {
    until: "request",
    async act({ conversation, run }) {
      await conversation.pause();
      await fetch(`/let-go?${conversation.id}`);
      await run;
    },
  },
  "paused, tool at work": { until: "tool", act: ({ conversation }) => conversation.pause() },
  "paused, tool returned": {
    until: "tool",
    async act({ conversation, run, release }) {
      await conversation.pause();
      release();
      await run;
    },
  },
  ...Object.fromEntries(
    ["not stored", "stored"].flatMap((when) => {
      const during = (verb, chosen) => ({
        until: "end",
        hangs: true,
        async act({ conversation, run, store }) {
          await run;
          const reached = store.hang(when === "stored", chosen?.(conversation));
          // Fails after a while, because the store never answers.
          verb(conversation, await conversation.events.at(1)).catch(() => {});
          await reached;
        },
      });
      return Object.entries({
        navigating: during((conversation, { id }) => conversation.navigateTo(id)),
        regenerating: during((conversation) => conversation.regenerate()),
        editing: during((conversation, { id }) => conversation.editMessage(id, "Please do neither.")),
        // The last commit of a fork, which makes it visible.
        forking: during(
          (conversation) => conversation.fork({ title: conversation.id }),
          (conversation) => (id, commit) => id !== conversation.id && commit.baseState !== undefined,
        ),
      }).map(([verb, point]) => [`${verb}, ${when}`, point]);
    }),
  ),
  "interrupted answer": { until: "delta", act: ({ conversation, run }) => conversation.interrupt().then(() => run) },
  "interrupted tool": { until: "tool", act: ({ conversation, run }) => conversation.interrupt().then(() => run) },
};

/** Takes a new conversation to its point. Its call "second" hangs, and ignores its signal, until it is released. */
window.bring = async (given) => {
  const { until, act, hangs } = points[given.doing];
  const store = hangs && hanging(indexedDBStore());
  const reached = Promise.withResolvers();
  const isAt = (point) => point === until && reached.resolve();
  const released = Promise.withResolvers();
  const conversation = await open(given, {
    ...(store && { store }),
    ...(given.confirms && {
      confirmationPolicy: { kind: "ConfirmRisky" },
      securityAnalyzer: { securityRisk: async ({ action }) => (action.data.what === "first" ? "LOW" : "HIGH") },
    }),
    tokenCallbacks: [({ kind }) => kind === "StreamingDeltaEvent" && isAt("delta")],
    onEvent(event) {
      if (given.doing === "actions stored" && event.kind === "ActionEvent" && event.action.data.what === "second") stopThisPage();
    },
    fetch(...request) {
      const answer = fetch(...request);
      isAt("request");
      return answer;
    },
    async afterAct({ what }) {
      if (what !== "second") return;
      isAt("tool");
      await released.promise;
    },
  });
  held.set(given.id, { conversation, release: released.resolve });
  await say(conversation, "Please do both.");
  if (until) {
    const run = conversation.run();
    const ended = run.then(({ status }) => {
      if (until !== "end") throw new Error(`the run ended: ${status}`);
    });
    await Promise.race([reached.promise, ended]);
    ended.catch(() => {});
    await act?.({ conversation, run, store, release: released.resolve });
  } else await act({ conversation });
  // A conversation whose commit hangs would answer after that commit.
  return endOf(conversation, hangs ? undefined : await standing(conversation));
};

/** Lets the model answer, and reports what is shown of that. */
window.stream = async (given) => {
  let text = "";
  const conversation = await open(given, {
    tokenCallbacks: [
      (event) => {
        if (event.kind === "StreamingDeltaEvent") tell(given.id, "shown", [Date.now(), (text += event.content)]);
      },
    ],
  });
  await say(conversation, "Tell me a long story.");
  await conversation.run();
};

/** What the page before has left of the answer that it streamed, and what becomes of that when the user does `next`. */
window.leftOf = async ({ resume, next, ...given }) => {
  const conversation = await openAsWriter(given, { resume });
  const { draft, warnings } = conversation;
  const left = { draft: draft?.content ?? null, warnings: warnings.map(({ code }) => code), events: await conversation.events.slice() };
  if (left.events.length === 0) return left;
  if (next === "edit") await conversation.editMessage(left.events[1].id, "Rather a short one.");
  if (next === "leave") await conversation.navigateTo(left.events[0].id);
  if (next === "leave" || next === "say") await say(conversation, "Rather a short one.");
  await conversation.run();
  const files = await indexedDBStore().files(given.id, "drafts");
  const kinds = await kindsOf(conversation);
  const events = await conversation.events.slice();
  const isKept = ({ kind, source, extended_content: mark }) => kind === "MessageEvent" && source === "agent" && mark.length > 0;
  const kept = events.filter(isKept).map(({ llm_message, parent_id }) => [llm_message.content[0].text, parent_id]);
  await conversation.close();
  return { ...left, kinds, files, kept };
};

/** Opens a conversation where the page before left it, or takes the one that this page holds; does `then`, and sends another message. */
window.continueWith = async ({ then, ...given }) => {
  const { conversation, release } = held.get(given.id) ?? { conversation: await openAsWriter(given) };
  const opened = { ...(await standing(conversation)), hasDraft: conversation.draft !== null };
  tell(given.id, "opened", await everything(conversation));
  const pending = await conversation.pendingActions();
  await continuations[then](conversation, pending);
  await say(conversation, "And now?");
  const { status, finalResponse } = await conversation.run();
  // A call that nobody waits for any more returns, and has its chance to be stored.
  release?.();
  await conversation.setTags({ title: "9999" });
  tell(given.id, "title", "9999");
  tell(given.id, "opened", await everything(conversation));
  const kinds = await kindsOf(conversation);
  await conversation.close();
  return endOf(conversation, { opened, status, finalResponse, kinds });
};

const continuations = {
  message: () => {},
  run: (conversation, pending) => (allow(conversation, pending), conversation.run()),
  async reject(conversation) {
    await conversation.rejectPendingActions("not now");
    await conversation.run();
  },
  async single(conversation, [first, second]) {
    allow(conversation, [first]);
    await conversation.run({ approve: [first.id] });
    await conversation.rejectPendingActions("not this one", { actionIds: [second.id] });
    await conversation.run();
  },
  async edit(conversation, pending) {
    await conversation.editAction(pending[1].id, { what: "zweite" });
    allow(conversation, await conversation.pendingActions());
    await conversation.run();
  },
};

/** Of a page that lives with a mirror: its store, the mirror, its directory if it has one, and how to end. */
let mirrored;

/** Ends the work after the turn under way, and has the mirror catch up. Resolves to the files that are there then. */
window.finish = async () => {
  mirrored.isEnding = true;
  await mirrored.ended.promise;
  const { backup } = mirrored;
  await backup.catchUp();
  // The lock of the conversation that was closed may be free only a moment later, and its base state waits for that.
  await until(() => backup.state.status === "up_to_date", "everything is in the mirror", { seen: () => backup.state });
  const { differences } = await mirrored.backup.verify();
  const files = mirrored.folder && (await filesIn(mirrored.folder));
  // What a failure is understood by.
  for (const difference of differences) {
    const { conversation, path } = difference;
    const [, event] = /event-\d+-([\w-]+)/.exec(path) ?? [];
    const index = event && (await mirrored.store.indexOf(conversation, event));
    if (event) difference.here = (await mirrored.store.events(conversation, index, index + 1))[0]?.json;
    difference.there = files?.[`${conversation.replaceAll("-", "")}/${path}`];
  }
  return { state: mirrored.backup.state, differences, files };
};

/** Works on a conversation without end. What a user does meanwhile is chance, repeatable by `seed`. */
window.live = async ({ id, seed, round, limit, loses, seals, folder, mirroredTo, ...given }) => {
  const random = randomFrom(seed);
  tell(id, "begun");
  if (folder) tell(id, "left", await filesIn(await directory(folder)));
  const inBrowser = folder ? directoryStore(await directory(folder)) : indexedDBStore();
  const store = loses ? losing(inBrowser) : seals ? encryptedStore(inBrowser, { passphrase: "of the kills" }) : inBrowser;
  if (mirroredTo) {
    const place = mirroredTo.startsWith("http") ? undefined : await directory(mirroredTo);
    if (place) tell(id, "left", await filesIn(place));
    const backup = await mirror(store, place ? directoryStore(place) : httpPlace(mirroredTo));
    mirrored = { store, backup, folder: place, isEnding: false, ended: Promise.withResolvers() };
  }
  const conversation = await open({ ...given, id }, { store, limit });
  tell(id, "opened", await everything(conversation));
  const pending = await conversation.pendingActions();
  if (conversation.executionStatus === "waiting_for_confirmation") {
    const answer = random.of(["approve", "reject", "message"]);
    if (answer === "reject") await conversation.rejectPendingActions("not now");
    if (answer === "approve") await continuations.run(conversation, pending);
  } else if (pending.length > 0 && random.chance(0.5)) await conversation.run();

  for (let turn = 1; ; turn++) {
    const title = `${String(round).padStart(4, "0")}.${String(turn).padStart(4, "0")}`;
    await conversation.setTags({ title });
    tell(id, "title", title);
    await say(conversation, `Please do step ${turn} of round ${round}.`);
    const run = conversation.run();
    const meanwhile = disturb(conversation, random);
    await run;
    await meanwhile;
    // It may have been stopped, or a message came when it had ended.
    if (conversation.executionStatus !== "finished") await conversation.run();
    tell(id, "turn", { turn, status: conversation.executionStatus });
    if (mirrored?.isEnding) break;
  }
  await conversation.close();
  mirrored.ended.resolve();
};

/** Does what users do while an agent works. */
async function disturb(conversation, random) {
  const kind = random.between(0, 5);
  await new Promise((resolve) => setTimeout(resolve, random.between(0, 60)));
  if (kind === 0) await conversation.pause();
  else if (kind === 1) await conversation.interrupt();
  else if (kind <= 3) await say(conversation, "One more thing.");
}

function open({ id, baseUrl, replays }, { store = indexedDBStore(), limit = 1, fetch, afterAct, onEvent, ...options } = {}) {
  const llm = new LLM({ model: "scripted", baseUrl, numRetries: 1, ...(fetch && { fetch }) });
  const agent = new Agent({ llm, tools: replays.map((replay) => actTool(replay, afterAct)), toolConcurrencyLimit: limit });
  const callbacks = [(event) => tell(id, "event", event), ...(onEvent ? [onEvent] : [])];
  return Conversation.open({ agent, store, conversationId: id, callbacks, ...options });
}

/** The lock of a page that was just left may still be held. */
async function openAsWriter(given, options) {
  for (;;) {
    const conversation = await open(given, options);
    if (conversation.access === "writer") return conversation;
    await conversation.close();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A tool that acts upon the server of the test, which counts. */
function actTool(replay, afterAct) {
  return tool({
    name: `act_${replay}`,
    description: "Does something at a server that counts how often it is done.",
    parameters: { type: "object", properties: { what: { type: "string" } }, required: ["what"] },
    replay,
    async execute({ what }, { conversationId, idempotencyKey, signal }) {
      const body = JSON.stringify({ conversation: conversationId, key: idempotencyKey, replay, what });
      const response = await fetch("/act", { method: "POST", body, signal });
      await afterAct?.({ what });
      return response.text();
    },
  });
}

async function say(conversation, text) {
  tell(conversation.id, "message", await conversation.sendMessage(text));
}

/** Reports that the user allows these actions once more. */
function allow(conversation, actions) {
  tell(
    conversation.id,
    "approved",
    actions.map(({ id }) => id),
  );
}

/** The state of a conversation that the table compares. */
async function standing(conversation) {
  const pending = await conversation.pendingActions();
  return {
    status: conversation.executionStatus,
    pending: pending.map(({ action }) => action.data.what),
    risks: pending.map(({ id }) => conversation.securityRisks[id] ?? null),
    warnings: conversation.warnings.map(({ code }) => code),
    kinds: await kindsOf(conversation),
    copies: await copiesOf(conversation),
  };
}

/** The kinds of the events of each copy. */
async function copiesOf({ id }) {
  const copies = [];
  const baseUrl = location.origin;
  for (const { id: copy } of (await Conversation.list()).filter(({ title }) => title === id)) {
    const opened = await openAsWriter({ id: copy, baseUrl, replays: [] });
    copies.push(await kindsOf(opened));
    await opened.close();
  }
  return copies;
}

/** The content of a conversation, which the witness compares with the reports. */
async function everything({ access, warnings, state, events }) {
  return { access, warnings, state, length: events.length, events: await events.slice() };
}

async function kindsOf({ events }) {
  return (await events.slice()).map(({ kind }) => kind.replace("Event", ""));
}

/** The reports before it have arrived when this one has. */
function endOf({ id }, result) {
  tell(id, "end");
  return result;
}

/** A synchronous request that is never answered: no line of JavaScript runs after it. */
function stopThisPage() {
  const request = new XMLHttpRequest();
  request.open("GET", "/stopped", false);
  request.send();
}

document.title = "ready";
