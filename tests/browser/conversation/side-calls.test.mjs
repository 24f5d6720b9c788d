// Questions, titles and critics in real browsers: their part of the library is loaded only when it is needed, a question during a run
// disturbs nothing, and after a reload an attempt that the critic demanded is made, and demanded once.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createModel } from "../../support/model.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.close());

const finish = (message) => ({ calls: [{ name: "finish", arguments: { message } }] });

/** Opens the conversation with a critic of the host, and runs until the model is asked for another attempt, or to the end. */
async function attempt(baseUrl, conversationId, untilDemanded) {
  const { Agent, Conversation, LLM, indexedDBStore } = await import("/threadkeep/index.js");
  const critic = { evaluate: (events) => ({ score: events.at(-1).action.message === "Better." ? 1 : 0.1 }), iterativeRefinement: {} };
  const agent = new Agent({ llm: new LLM({ model: "openai/gpt-4o", baseUrl, numRetries: 1 }), critic });
  const conversation = await Conversation.open({ agent, conversationId, store: indexedDBStore("side-calls") });
  if (conversation.events.length === 0) await conversation.sendMessage("Work");
  const demanded = new Promise((resolve) => {
    conversation.subscribe(({ kind, source }) => kind === "MessageEvent" && source === "user" && resolve("demanded"));
  });
  const run = conversation.run();
  if (untilDemanded) return demanded;
  const { finalResponse } = await run;
  const events = await conversation.events.slice();
  return {
    finalResponse,
    ratings: events.flatMap(({ critic_result }) => critic_result?.score ?? []),
    messages: events.filter(({ kind, source }) => kind === "MessageEvent" && source === "user").length,
    attempts: conversation.state.agent_state.iterative_refinement_iteration,
  };
}

/** Asks while the model answers, and then for a title. */
async function askInBetween(baseUrl) {
  const { Agent, Conversation, LLM, indexedDBStore } = await import("/threadkeep/index.js");
  const agent = new Agent({ llm: new LLM({ model: "openai/gpt-4o", baseUrl, numRetries: 1 }) });
  const conversation = await Conversation.open({ agent, store: indexedDBStore("side-calls") });
  await conversation.sendMessage("Go");
  const run = conversation.run();
  const answer = await conversation.askAgent("How far are you?");
  const status = conversation.executionStatus;
  // The model goes on with the run when it is asked this.
  await conversation.askAgent("How long still?");
  const { finalResponse } = await run;
  return {
    answer,
    status,
    finalResponse,
    title: await conversation.generateTitle(),
    length: conversation.events.length,
  };
}

for (const kind of availableBrowsers) {
  test(`${kind}: a question during a run, and a title`, async () => {
    const browser = await tabs(kind);
    let goOn;
    const asked = new Promise((resolve) => (goOn = resolve));
    const model = createModel(({ messages }) => {
      const last = JSON.stringify(messages.at(-1));
      if (last.includes("How far")) return { text: "Nearly there." };
      if (last.includes("How long")) return goOn(), { text: "Not long." };
      return last.includes("Write a title") ? { text: "🚀 Go" } : { text: "Done.", pace: () => asked };
    });
    const { baseUrl, close } = await model.listen();
    try {
      await browser.page(`${server.origin}/pages/blank.html`);
      const result = await browser.evaluate(askInBetween, baseUrl);
      assert.deepEqual(result, {
        answer: "Nearly there.",
        status: "running",
        finalResponse: "Done.",
        title: "🚀 Go",
        length: 3,
      });
    } finally {
      await browser.close();
      await close();
    }
  });

  test(`${kind}: an attempt that a critic demanded is made after a reload, and demanded once`, async () => {
    const browser = await tabs(kind);
    const model = createModel([finish("Bad."), { text: "Never read.", stallAfter: 1 }, finish("Better.")]);
    const { baseUrl, close } = await model.listen();
    try {
      const conversation = crypto.randomUUID();
      const page = await browser.page(`${server.origin}/pages/blank.html`);
      assert.equal(await browser.evaluate(attempt, baseUrl, conversation, true), "demanded");
      await model.arrived(2);
      await page.reload();
      const result = await browser.evaluate(attempt, baseUrl, conversation);
      assert.deepEqual(result, { finalResponse: "Better.", ratings: [0.1, 1], messages: 2, attempts: 1 });
      model.check();
    } finally {
      await browser.close();
      await close();
    }
  });
}
