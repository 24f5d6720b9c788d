// In a page of these tests: a conversation on an agent server, and everything that was heard of it.
import { Agent, Conversation, LLM, agentServer, indexedDBStore } from "/threadkeep/index.js";
import { everything } from "./stored.mjs";

const longest = 60_000;

/** What the handle of this page has told. */
const heard = [];
let watchers = [];

/** Opens it as `conversation`; without `id` a new one. `given` is what `agentServer()` takes, and `baseUrl` of the model. */
async function open({ id, store: name, baseUrl, ...given }) {
  const llm = new LLM({ model: "openai/scripted", apiKey: "sk-scripted", baseUrl });
  const store = indexedDBStore(name);
  const conversation = await Conversation.open({
    agent: new Agent({ llm }),
    store,
    home: agentServer(given),
    ...(id && { conversationId: id }),
  });
  heard.length = 0;
  conversation.subscribe((event) => {
    heard.push(event);
    check();
  });
  Object.assign(globalThis, { conversation, store });
  return conversation.id;
}

function check() {
  watchers = watchers.filter((look) => !look());
}

/** Resolves to the first value of `condition` that is one, which is asked for after each event and now and then. */
function until(condition) {
  return new Promise((resolve, reject) => {
    const end = performance.now() + longest;
    const look = () => {
      const value = condition();
      const isLate = !value && performance.now() > end;
      if (isLate) reject(new Error(`not within ${longest / 1000} s: ${condition}`));
      if (!value && !isLate) return false;
      clearInterval(timer);
      if (value) resolve(value);
      return true;
    };
    const timer = setInterval(look, 25);
    watchers.push(look);
    check();
  });
}

/** How a call ends: `{ value }`, or `{ code, message }`. */
function ended(call) {
  return call.then(
    (value) => ({ value }),
    ({ code, message }) => ({ code, message }),
  );
}

/** The events of the copy as they are stored. */
async function copied() {
  return (await store.events(conversation.id, 0, 100_000)).map(({ json }) => json);
}

/** The ids of the stored events that were heard, in this order. */
function told() {
  return heard.map(({ id }) => id).filter((id) => id !== undefined);
}

/** The text of a message. */
function said({ llm_message }) {
  return llm_message.content.map(({ text }) => text).join("");
}

/** Resolves once no message waits for the server. */
async function isSent() {
  while ((await conversation.queue.list()).length > 0) await new Promise((resolve) => setTimeout(resolve, 25));
}

Object.assign(globalThis, { heard, open, until, ended, copied, told, said, isSent, everything, Conversation });
