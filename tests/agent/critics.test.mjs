// Critics through the API: those of the SDK, one of the host, further attempts, and mistakes.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Agent, Conversation, LLM, memoryStore } from "../../dist/index.js";
import { createModel } from "../support/model.mjs";
import { finish } from "../support/chat.mjs";
import { endOf } from "../support/ended.mjs";

async function open(script, critic, options = {}) {
  const model = createModel(script);
  const llm = new LLM({ model: "openai/gpt-4o", fetch: model.fetch, numRetries: 1 });
  const conversation = await Conversation.open({ agent: new Agent({ llm, critic }), store: memoryStore(), ...options });
  return { model, conversation };
}

const ratings = async (conversation) => (await conversation.events.slice()).flatMap(({ critic_result }) => critic_result ?? []);

/** Errors that were reported on the console. */
const reported = [];
const { error } = console;
before(() => (console.error = (error) => reported.push(error)));
after(() => (console.error = error));

test("the critics of the SDK rate, and are stored with the conversation", async () => {
  for (const [kind, scores] of [
    ["PassCritic", [1, 1]],
    ["AgentFinishedCritic", [0, 1]],
  ]) {
    const { model, conversation } = await open([{ text: "Wait." }, finish()], { kind, iterativeRefinement: {} });
    for (const text of ["Go", "Go on"]) {
      await conversation.sendMessage(text);
      await conversation.run();
    }
    assert.deepEqual(
      (await ratings(conversation)).map(({ score }) => score),
      scores,
    );
    assert.deepEqual(conversation.state.agent.critic, {
      mode: "finish_and_message",
      iterative_refinement: { success_threshold: 0.6, max_iterations: 3 },
      kind,
    });
    assert.deepEqual(conversation.warnings, []);
    model.check();
    await conversation.close();
  }
});

test("a critic of the host gets the events, and its message reaches the agent", async () => {
  const seen = [];
  class Reviewer {
    mode = "finish_and_message";
    iterativeRefinement = { successThreshold: 0.5, maxIterations: 1 };
    async evaluate(events) {
      seen.push(events);
      return this.rate(events.at(-1));
    }
    rate({ action }) {
      return action.message === "Sources: none."
        ? { score: 0.2, message: "There are no sources.", metadata: { words: 2 } }
        : { score: 0.8 };
    }
  }
  const { model, conversation } = await open([finish("Sources: none."), finish("Sources: two.")], new Reviewer());
  await conversation.sendMessage("Write about tea");
  assert.deepEqual(endOf(await conversation.run()), { status: "finished", finalResponse: "Sources: two." });
  assert.deepEqual(
    seen.map((events) => events.map(({ kind }) => kind)),
    [
      ["SystemPromptEvent", "MessageEvent", "ActionEvent"],
      ["SystemPromptEvent", "MessageEvent", "ActionEvent", "ObservationEvent", "MessageEvent", "ActionEvent"],
    ],
  );
  assert.deepEqual(await ratings(conversation), [
    { score: 0.2, message: "There are no sources.", metadata: { words: 2 } },
    { score: 0.8, message: "" },
  ]);
  assert.match(JSON.stringify(model.requests[1].body.messages.at(-1)), /20 %.*There are no sources\./);
  assert.equal(conversation.state.agent_state.iterative_refinement_iteration, 1);
  assert.equal(conversation.state.agent.critic, undefined);
  model.check();
  await conversation.close();
});

test("a critic that fails leaves the answer without a rating, and its error is reported", async () => {
  const failures = [
    () => {
      throw new RangeError("no idea");
    },
    () => Promise.reject(new RangeError("no idea")),
    () => undefined,
    () => ({ score: 2 }),
    () => ({ score: NaN }),
    () => ({ message: "good" }),
  ];
  for (const evaluate of failures) {
    reported.length = 0;
    const { conversation } = await open([finish()], { evaluate, iterativeRefinement: {} });
    await conversation.sendMessage("Go");
    assert.equal((await conversation.run()).status, "finished");
    assert.deepEqual(await ratings(conversation), []);
    assert.equal(reported.length, 1, String(evaluate));
    await conversation.close();
  }
});

test("a fork and a reopened conversation have the critic that their agent has", async () => {
  const { conversation } = await open([finish()], { kind: "PassCritic" });
  await conversation.sendMessage("Go");
  const copy = await conversation.fork();
  await copy.run();
  assert.equal((await ratings(copy)).length, 1);
  await copy.close();
  await conversation.close();
});

test("the options of critics are checked", async () => {
  const wrong = [
    null,
    7,
    "PassCritic",
    {},
    { kind: "APIBasedCritic" },
    { kind: "PassCritic", evaluate() {} },
    { evaluate: 7 },
    { kind: "PassCritic", mode: "always" },
    ...[-0.1, 1.1, NaN, "x"].map((successThreshold) => ({ kind: "PassCritic", iterativeRefinement: { successThreshold } })),
    ...[0, 1.5, Infinity, "3"].map((maxIterations) => ({ kind: "PassCritic", iterativeRefinement: { maxIterations } })),
  ];
  for (const critic of wrong) {
    await assert.rejects(open([], critic), { code: "invalid_options" }, JSON.stringify(critic));
  }
});
