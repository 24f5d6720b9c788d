// Conversations with branches, and copies of conversations.
import assert from "node:assert/strict";
import { eventsOf, say } from "../../../support/chat.mjs";

const prompt = "SystemPrompt";
const turn = ["Message", "Message"];
const sum = { name: "add", arguments: { a: 1, b: 2 } };
const idAt = async (conversation, index) => (await conversation.events.at(index)).id;

export const tree = {
  "a conversation that went back to an earlier answer": {
    breaks: true,
    replies: [{ text: "One." }, { text: "Two." }],
    kinds: [prompt, ...turn, ...turn],
    play: async ({ conversation }) => {
      await say(conversation, "First");
      await say(conversation, "Second");
      await conversation.navigateTo(await idAt(conversation, 2));
    },
  },
  "a second branch behind a call, and back on the first": {
    breaks: true,
    replies: [{ text: "Adding.", calls: [sum, sum] }, { text: "3 and 3." }, { text: "Otherwise." }],
    kinds: [prompt, "Message", "Action", "Action", "Observation", "Observation", "Message", ...turn],
    play: async ({ conversation }) => {
      await say(conversation, "First");
      const leaf = await idAt(conversation, -1);
      await conversation.navigateTo(await idAt(conversation, 0));
      await say(conversation, "Otherwise?");
      await conversation.navigateTo(leaf);
      assert.equal((await conversation.branches()).length, 1);
    },
  },
  "a branch that begins before the first event": {
    breaks: true,
    replies: [{ text: "One." }, { text: "Again." }],
    kinds: [prompt, ...turn, prompt, ...turn],
    play: async ({ conversation }) => {
      await say(conversation, "First");
      await conversation.navigateTo(null);
      await say(conversation, "From the beginning");
    },
  },
  "an answer generated again": {
    breaks: true,
    replies: [{ text: "One." }, { text: "Adding.", calls: [sum] }, { text: "3." }],
    kinds: [prompt, ...turn, "Action", "Observation", "Message"],
    play: async ({ conversation }) => {
      await say(conversation, "First");
      await conversation.regenerate();
    },
  },
  "an edited message with its answer": {
    breaks: true,
    replies: [{ text: "One." }, { text: "Two." }, { text: "Else." }],
    kinds: [prompt, ...turn, ...turn, ...turn],
    play: async ({ conversation }) => {
      await say(conversation, "First");
      await say(conversation, "Second");
      await conversation.editMessage(await idAt(conversation, 1), "Else?");
      await conversation.run();
    },
  },
  "a copy of a conversation with branches": {
    breaks: true,
    replies: [{ text: "One." }, { text: "Other one." }, { text: "Two." }],
    kinds: [prompt, ...turn, "Message", ...turn],
    play: async ({ conversation, t }) => {
      await say(conversation, "First");
      await conversation.regenerate();
      const copy = await conversation.fork({ title: "A copy", tags: { project: "x" }, resetMetrics: false });
      t.after(() => copy.close());
      assert.deepEqual(copy.state.tags, { project: "x", title: "A copy" });
      assert.deepEqual(copy.state.stats, conversation.state.stats);
      await say(copy, "Second");
      return copy;
    },
  },
  "a copy from an event": {
    breaks: true,
    replies: [{ text: "One." }, { text: "Two." }],
    kinds: [prompt, ...turn],
    play: async ({ conversation, t }) => {
      await say(conversation, "First");
      await say(conversation, "Second");
      const copy = await conversation.fork({ fromEventId: await idAt(conversation, 2) });
      t.after(() => copy.close());
      assert.deepEqual(await eventsOf(copy), (await eventsOf(conversation)).slice(0, 3));
      return copy;
    },
  },
};
