// Conversations that died in the middle of a tool or of an answer, as each of the ways to treat that leaves them.
import assert from "node:assert/strict";
import { memoryStore, tool } from "../../../../dist/index.js";
import { add, say } from "../../../support/chat.mjs";
import { eventsAmong, exported, unpacked } from "../../../support/files.mjs";
import { remains } from "../../../support/remains.mjs";
import { until } from "../../../support/until.mjs";
import { withoutMarks } from "./endings.mjs";

const begin = ["SystemPrompt", "Message"];
const work = { name: "work", arguments: {} };
const sum = { name: "add", arguments: { a: 1, b: 2 } };

const workOf = (replay, execute) =>
  tool({ name: "work", description: "Works.", parameters: { type: "object", properties: {} }, replay, execute });

/** Runs until `work` has begun, and gives what is in the store then to a new one, as a page that is opened again finds it. */
async function diesInWork({ open, t }, replay) {
  let begun;
  const hasBegun = new Promise((resolve) => (begun = resolve));
  const dying = await open({ tools: [workOf(replay, () => new Promise(() => begun())), add] });
  await dying.sendMessage("Work.");
  dying.run();
  await hasBegun;
  const files = unpacked(await exported(dying));
  // An export leaves as paused, whatever is going on.
  files.set("base_state.json", String(files.get("base_state.json")).replace('"execution_status":"paused"', '"execution_status":"running"'));
  const store = memoryStore();
  // Not as an import: calls that come in with a file wait for the user.
  const events = [...eventsAmong(files).values()].map(String).map((json) => ({ id: JSON.parse(json).id, json }));
  await store.commit(dying.id, {
    expectedLength: 0,
    events,
    baseState: String(files.get("base_state.json")),
    files: [],
    at: Date.now(),
    durability: "relaxed",
  });
  const worked = [];
  const tools = [workOf(replay, (_, { idempotencyKey }) => (worked.push(idempotencyKey), "worked")), add];
  const conversation = await open({ store, conversationId: dying.id, tools });
  return { dying, conversation, worked, t };
}

/** What is left of a conversation that has died while an answer streamed. */
async function diesInAnswer({ conversation: dying, store, open }) {
  await dying.sendMessage("Tell me.");
  dying.run();
  await until(async () => (await store.files(dying.id, "drafts")).length > 0, "its draft is stored");
  const conversation = await open({ store: await remains(store), conversationId: dying.id });
  assert.match(conversation.draft.content, /^Half/);
  return conversation;
}

/** An answer in which a page dies, and the next one. */
const inAnswer = [{ text: "Half of it is shown.", stallAfter: 3 }, { text: "In short." }];

const replies = [{ text: "Working.", calls: [work, sum] }, { text: "That is how it stands." }];

export const leftovers = {
  "exported while a tool runs": {
    breaks: true,
    pending: 2,
    replies,
    kinds: [...begin, "Action", "Action"],
    play: async (stage) => (await diesInWork(stage, "never")).dying,
  },
  "died in an answer, and asked something else": {
    breaks: true,
    replies: inAnswer,
    compared: withoutMarks,
    kinds: [...begin, "Message", "Message", "Message"],
    play: async (stage) => {
      const conversation = await diesInAnswer(stage);
      await say(conversation, "In short?");
      return conversation;
    },
  },
  "died in an answer, left, and come back to": {
    breaks: true,
    replies: inAnswer,
    compared: withoutMarks,
    kinds: [...begin, "Message", "Message", "Message"],
    play: async (stage) => {
      const conversation = await diesInAnswer(stage);
      const { message_id: id } = conversation.draft;
      await conversation.editMessage((await conversation.events.at(1)).id, "Tell me in short.");
      await conversation.run();
      await conversation.navigateTo(id);
      return conversation;
    },
  },
  "died in a call that is repeated": {
    replies,
    kinds: [...begin, "Action", "Action", "Observation", "Observation", "Message"],
    play: async (stage) => {
      const { conversation, worked } = await diesInWork(stage, "safe");
      assert.equal(conversation.executionStatus, "paused");
      await conversation.run();
      assert.equal(worked.length, 1);
      return conversation;
    },
  },
  "died in a call that is not repeated": {
    replies,
    kinds: [...begin, "Action", "Action", "AgentError", "Observation", "Message"],
    play: async (stage) => {
      const { conversation, worked } = await diesInWork(stage, "never");
      await conversation.run();
      assert.deepEqual(worked, []);
      return conversation;
    },
  },
  "died in a call that is asked about, and asked about": {
    breaks: true,
    pending: 2,
    replies,
    kinds: [...begin, "Action", "Action"],
    play: async (stage) => {
      const { conversation } = await diesInWork(stage, "ask");
      assert.equal(conversation.executionStatus, "waiting_for_confirmation");
      return conversation;
    },
  },
  "died in a call that is asked about, and approved": {
    replies,
    kinds: [...begin, "Action", "Action", "Observation", "Observation", "Message"],
    play: async (stage) => {
      const { conversation, worked } = await diesInWork(stage, "ask");
      await conversation.run();
      assert.equal(worked.length, 1);
      return conversation;
    },
  },
  "died in a call that is asked about, and rejected": {
    replies,
    kinds: [...begin, "Action", "Action", "UserRejectObservation", "UserRejectObservation", "Message"],
    play: async (stage) => {
      const { conversation, worked } = await diesInWork(stage, "ask");
      await conversation.rejectPendingActions("Not \ud83d now.");
      await conversation.run();
      assert.deepEqual(worked, []);
      return conversation;
    },
  },
  "died in a call that is asked about, and spoken to": {
    replies,
    kinds: [...begin, "Action", "Action", "AgentError", "UserRejectObservation", "Message", "Message"],
    play: async (stage) => {
      const { conversation, worked } = await diesInWork(stage, "ask");
      await say(conversation, "What happened?");
      assert.deepEqual(worked, []);
      return conversation;
    },
  },
};
