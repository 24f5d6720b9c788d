// A handle for homes.bench.js whose writer is elsewhere: tells when it hears what, and calls what it is asked to call.
import { Agent, Conversation, LLM, indexedDBStore } from "/threadkeep/index.js";

const now = () => performance.timeOrigin + performance.now();
let conversation;

async function open(name, conversationId, tells) {
  const agent = new Agent({ llm: new LLM({ model: "openai/gpt-4o", baseUrl: "https://model.invalid" }) });
  conversation = await Conversation.open({ agent, store: indexedDBStore(name), conversationId });
  if (conversation.home === "here") throw new Error("it is no follower");
  let length = 0;
  const tell = (key, at) => tells && postMessage({ key, at });
  conversation.subscribe((event) => {
    const at = now();
    if (event.kind === "StreamingDeltaEvent") {
      length += event.content?.length ?? 0;
      tell(`${event.message_id} ${length}`, at);
    } else if (event.id) {
      length = 0;
      tell(event.id, at);
    }
  });
  // The way to the writer is open.
  await conversation.setTags({ title: "opened" });
}

onmessage = async ({ data: { number, verb, args } }) => {
  try {
    await (verb === "open" ? open(...args) : conversation[verb](...args));
    postMessage({ number });
  } catch (error) {
    postMessage({ number, error: String(error?.message ?? error) });
  }
};
