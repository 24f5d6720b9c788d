// A conversation on an origin that gets full again and again, for `full.test.mjs`: one function for each step.
import { Agent, Conversation, LLM, indexedDBStore, storageStatus, tool } from "/threadkeep/index.js";
import { ScriptedModel } from "/support/model/script.mjs";
import { until } from "/support/until.mjs";

const store = indexedDBStore("full");
/** What was said in each round, and how often its call has run. */
let rounds;
/** When the disk gets full in this round, and what was stored then. */
let moment;
let stored;
let conversation;

/** Opens the conversation of these rounds, or begins one. */
export async function open(id, said) {
  rounds = said;
  const { fetch } = new ScriptedModel(async ({ messages }) => {
    const { call, answer } = rounds.at(-1);
    const isAnswered = messages.at(-1).role === "tool";
    await reached(isAnswered ? "last answer" : "answer");
    return isAnswered ? { text: answer } : { calls: [{ name: "note", arguments: { text: call } }] };
  });
  const note = tool({
    name: "note",
    description: "Notes a text.",
    parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    async execute() {
      const round = rounds.at(-1);
      round.executions++;
      await reached("result");
      return round.result;
    },
  });
  const llm = new LLM({ model: "openai/gpt-4o", fetch, numRetries: 0 });
  conversation = await Conversation.open({ agent: new Agent({ llm, tools: [note] }), store, ...(id && { conversationId: id }) });
  return conversation.id;
}

/** What a page can do that has opened it before there is room. */
export async function readOnly() {
  const refused = await conversation.takeOver().then(
    () => undefined,
    ({ code }) => code,
  );
  const kinds = (await conversation.events.slice()).map(({ kind }) => kind);
  const isExported = (await conversation.exportZip()).size > 0;
  const isWarned = conversation.warnings.some(({ code }) => code === "store_quota");
  return { isWriter: conversation.access === "writer", isWarned, refused, isExported, kinds };
}

export const takeOver = () => conversation.takeOver();

async function reached(now) {
  if (now !== moment) return;
  moment = undefined;
  await fill();
  stored = await contents();
}

/** Fills the origin with other data of the app, until a kilobyte is too much. */
async function fill() {
  for (let size = 1 << 20; size >= 1024; ) {
    const content = new Uint8Array(size);
    for (let at = 0; at < size; at += 65_536) crypto.getRandomValues(content.subarray(at, at + 65_536));
    await otherData((rows) => rows.add(content)).catch((error) => {
      if (error?.name !== "QuotaExceededError") throw error;
      size /= 2;
    });
  }
}

/** Removes that data, and resolves once the browser has the room: it removes files a while later. */
export async function makeRoom() {
  await otherData((rows) => rows.clear());
  const estimate = () => navigator.storage.estimate();
  const isRoom = async () => {
    const { usage, quota } = await estimate();
    return usage < 0.9 * quota;
  };
  await until(isRoom, "there is room", { seen: estimate });
}

async function otherData(change) {
  const database = await new Promise((resolve, reject) => {
    const request = indexedDB.open("other data");
    request.onupgradeneeded = () => request.result.createObjectStore("rows", { autoIncrement: true });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  try {
    await new Promise((resolve, reject) => {
      const transaction = database.transaction("rows", "readwrite");
      change(transaction.objectStore("rows"));
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
}

/** All that is stored of the conversation, as text. */
async function contents() {
  const { id } = conversation;
  const listing = await store.load(id);
  const files = {};
  for (const path of await store.files(id)) files[path] = new TextDecoder().decode(await store.readFile(id, path));
  return JSON.stringify({ listing, events: listing ? await store.events(id, 0, listing.length) : [], files });
}

/** A text that takes more than is left, and is told apart from all others. */
const long = (what) => `${what} ${Array.from({ length: 700 }, () => Math.random().toString(36).slice(2)).join(" ")}`;

/** Goes through a round in which the disk gets full at that moment, as far as it comes. */
export async function begin(at) {
  rounds.push({ message: long("message"), call: long("call"), result: long("result"), answer: long("answer"), executions: 0 });
  moment = at;
  await reached("message");
  const code = await goOn().then(
    () => "no error",
    (error) => error.code,
  );
  const isAsBefore = (await contents()) === stored;
  const { usage, conversations } = await storageStatus({ store });
  return { code, isAsBefore, usage, sizes: conversations.map(({ id, bytes }) => ({ id, bytes })), rounds };
}

/** Sends the message of the round, if that is not done, and runs. */
export async function goOn() {
  const round = rounds.at(-1);
  if (!round.isSent) await conversation.sendMessage(round.message);
  round.isSent = true;
  return (await conversation.run()).status;
}

/** What the log says in the order of its events, and what was to be said. */
export async function told() {
  const events = (await conversation.events.slice()).slice(1);
  const texts = events.map((event) => {
    if (event.kind === "MessageEvent") return event.llm_message.content[0].text;
    if (event.kind === "ActionEvent") return JSON.parse(event.tool_call.arguments).text;
    return event.observation?.content[0].text ?? event.kind;
  });
  return { texts, ids: events.map(({ id }) => id), rounds };
}
