// Requests beside the run: questions and titles, and their signals.
import { done, outcome, same } from "./kit.mjs";

const stalled = { text: "Never to be read.", stallAfter: 1 };

/** Cases of both: what to call with a signal. */
const stoppable = [
  ["askAgent()", (it, options) => it.askAgent("How far?", options)],
  ["generateTitle()", (it, options) => it.generateTitle(options)],
].flatMap(([name, call]) => [
  {
    name: `${name} with a signal that was aborted before`,
    setup: () => ({ replies: () => stalled }),
    async play({ conversation }) {
      await conversation.sendMessage("Go");
      const stopped = await outcome(call(conversation, { signal: AbortSignal.abort() }));
      same(stopped.code, "aborted");
      return stopped;
    },
  },
  {
    name: `${name} is stopped by its signal`,
    setup: ({ gate }) => ({ replies: () => (gate.open("asked"), stalled) }),
    async play({ conversation, gate }) {
      await conversation.sendMessage("Go");
      const controller = new AbortController();
      const asked = outcome(call(conversation, { signal: controller.signal }));
      await gate.passed("asked");
      controller.abort();
      const stopped = await asked;
      same(stopped.code, "aborted");
      return stopped;
    },
  },
  {
    name: `${name} with an unknown option`,
    async play({ conversation }) {
      await conversation.sendMessage("Go");
      const refused = await outcome(call(conversation, { singal: 1 }));
      same(refused.code, "invalid_options");
      return refused;
    },
  },
]);

export const sideCalls = [
  {
    name: "askAgent() answers, and writes no event",
    setup: () => ({ replies: [done, { text: "You said go." }] }),
    async play({ conversation, until }) {
      await conversation.sendMessage("Go");
      await conversation.run();
      const length = conversation.events.length;
      const answer = await conversation.askAgent("What did I say?");
      same([answer, conversation.events.length], ["You said go.", length]);
      await until(() => conversation.stats.usage_to_metrics["ask-agent-llm"]);
      return answer;
    },
  },
  {
    name: "askAgent() during a run",
    setup: ({ gate }) => ({
      replies: (body) =>
        JSON.stringify(body.messages.at(-1)).includes("How far")
          ? { text: "Nearly there." }
          : { text: "Done.", pace: () => (gate.open("began"), gate.passed("go on")) },
    }),
    async play({ conversation, gate }) {
      await conversation.sendMessage("Go");
      const run = conversation.run();
      await gate.passed("began");
      const answer = await conversation.askAgent("How far?");
      gate.open("go on");
      return [answer, await run];
    },
  },
  {
    name: "askAgent() that the server refuses",
    setup: () => ({ replies: [{ status: 401, body: { error: { message: "no such key" } } }] }),
    async play({ conversation }) {
      await conversation.sendMessage("Go");
      const failed = await outcome(conversation.askAgent("Well?"));
      same([failed.code, failed.status], ["llm_auth", 401]);
      return failed;
    },
  },
  {
    name: "generateTitle() makes a title",
    setup: () => ({ replies: [{ text: "A walk" }] }),
    async play({ conversation }) {
      await conversation.sendMessage("Let us go for a walk");
      return conversation.generateTitle({ maxLength: 20 });
    },
  },
  {
    name: "generateTitle() without a message",
    async play({ conversation }) {
      const refused = await outcome(conversation.generateTitle());
      same(refused.code, "invalid_state");
      return refused;
    },
  },
  {
    name: "generateTitle() with a length that is none",
    async play({ conversation }) {
      await conversation.sendMessage("Go");
      return outcome(conversation.generateTitle({ maxLength: 1 }));
    },
  },
  ...stoppable,
];
