// Brings conversations to certain points, for the browser to be killed there; and opens them again afterwards.
import { Agent, Conversation, LLM, indexedDBStore, tool } from "/threadkeep/index.js";

const never = new Promise(() => {});

/**
 * Takes a conversation as far as `point`, where it stays, and resolves then.
 *   tool      step(1) has returned, step(2) is executing
 *   silence   the request has arrived, nothing of the answer
 *   answer    the first pieces of a text have come
 *   pause     pause() has resolved, and the model has still not answered
 *   paused-call  pause() has resolved, and after it came a call
 *   actions   the actions are stored, their tools have not begun; after this the page does nothing any more
 */
window.bring = async ({ id, baseUrl, replay, point }) => {
  const reached = Promise.withResolvers();
  const isAt = (here) => here === point && reached.resolve();
  const step = tool({
    ...stepTool(replay),
    execute: async ({ n }, context) => {
      await act(n, context);
      if (n === 1) return "step 1 is done";
      isAt("tool");
      return never;
    },
  });
  const begunFetch = async (...request) => {
    const answer = fetch(...request);
    isAt("silence");
    isAt("pause");
    isAt("paused-call");
    return answer;
  };
  const llm = new LLM({ model: "scripted", baseUrl, numRetries: 1, fetch: begunFetch });
  const conversation = await Conversation.open({
    agent: new Agent({ llm, tools: [step] }),
    conversationId: id,
    callbacks: [
      (event) => {
        if (event.kind === "ActionEvent" && point === "actions" && event.tool_call.arguments.includes("2")) stopThisPage();
      },
    ],
    tokenCallbacks: [() => isAt("answer")],
  });
  await conversation.sendMessage("Please do both steps.");
  const run = conversation.run();
  const ended = run.then(({ status }) => {
    throw new Error(`the run ended: ${status}`);
  });
  await Promise.race([reached.promise, ended]);
  if (point === "pause" || point === "paused-call") await conversation.pause();
  if (point === "paused-call") {
    ended.catch(() => {});
    await fetch(`/let-go?${id}`);
    await run;
  }
};

/** What became of a conversation, and what comes of `then`: "run", "message" or "reject". */
window.take_up = async ({ id, baseUrl, replay, then }) => {
  const step = tool({ ...stepTool(replay), execute: async ({ n }, context) => (await act(n, context), `step ${n} is done`) });
  const agent = new Agent({ llm: new LLM({ model: "scripted", baseUrl, numRetries: 1 }), tools: [step] });
  const conversation = await Conversation.open({ agent, conversationId: id, store: indexedDBStore() });
  const opened = {
    status: conversation.executionStatus,
    pending: (await conversation.pendingActions()).length,
    warnings: conversation.warnings.map(({ code }) => code),
    length: conversation.events.length,
  };
  if (then === "reject") await conversation.rejectPendingActions("not now");
  if (then !== "message") await conversation.run();
  await conversation.sendMessage("And now?");
  const { status, finalResponse } = await conversation.run();
  const kinds = (await conversation.events.slice()).map(({ kind }) => kind.replace("Event", ""));
  await conversation.close();
  return { opened, status, finalResponse, kinds };
};

function stepTool(replay) {
  return {
    name: "step",
    description: "Does a step.",
    parameters: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
    replay,
  };
}

/** The page's tools act upon the test's server, which counts. */
async function act(n, { conversationId, idempotencyKey }) {
  await fetch("/act", { method: "POST", body: JSON.stringify({ conversation: conversationId, n, key: idempotencyKey }) });
}

/** A synchronous request that is never answered: no line of JavaScript runs after it. */
function stopThisPage() {
  const request = new XMLHttpRequest();
  request.open("GET", "/stopped", false);
  request.send();
}

document.title = "ready";
