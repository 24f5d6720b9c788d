// An agent that is stopped: in the middle of an answer, in the middle of a tool, and between steps.
import { Agent, Conversation, LLM, indexedDBStore, tool } from "/threadkeep/index.js";

/** A tool that takes its time and never looks at its signal. */
const deaf = { begun: deferred(), ended: deferred() };

function deferred() {
  const made = {};
  made.promise = new Promise((resolve) => (made.resolve = resolve));
  return made;
}

async function open({ id, baseUrl }, options = {}) {
  const work = tool({
    name: "work",
    description: "Takes its time.",
    parameters: { type: "object", properties: {} },
    replay: "never",
    execute() {
      deaf.begun.resolve();
      return deaf.ended.promise;
    },
  });
  const llm = new LLM({ model: "openai/gpt-4o", baseUrl, apiKey: "sk-scripted", numRetries: 1 });
  return Conversation.open({ agent: new Agent({ llm, tools: [work] }), store: indexedDBStore(), conversationId: id, ...options });
}

const kinds = async ({ events }) => (await events.slice()).map(({ kind }) => kind.replace("Event", ""));

async function goOn(conversation) {
  const { status, finalResponse } = await conversation.run();
  return { status, finalResponse, kinds: await kinds(conversation) };
}

window.interruptInStream = async (given) => {
  const heard = deferred();
  const conversation = await open(given, { tokenCallbacks: [heard.resolve] });
  await conversation.sendMessage("Tell me.");
  const run = conversation.run();
  await heard.promise;
  await conversation.interrupt();
  const stopped = { status: (await run).status, kinds: await kinds(conversation) };
  return { stopped, after: await goOn(conversation) };
};

window.interruptInTool = async (given) => {
  const conversation = await open(given);
  await conversation.sendMessage("Work.");
  const run = conversation.run();
  await deaf.begun.promise;
  await conversation.interrupt();
  const stopped = { status: (await run).status, kinds: await kinds(conversation) };
  const after = await goOn(conversation);
  deaf.ended.resolve("too late");
  await deaf.ended.promise;
  await conversation.setTags({ title: "what came too late has had its chance" });
  return { stopped, after, late: await kinds(conversation) };
};

/** Pauses while the tool works. Whoever lets it end waits for the run. */
window.pauseInTool = async (given, lets) => {
  const conversation = await open(given);
  await conversation.sendMessage("Work.");
  const run = conversation.run();
  await deaf.begun.promise;
  await conversation.pause();
  if (lets) {
    deaf.ended.resolve("worked");
    await run;
  }
  return { status: conversation.executionStatus, kinds: await kinds(conversation) };
};

window.pauseBefore = async (given) => {
  const conversation = await open(given);
  await conversation.sendMessage("Wait.");
  await conversation.pause();
  return { status: conversation.executionStatus, kinds: await kinds(conversation) };
};

window.goOn = async (given) => {
  const conversation = await open(given);
  const found = conversation.executionStatus;
  return { found, ...(await goOn(conversation)) };
};

document.title = "ready";
