// The checks that `encrypted.test.mjs` runs inside its pages, one function each.
import { Agent, Conversation, LLM, directoryStore, encryptedStore, fileEditor, indexedDBStore, mirror, search } from "/threadkeep/index.js";
import { ScriptedModel } from "/support/model/script.mjs";
import { withQuickKeys } from "/support/quick-keys.mjs";
import { storeWith } from "/support/store-with.mjs";
import { directory } from "./opfs.mjs";
import { outcome } from "./stores.js";

const passphrase = "a passphrase of the test";

/** A store that stays open when one of the handles on it is closed. */
function unclosed(store) {
  const { name, spansConversations } = store;
  return storeWith(store, { name, spansConversations, close() {} });
}

/** A case of each kind. The whole suite holds in Node (tests/store/suite.test.mjs), and of the inner store alone in browsers. */
const oneOfEachKind = [
  "all_of_a_commit_is_stored",
  "of_two_writers_one_wins",
  "commits_under_way_together_keep_their_order",
  "nothing_is_stored_of_a_writer_that_was_replaced",
  "texts_come_back_exactly",
  "the_most_recently_updated_comes_first",
  "files_come_back_exactly",
  "files_of_another_conversation_are_in_the_transaction",
  "commits_can_be_read_after_reopening",
  "deletion_leaves_nothing",
];

/** What does not hold of these cases over a database, or over a directory. */
export async function failuresOver(kind) {
  const { checkStore } = await import("/threadkeep/testing.js");
  const inner = async (place) => (kind === "opfs" ? directoryStore(await directory(`suite/${place}`)) : indexedDBStore(`suite ${place}`));
  const opened = new Map();
  const open = async (place) => {
    const inside = unclosed(await inner(place));
    if (!opened.has(place)) opened.set(place, withQuickKeys(inside, passphrase));
    await opened.get(place);
    return encryptedStore(inside, { passphrase });
  };
  const reports = await checkStore(open, { only: oneOfEachKind });
  return reports.filter(({ failure }) => failure !== undefined);
}

const storeOf = (isEncrypted, name) => {
  const inner = indexedDBStore(name);
  return isEncrypted ? encryptedStore(inner, { passphrase }) : inner;
};

/** An agent that first does this with the editor, then says something. */
function agentThat(calls, text) {
  const script = new ScriptedModel((_, request) => (request === 0 && calls.length > 0 ? { calls } : { text }));
  const llm = new LLM({ model: "openai/gpt-4o", apiKey: "sk-0123456789abcdef", fetch: script.fetch });
  return new Agent({ llm, tools: [fileEditor()] });
}

/** Says, writes, names and finds these texts; resolves to what an export and the search have of it. */
export async function plant(isEncrypted, { message, answer, title, name, content }) {
  const store = storeOf(isEncrypted, "planted");
  const edit = { name: "file_editor", arguments: { command: "create", path: `/workspace/${name}`, file_text: content } };
  const conversation = await Conversation.open({ agent: agentThat([edit], answer), store, tags: { title } });
  await conversation.sendMessage(message);
  await conversation.run();
  const zip = await conversation.exportZip();
  await conversation.close();
  // What a mirror remembers of its place would stand beside the store.
  const files = new Map();
  const place = {
    name: "elsewhere",
    list: async (prefix) => [...files.keys()].filter((path) => path.startsWith(prefix)),
    read: async (path) => files.get(path),
    write: async (path, bytes) => void files.set(path, bytes),
    remove: async (path) => void files.delete(path),
  };
  const backup = await mirror(store, place);
  await backup.catchUp();
  backup.close();
  let found = await search(message, { store });
  while (found.pending > 0) found = await search(message, { store });
  return {
    hits: found.hits.map(({ excerpt }) => excerpt),
    zip: zip.byteLength ?? zip.size,
    mirrored: [...files.keys()].some((path) => path.endsWith(name)),
    titles: (await Conversation.list({ store })).map((each) => each.title),
  };
}

/** What a page finds after a restart. */
export async function read(secret) {
  const store = encryptedStore(indexedDBStore("planted"), secret);
  return outcome(Conversation.list({ store }).then((all) => all.map(({ title, updatedAt }) => [title, Number(updatedAt)])));
}

/** A conversation that this page writes; a second tab follows it with `follow`. */
export async function write(id) {
  const store = storeOf(true, "followed");
  window.conversation = await Conversation.open({ agent: agentThat([], "From the writer."), store, conversationId: id });
  await window.conversation.sendMessage("First.");
  await window.conversation.run();
  return window.conversation.access;
}

export async function follow(id) {
  const store = storeOf(true, "followed");
  window.store = store;
  const conversation = await Conversation.open({ agent: agentThat([], "From the follower."), store, conversationId: id });
  await conversation.sendMessage("Asked by the follower.");
  await conversation.run();
  return [conversation.access, (await conversation.activeBranch()).filter(({ kind }) => kind === "MessageEvent").length];
}

/** Opens an empty store by a passkey, adds a passphrase, and opens it again by each. */
export async function passkeys() {
  const inner = unclosed(indexedDBStore("passkeys"));
  const id = crypto.randomUUID();
  const first = encryptedStore(inner, { passkey: { name: "Chats of a test" } });
  const conversation = await Conversation.open({ agent: agentThat([], "Hi."), store: first, conversationId: id });
  await conversation.sendMessage("Under a passkey.");
  await conversation.close();
  await first.setSecret({ passphrase }, { current: { passkey: true } });
  const titles = async (secret) =>
    outcome(Conversation.list({ store: encryptedStore(inner, secret) }).then((all) => all.map(({ title }) => title)));
  return {
    passkey: await titles({ passkey: true }),
    passphrase: await titles({ passphrase }),
    wrong: await titles({ passphrase: "wrong" }),
  };
}

export async function withoutTheUser() {
  const inner = unclosed(indexedDBStore("passkeys"));
  return outcome(encryptedStore(inner, { passkey: true }).list());
}

/** The browser has lost the database: a page that opens a conversation that was in it is told. */
export async function lose(id) {
  const agent = agentThat([], "Hello.");
  const first = await Conversation.open({ agent, store: storeOf(true, "lost"), conversationId: id });
  await first.sendMessage("Keep this.");
  await first.close();
  indexedDBStore("lost").close();
  await new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase("lost");
    request.onsuccess = resolve;
    // A transaction that is under way still keeps a connection, which blocks it for a moment.
    request.onerror = () => reject(new Error("the database was not deleted"));
  });
  const again = await Conversation.open({ agent, store: storeOf(true, "lost"), conversationId: id });
  return again.warnings.map(({ code, message }) => [code, message]);
}
