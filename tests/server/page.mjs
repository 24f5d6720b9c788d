// In a page of these tests: a conversation on an agent server, and everything that was heard of it.
import { Agent, Conversation, LLM, agentServer, indexedDBStore } from "/threadkeep/index.js";
import { until as untilIt } from "../support/until.mjs";
import { everything } from "./stored.mjs";

/** What the handle of this page has told. */
const heard = [];

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
  conversation.subscribe((event) => void heard.push(event));
  Object.assign(globalThis, { conversation, store });
  return conversation.id;
}

/** Resolves to the first value of `condition` that is one. */
const until = (condition) => untilIt(condition, undefined, { of: conversation });

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
const isSent = () => until(async () => (await conversation.queue.list()).length === 0).then(() => {});

Object.assign(globalThis, { heard, open, until, ended, copied, told, said, isSent, everything, Conversation });
