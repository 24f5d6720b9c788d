// Conversations whose run ends otherwise than with an answer, or is spoken to while it goes on.
import assert from "node:assert/strict";
import { tool } from "../../../../dist/index.js";
import { add, say } from "../../../support/chat.mjs";
import { deferred } from "../../../support/deferred.mjs";

const begin = ["SystemPrompt", "Message"];
const sum = { name: "add", arguments: { a: 1, b: 2 } };

/** A tool that reports its start, and ends on request or when it is aborted. */
function gate(name = "wait", more = {}) {
  const begun = deferred();
  const ended = deferred();
  const execute = (_, { signal }) => {
    begun.resolve();
    signal.addEventListener("abort", () => ended.reject(new Error("aborted")));
    return ended.promise;
  };
  ended.promise.catch(() => {});
  return {
    begun: begun.promise,
    end: ended.resolve,
    tool: tool({ name, description: "Waits.", parameters: { type: "object", properties: {} }, execute, ...more }),
  };
}

const wait = { name: "wait", arguments: {} };

/** Opens a conversation with a tool that waits, and runs until it has begun. */
const untilTheToolHasBegun = async ({ open }, more) => {
  const held = gate("wait", more);
  const conversation = await open({ tools: [held.tool, add] });
  await conversation.sendMessage("Wait.");
  const run = conversation.run();
  await held.begun;
  return { conversation, run, held };
};

const error = { type: "invalid_request_error" };

/** The messages without the sentences on answers that were cut off: the SDK has them in the answer, and the library in the user's place. */
export const withoutMarks = (messages) =>
  messages
    .map(({ content, ...message }) => ({
      ...message,
      content: Array.isArray(content)
        ? content.filter(({ text }) => !/^\[(This answer|The limit of this answer|Go on from there,) .*\]$/.test(text))
        : content,
    }))
    .filter(({ content }) => content?.length !== 0);

export const endings = {
  "interrupted in a tool": {
    replies: [{ text: "Waiting.", calls: [sum, wait, sum] }],
    kinds: [...begin, "Action", "Action", "Action", "Observation", "AgentError", "AgentError", "Interrupt"],
    play: async (stage) => {
      const { conversation, run } = await untilTheToolHasBegun(stage);
      await conversation.interrupt();
      assert.equal((await run).status, "paused");
      return conversation;
    },
  },
  "interrupted while the model answers": {
    breaks: true,
    replies: [{ text: "Never to be heard of.", stallAfter: 3 }],
    kinds: [...begin, "Interrupt"],
    play: async ({ conversation, model }) => {
      await conversation.sendMessage("Hi");
      const run = conversation.run();
      await model.arrived(1);
      await conversation.interrupt();
      assert.equal((await run).status, "paused");
    },
  },
  ...Object.fromEntries(
    [false, true].map((continues) => [
      `interrupted in the middle of an answer${continues ? ", and continued" : ""}`,
      {
        breaks: true,
        replies: [{ text: "Half of it is shown.", stallAfter: 3 }, ...(continues ? [{ text: "The rest." }, { text: "All." }] : [])],
        compared: withoutMarks,
        kinds: [...begin, "Message", "Interrupt", ...(continues ? ["Message", "Message", "Message"] : [])],
        play: async ({ conversation }) => {
          await conversation.sendMessage("Hi");
          const shown = deferred();
          const stop = conversation.subscribe(({ kind }) => kind === "StreamingDeltaEvent" && shown.resolve());
          const run = conversation.run();
          await shown.promise;
          stop();
          await conversation.interrupt();
          const { status, finalResponse } = await run;
          assert.deepEqual([status, finalResponse], ["paused", null]);
          const [, , { llm_message, extended_content }] = await conversation.events.slice();
          assert.match(llm_message.content[0].text, /^Half/);
          assert.deepEqual(extended_content, [{ cache_prompt: false, type: "text", text: "[This answer was stopped here.]" }]);
          if (!continues) return;
          assert.equal((await conversation.run()).status, "finished");
          assert.equal((await say(conversation, "And?")).finalResponse, "All.");
        },
      },
    ]),
  ),
  "aborted by a signal in a tool, and run again": {
    replies: [{ calls: [wait] }, { text: "Stopped, then." }],
    kinds: [...begin, "Action", "AgentError", "Interrupt", "Message"],
    play: async ({ open }) => {
      const held = gate();
      const conversation = await open({ tools: [held.tool] });
      await conversation.sendMessage("Wait.");
      const stop = new AbortController();
      const run = conversation.run({ signal: stop.signal });
      await held.begun;
      stop.abort("enough");
      await assert.rejects(run, { code: "aborted" });
      assert.equal((await conversation.run()).status, "finished");
      return conversation;
    },
  },
  "paused before it ran": {
    replies: [],
    kinds: [...begin, "Pause"],
    play: async ({ conversation }) => {
      await conversation.sendMessage("Hi");
      await conversation.pause();
      assert.equal(conversation.executionStatus, "paused");
    },
  },
  "paused in a tool, and continued": {
    replies: [{ calls: [wait] }, { text: "Done waiting." }],
    kinds: [...begin, "Action", "Pause", "Observation", "Message"],
    play: async (stage) => {
      const { conversation, run, held } = await untilTheToolHasBegun(stage);
      const paused = conversation.pause();
      held.end("waited");
      await paused;
      assert.equal((await run).status, "paused");
      assert.equal((await conversation.run()).status, "finished");
      return conversation;
    },
  },
  "more steps than it may take": {
    options: { maxIterationPerRun: 2 },
    replies: [{ calls: [sum] }, { calls: [{ name: "add", arguments: { a: 2, b: 2 } }] }, { text: "At last." }],
    kinds: [...begin, "Action", "Observation", "Action", "Observation", "ConversationError", "Message", "Message"],
    play: async ({ conversation }) => {
      assert.equal((await say(conversation, "On and on.")).status, "error");
      assert.equal((await say(conversation, "Go on.")).status, "finished");
    },
  },
  "a model that refuses the key, and then does not": {
    replies: [
      { status: 401, body: { error: { ...error, message: "Incorrect API key \ud83d", code: "invalid_api_key" } } },
      { text: "Hello." },
    ],
    kinds: [...begin, "ConversationError", "Message", "Message"],
    play: async ({ conversation }) => {
      await assert.rejects(say(conversation, "Hi"), { code: "llm_auth" });
      await say(conversation, "Hi again");
    },
  },
  ...failing({
    "a model that cannot be reached": [{ raw: "", breakAfter: 0 }, "network"],
    "a model that is busy": [{ status: 429, body: { error: { message: "slow down" } } }, "llm_rate_limit"],
    "a model that breaks down": [{ status: 500, body: "<html>oops</html>" }, "llm_unavailable"],
    "a history that is too long": [
      { status: 400, body: { error: { ...error, message: "maximum context length is 10 tokens", code: "context_length_exceeded" } } },
      "llm_context_window",
    ],
    "an answer that breaks off": [{ text: "Half an ans", breakAfter: 3 }, "network", ["Message"]],
    "an answer that is garbage": [{ raw: "data: {]\n\n" }, undefined],
  }),
  "more than it may spend": {
    options: { maxBudgetPerRun: 0.000001 },
    llm: { inputCostPerToken: 0.00001, outputCostPerToken: 0.00002 },
    replies: [{ calls: [sum] }, { text: "At last." }],
    kinds: [...begin, "Action", "Observation", "ConversationError", "Message", "Message"],
    play: async ({ conversation }) => {
      assert.equal((await say(conversation, "Whatever it costs.")).status, "error");
      assert.equal((await conversation.events.at(-1)).code, "MaxBudgetReached");
      assert.equal((await say(conversation, "Go on.")).status, "finished");
    },
  },
  "the same call again and again": {
    replies: [...Array(4).fill({ calls: [sum] }), { text: "Three, I see." }],
    kinds: [...begin, ...Array(4).fill(["Action", "Observation"]).flat(), "Message", "Message"],
    play: async ({ conversation }) => {
      assert.equal((await say(conversation, "Add.")).status, "stuck");
      assert.equal((await conversation.run()).status, "stuck");
      assert.equal((await say(conversation, "And?")).status, "finished");
    },
  },
  "a call that fails again and again": {
    replies: [...Array(4).fill({ calls: [{ name: "add", arguments: { a: "one" } }] }), { text: "I give up." }],
    kinds: [...begin, ...Array(3).fill(["Action", "AgentError"]).flat(), "Message", "Action", "AgentError", "Message", "Message"],
    play: async ({ conversation }) => {
      assert.equal((await say(conversation, "Add.")).status, "stuck");
      assert.match((await conversation.events.at(8)).llm_message.content[0].text, /last 3 calls of `add`/);
      assert.equal((await say(conversation, "And?")).status, "finished");
    },
  },
  "three empty answers": {
    replies: [{ text: "" }, { reasoning: "Hm." }, { text: " \n" }, { text: "Here I am." }],
    kinds: [...begin, "Message", "Message", "Message", "Message", "Message", "Message", "Message", "Message"],
    forgiven: /has no text|empty content|no content/,
    play: async ({ conversation }) => {
      assert.equal((await say(conversation, "Hi")).status, "stuck");
      assert.equal((await say(conversation, "Are you there?")).status, "finished");
    },
  },
  "an answer held back by the content filter": {
    replies: [{ text: "", finish: "content_filter" }, { text: "In other words." }],
    kinds: [...begin, "Message", "Message"],
  },
  "a question refused by the content filter": {
    replies: [{ status: 400, body: { error: { ...error, message: "filtered", code: "content_filter" } } }, { text: "In other words." }],
    kinds: [...begin, "Message", "Message"],
  },
  "an answer cut off by its length": {
    replies: [{ text: "As long as", finish: "length" }],
    compared: withoutMarks,
    kinds: [...begin, "Message"],
  },
  "an answer that names its sources": {
    replies: [{ text: "Yes [1].", beside: { citations: ["https://a.example/"] } }],
    kinds: [...begin, "Message"],
    play: async ({ conversation }) => {
      await say(conversation, "Is it?");
      const [, , { llm_message }] = await conversation.events.slice();
      assert.match(llm_message.responses_reasoning_item.encrypted_content, /a\.example/);
    },
  },
  "a call cut off by the answer's length": {
    replies: [{ calls: [{ name: "add", arguments: '{"a": 1, "b' }], finish: "length" }, { text: "Shorter." }],
    kinds: [...begin, "Action", "AgentError", "Message"],
  },
  "a message while a tool runs": {
    replies: [{ calls: [wait] }, { text: "Both." }],
    kinds: [...begin, "Action", "Observation", "Message", "Message"],
    play: async (stage) => {
      const { conversation, run, held } = await untilTheToolHasBegun(stage);
      const sent = conversation.sendMessage("And this.");
      held.end("waited");
      await sent;
      assert.equal((await run).status, "finished");
      return conversation;
    },
  },
  "a message while the model answers": {
    replies: [],
    kinds: [...begin, "Message", "Message", "Message"],
    play: async ({ conversation, model }) => {
      const heard = deferred();
      model.add({ text: "First.", pace: (write) => (write === 0 ? heard.promise : undefined) }, { text: "Second." });
      await conversation.sendMessage("One.");
      const run = conversation.run();
      await model.arrived(1);
      await conversation.sendMessage("Two.");
      heard.resolve();
      assert.equal((await run).finalResponse, "Second.");
    },
  },
};

/** The model fails once; the message after that is answered. */
function failing(failures) {
  const scenarios = Object.entries(failures).map(([name, [reply, code, shown = []]]) => [
    name,
    {
      replies: [reply, { text: "Hello." }],
      compared: withoutMarks,
      kinds: [...begin, ...shown, "ConversationError", "Message", "Message"],
      play: async ({ conversation }) => {
        await assert.rejects(say(conversation, "Hi"), code ? { name: "ThreadkeepError", code } : { name: "ThreadkeepError" });
        assert.equal(conversation.executionStatus, "error");
        await say(conversation, "Hi again");
      },
    },
  ]);
  return Object.fromEntries(scenarios);
}
