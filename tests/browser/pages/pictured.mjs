// Threads of picture.test.mjs, with what each of them showed, in order.
import { Agent, Conversation, LLM, encryptedStore, indexedDBStore, tool, updateConversations } from "/threadkeep/index.js";
import { openThread } from "/threadkeep/thread.js";

const look = tool({
  name: "look",
  description: "Looks.",
  parameters: { type: "object" },
  execute: async (_, context) => `seen with ${await context.secret("KEY")}`,
});
const pay = tool({
  name: "pay",
  description: "Pays.",
  parameters: { type: "object" },
  annotations: { destructiveHint: true },
  execute: () => "paid",
});
const agent = new Agent({ llm: new LLM({ model: "openai/m", baseUrl: "/v1", apiKey: "none" }), tools: [look, pay] });
const sealed = () => encryptedStore(indexedDBStore("sealed"), { passphrase: "a passphrase of a test" });
let thread;

/** Resolves when this page has looked for a picture, and has shown what it found: threads tell of changes with the next frame. */
let looked;

function watch() {
  const { transaction } = IDBDatabase.prototype;
  looked = new Promise((resolve) => {
    IDBDatabase.prototype.transaction = function (names, ...more) {
      const begun = transaction.call(this, names, ...more);
      if ([names].flat().includes("pictures"))
        begun.addEventListener("complete", () => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      return begun;
    };
  });
}

/** Opens a thread; `shown()` has each different state of it. */
export function open(conversationId, isSealed = false) {
  watch();
  thread = openThread({ agent, conversationId, secrets: { KEY: "kept-from-all" }, ...(isSealed && { store: sealed() }) });
  window.states = [];
  const note = () => {
    const { phase, messages, title, approvals } = thread.getSnapshot();
    const texts = messages.map(({ parts }) => parts.map(inShort).join(" | "));
    const state = JSON.stringify([phase, title, texts, approvals.length]);
    if (window.states.at(-1) !== state) window.states.push(state);
  };
  thread.subscribe(note);
  note();
}

const inShort = (part) => (part.type === "tool" ? `${part.toolName}: ${part.state} ${part.value ?? ""}` : part.text);

export const shown = () => window.states.map((state) => JSON.parse(state));
export const hasLooked = () => looked;
export const send = (text) => thread.send(text).then(() => undefined);
export const close = () => thread.close();

/** Resolves when the open thread has told of itself, which it does with the next frame. */
export async function opened() {
  await thread.opened();
  while (!shown().some(([phase]) => phase === "open")) await pause();
}

/** Resolves when nothing runs. */
export async function idle() {
  while (thread.getSnapshot().isRunning || thread.getSnapshot().messages.at(-1)?.role === "user") await pause();
}

/** Resolves to the texts of the picture that is there, once it has one that `has` is in. */
export async function kept(id, has, database = "threadkeep") {
  for (;;) {
    const texts = await pictures(database);
    const own = texts.filter(([key]) => key === id.replaceAll("-", "")).map(([, row]) => JSON.stringify(row));
    if (own.some((text) => text.includes(has))) return own;
    await pause();
  }
}

/** The rows of the table of pictures, with their keys. */
export async function pictures(name = "threadkeep") {
  const database = await answer(indexedDB.open(name));
  try {
    const table = database.transaction("pictures").objectStore("pictures");
    const [keys, rows] = await Promise.all([answer(table.getAllKeys()), answer(table.getAll())]);
    return keys.map((key, at) => [key, rows[at]]);
  } finally {
    database.close();
  }
}

/** What happens to a conversation without a thread. */
export const changes = {
  delete: (id) => Conversation.delete(id),
  trash: (id) => updateConversations(id, { trashed: true }),
  async message(id) {
    const conversation = await Conversation.open({ agent, conversationId: id });
    await conversation.sendMessage("From another tab");
    await conversation.close();
  },
  async title(id) {
    const conversation = await Conversation.open({ agent, conversationId: id });
    await conversation.setTags({ title: "Another" });
    await conversation.close();
  },
  async back(id) {
    const conversation = await Conversation.open({ agent, conversationId: id });
    await conversation.navigateTo((await conversation.activeBranch()).find(({ kind }) => kind === "MessageEvent").id);
    await conversation.close();
  },
};
export const change = async (name, id) => void (await changes[name](id));

const pause = () => new Promise((resolve) => setTimeout(resolve, 20));

function answer(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
