// Conversations whose host has hooks: their feedback and their refusals are in the log, and both sides read them.
import assert from "node:assert/strict";
import { say } from "../../../support/chat.mjs";

const begin = ["SystemPrompt", "Message"];
const sum = { name: "add", arguments: { a: 1, b: 2 } };
const deny = (reason) => ({ decision: "deny", reason });
const once = (decision) => {
  let times = 0;
  return () => (times++ === 0 ? decision : undefined);
};

const asked = [];
const remember = (result) => (input) => {
  asked.push(input);
  return result;
};

export const hooked = {
  "hooks around everything": {
    replies: [{ text: "Adding.", calls: [sum] }, { text: "3." }],
    kinds: [
      "SystemPrompt",
      "HookExecution",
      "HookExecution",
      "Message",
      "HookExecution",
      "Action",
      "Observation",
      "HookExecution",
      "Message",
      "HookExecution",
      "HookExecution",
    ],
    options: {
      hooks: {
        sessionStart: remember(),
        userPromptSubmit: remember({ decision: "allow", additionalContext: "It is raining \u2014 \u{1f327}." }),
        preToolUse: remember({ decision: "allow", reason: "harmless" }),
        postToolUse: async (input) => remember()(input),
        stop: remember(null),
        sessionEnd: () => {
          throw new Error("too late");
        },
      },
    },
    play: async ({ conversation, open }) => {
      asked.length = 0;
      await say(conversation, "What is 1 + 2?");
      await conversation.close();
      const reported = asked.map(({ event_type }) => event_type);
      assert.deepEqual(reported, ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"]);
      assert.ok(asked.every(({ session_id }) => session_id === conversation.id));
      assert.deepEqual(asked[2].tool_input, { a: 1, b: 2 });
      assert.equal(asked[3].tool_response.content[0].text, "3");
      const again = await open({ conversationId: conversation.id, hooks: undefined });
      const last = await again.events.at(-1);
      assert.deepEqual([last.hook_event_type, last.success, last.error], ["SessionEnd", false, "too late"]);
      return again;
    },
  },
  "a hook denies one of two calls": {
    replies: [{ text: "Both.", calls: [sum, sum] }, { text: "One was not allowed." }],
    kinds: [...begin, "HookExecution", "HookExecution", "Action", "Action", "UserRejectObservation", "Observation", "Message"],
    options: { hooks: { preToolUse: once(deny("not here")) } },
  },
  "a hook denies the end twice over": {
    replies: [{ calls: [{ name: "finish", arguments: { message: "Done." } }] }, { text: "Done?" }, { text: "Done!" }],
    kinds: [
      ...begin,
      "HookExecution",
      "Action",
      "UserRejectObservation",
      "Message",
      "HookExecution",
      "Message",
      "Message",
      "HookExecution",
    ],
    options: { hooks: { preToolUse: deny.bind(null, "write a test first"), stop: once(deny("and run it")) } },
  },
  "a hook that throws before a tool": {
    replies: [{ calls: [sum] }, { text: "It did not run." }],
    kinds: [...begin, "HookExecution", "Action", "UserRejectObservation", "Message"],
    options: { hooks: { preToolUse: () => ({ decision: "maybe" }) } },
  },
  "a hook denies a message": {
    replies: [{ text: "This one I may answer." }],
    kinds: ["SystemPrompt", "HookExecution", "Message", "HookExecution", "Message", "Message"],
    options: { hooks: { userPromptSubmit: once(deny("forbidden")) } },
    play: async ({ conversation }) => {
      const { id } = await conversation.sendMessage("Forbidden");
      assert.deepEqual(conversation.state.blocked_messages, { [id]: "forbidden" });
      assert.equal((await conversation.run()).status, "finished");
      assert.deepEqual(conversation.state.blocked_messages, {});
      await say(conversation, "Allowed");
    },
  },
  "a hook denies a message that nobody ran": {
    replies: [],
    kinds: ["SystemPrompt", "HookExecution", "Message"],
    options: { hooks: { userPromptSubmit: once(deny("forbidden")) } },
    play: async ({ conversation }) => void (await conversation.sendMessage("Forbidden")),
  },
  "a denied call waits": {
    replies: [{ text: "Adding.", calls: [sum] }],
    pending: 1,
    answered: "UserRejectObservation",
    kinds: [...begin, "HookExecution", "Action"],
    options: { hooks: { preToolUse: once(deny("not here")) }, confirmationPolicy: { kind: "AlwaysConfirm" } },
    play: async ({ conversation }) => {
      assert.equal((await say(conversation, "What is 1 + 2?")).status, "waiting_for_confirmation");
      const [{ id }] = await conversation.pendingActions();
      assert.deepEqual(conversation.state.blocked_actions, { [id]: "not here" });
    },
  },
};
