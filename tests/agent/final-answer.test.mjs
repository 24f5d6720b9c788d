// Structured final answers: what the model is sent, what is stored, and how invalid answers are repaired.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod";
import { Agent, Conversation, LLM, memoryStore } from "../../dist/index.js";
import { createModel } from "../support/model.mjs";
import { endOf } from "../support/ended.mjs";

const schema = {
  type: "object",
  properties: { city: { type: "string" }, degrees: { type: "integer", minimum: -90 } },
  required: ["city", "degrees"],
};
const finish = (args) => ({ calls: [{ name: "finish", arguments: args }] });
const valid = finish({ message: "It is mild.", city: "Bern", degrees: 12, summary: "Reports the weather" });

async function open(script, { finalAnswer = schema, ...options } = {}) {
  const model = createModel(script);
  const llm = new LLM({ model: "openai/gpt-4o", fetch: model.fetch, numRetries: 1 });
  const agent = new Agent({ llm, finalAnswer });
  const store = memoryStore();
  const conversation = await Conversation.open({ agent, store, ...options });
  return { model, agent, store, conversation };
}

async function ask(conversation) {
  await conversation.sendMessage("What is the weather?");
  return conversation.run();
}

test("the answer is returned, and stored as the SDK stores it", async () => {
  const { model, agent, store, conversation } = await open([valid]);
  assert.equal(await conversation.finalAnswer(), null);
  assert.deepEqual(endOf(await ask(conversation)), { status: "finished", finalResponse: "It is mild." });
  assert.deepEqual(await conversation.finalAnswer(), { city: "Bern", degrees: 12 });

  const sent = model.requests[0].body.tools.find(({ function: { name } }) => name === "finish").function.parameters;
  assert.deepEqual(Object.keys(sent.properties), ["summary", "message", "city", "degrees"]);
  assert.deepEqual(sent.required, ["message", "city", "degrees"]);
  const { tools, include_default_tools } = conversation.state.agent;
  assert.deepEqual(tools, [{ name: "FinishTool", params: { response_schema: schema } }]);
  assert.deepEqual(include_default_tools, ["ThinkTool"]);
  const action = (await conversation.events.slice()).find(({ kind }) => kind === "ActionEvent");
  assert.deepEqual(action.action, { message: "It is mild.", kind: "FinishAction" });
  await conversation.close();

  const again = await Conversation.open({ agent, store, conversationId: conversation.id });
  assert.deepEqual(await again.finalAnswer(), { city: "Bern", degrees: 12 });
  assert.deepEqual(again.warnings, []);
  await again.close();
});

test("an invalid answer and a plain text are sent back to the model", async () => {
  const wrong = finish({ message: "Warm.", city: "Bern", degrees: "warm" });
  const { model, conversation } = await open([wrong, { text: "It is mild in Bern." }, valid]);
  assert.equal((await ask(conversation)).status, "finished");
  assert.deepEqual(await conversation.finalAnswer(), { city: "Bern", degrees: 12 });
  assert.match(JSON.stringify(model.requests[1].body.messages.at(-1)), /Invalid call of 'finish': degrees: .*integer/);
  assert.match(JSON.stringify(model.requests[2].body.messages.at(-1)), /Call `finish` with all of its required arguments/);
  model.check();
  await conversation.close();
});

test("the third invalid answer ends the run, and the next run may try again", async () => {
  const wrong = finish({ message: "Warm.", city: "Bern" });
  const { conversation } = await open([{ text: "Mild." }, wrong, wrong, wrong, valid]);
  assert.equal((await ask(conversation)).status, "error");
  const last = await conversation.events.at(-1);
  assert.deepEqual([last.kind, last.code], ["ConversationErrorEvent", "FinalAnswerInvalid"]);
  assert.equal(await conversation.finalAnswer(), null);
  assert.equal((await conversation.run()).status, "finished");
  assert.deepEqual(await conversation.finalAnswer(), { city: "Bern", degrees: 12 });
  await conversation.close();
});

test("a Standard Schema checks what JSON Schema cannot, and transforms the answer", async () => {
  const finalAnswer = z.object({
    word: z
      .string()
      .refine((word) => word === [...word].reverse().join(""), "is no palindrome")
      .transform((word) => word.length),
  });
  const { model, conversation } = await open([finish({ message: "A", word: "ab" }), finish({ message: "B", word: "aba" })], {
    finalAnswer,
  });
  assert.equal((await ask(conversation)).status, "finished");
  assert.match(JSON.stringify(model.requests[1].body.messages.at(-1)), /word: is no palindrome/);
  assert.deepEqual(await conversation.finalAnswer(), { word: 3 });
  await conversation.close();
});

test("a message after the answer begins a task without an answer", async () => {
  const { conversation } = await open([valid, { text: "Hm." }, { text: "Hm, hm." }, { text: "No." }]);
  await ask(conversation);
  assert.equal((await ask(conversation)).status, "error");
  assert.equal(await conversation.finalAnswer(), null);
  await conversation.close();
});

test("mistakes in the schema are errors that name them", async () => {
  const object = (properties, more) => ({ type: "object", properties, ...more });
  for (const [finalAnswer, message] of [
    [7, /JSON Schema/],
    [{ type: "string" }, /type "object" with properties/],
    [object({}), /with properties/],
    [object({ message: {} }), /property message/],
    [object({ kind: {}, city: {} }), /property kind/],
    [object({ city: {} }, { anyOf: [] }), /keyword anyOf/],
    [object({ city: {} }, { additionalProperties: true }), /additionalProperties/],
    [object({ city: {} }, { required: ["town"] }), /require only names/],
    [z.string(), /type "object"/],
  ]) {
    await assert.rejects(
      open([], { finalAnswer }),
      ({ code, message: text }) => code === "invalid_options" && message.test(text),
      String(message),
    );
  }
});

test("a conversation that began without a schema, or with another one, stores the new one", async () => {
  const { agent, store, conversation } = await open([valid], {});
  await conversation.setTags({ kept: "yes" });
  const other = new Agent({ llm: agent.llm, finalAnswer: { type: "object", properties: { done: { type: "boolean" } } } });
  const none = new Agent({ llm: agent.llm });
  await conversation.close();
  for (const [used, schemas] of [
    [none, [schema]],
    [other, [other.finalAnswer]],
    [agent, [schema]],
  ]) {
    const again = await Conversation.open({ agent: used, store, conversationId: conversation.id });
    await again.sendMessage("Hello");
    const { tools, include_default_tools } = again.state.agent;
    assert.deepEqual(
      tools.map(({ params }) => params.response_schema),
      schemas,
    );
    assert.deepEqual(include_default_tools, ["ThinkTool"]);
    await again.close();
  }
  const plain = await Conversation.open({ agent: none, store });
  await plain.setTags({ kept: "yes" });
  await plain.close();
  const later = await Conversation.open({ agent, store, conversationId: plain.id });
  await later.sendMessage("Hello");
  assert.deepEqual(later.state.agent.include_default_tools, ["ThinkTool"]);
  await later.close();
});
