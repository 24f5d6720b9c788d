// Branches: moving HEAD, answering again, condensing.
import { confirming, done, note, noting, outcome, same } from "./kit.mjs";

const unknown = "6f3a3b0e-54d2-4f49-a8cc-0f4c6f9a2f11";
const answered = () => ({ replies: [{ text: "One." }, { text: "Two." }, { text: "Three." }] });
async function first({ conversation }) {
  const message = await conversation.sendMessage("Go");
  await conversation.run();
  return message;
}

export const branches = [
  {
    name: "navigateTo() an event",
    setup: answered,
    async play(player) {
      const { conversation } = player;
      const message = await first(player);
      await conversation.navigateTo(message.id);
      same(conversation.state.leaf_event_id, message.id);
      return [conversation.executionStatus, await conversation.run(), (await conversation.branches()).length];
    },
  },
  {
    name: "navigateTo() before the first event",
    setup: answered,
    async play(player) {
      await first(player);
      await player.conversation.navigateTo(null);
      return [await player.conversation.activeBranch(), await player.conversation.sendMessage("Anew")];
    },
  },
  {
    name: "navigateTo() an event that does not exist",
    setup: answered,
    async play(player) {
      await first(player);
      const refused = await outcome(player.conversation.navigateTo(unknown));
      same(refused.code, "not_found");
      return refused;
    },
  },
  {
    name: "navigateTo() while calls wait",
    setup: (kit) => ({ replies: [{ calls: [noting("x")] }], tools: [note(kit)], options: confirming }),
    async play({ conversation }) {
      const message = await conversation.sendMessage("Go");
      await conversation.run();
      const refused = await outcome(conversation.navigateTo(message.id));
      same(refused.code, "invalid_state");
      return refused;
    },
  },
  {
    name: "navigateTo() during a run",
    setup: ({ gate }) => ({ replies: [{ text: "One.", pace: () => gate.passed("go on") }] }),
    async play({ conversation, gate, until }) {
      const message = await conversation.sendMessage("Go");
      const run = conversation.run();
      await until(() => conversation.executionStatus === "running");
      const refused = await outcome(conversation.navigateTo(message.id));
      gate.open("go on");
      same(refused.code, "invalid_state");
      return [refused, await run];
    },
  },
  {
    name: "regenerate() answers again on a branch of its own",
    setup: answered,
    async play(player) {
      await first(player);
      const result = await player.conversation.regenerate();
      same(result.finalResponse, "Two.");
      return [result, await player.conversation.branches()];
    },
  },
  {
    name: "regenerate() without a message",
    setup: answered,
    async play({ conversation }) {
      const refused = await outcome(conversation.regenerate());
      same(refused.code, "invalid_state");
      return refused;
    },
  },
  {
    name: "regenerate() with a signal that was aborted before",
    setup: answered,
    async play(player) {
      await first(player);
      const stopped = await outcome(player.conversation.regenerate({ signal: AbortSignal.abort() }));
      return [stopped, (await player.conversation.branches()).length];
    },
  },
  {
    name: "regenerate() that a signal stops",
    setup: () => ({ replies: [done, { text: "It was a dark and stormy night", stallAfter: 3 }] }),
    async play(player) {
      await first(player);
      const controller = new AbortController();
      const run = outcome(player.conversation.regenerate({ signal: controller.signal }));
      await player.hears(({ kind, content }) => kind === "StreamingDeltaEvent" && content?.includes("dark"));
      controller.abort();
      const stopped = await run;
      same(stopped.code, "aborted");
      return stopped;
    },
  },
  {
    name: "regenerate() while calls wait",
    setup: (kit) => ({ replies: [{ calls: [noting("x")] }], tools: [note(kit)], options: confirming }),
    async play({ conversation }) {
      await conversation.sendMessage("Go");
      await conversation.run();
      return outcome(conversation.regenerate());
    },
  },
  {
    name: "editMessage() of an event that does not exist",
    setup: answered,
    async play(player) {
      await first(player);
      return outcome(player.conversation.editMessage(unknown, "x"));
    },
  },
  {
    name: "editMessage() of what is no message of the user",
    setup: answered,
    async play(player) {
      await first(player);
      const answer = await player.conversation.events.at(-1);
      return outcome(player.conversation.editMessage(answer.id, "x"));
    },
  },
  {
    name: "condense() without a condenser",
    setup: answered,
    async play(player) {
      await first(player);
      const refused = await outcome(player.conversation.condense());
      same(refused.code, "invalid_state");
      return refused;
    },
  },
  {
    name: "fork() copies what is stored",
    setup: answered,
    async play(player) {
      await first(player);
      const copy = await player.conversation.fork({ title: "A copy" });
      try {
        same([copy.access, copy.title], ["writer", "A copy"]);
        same(await copy.events.slice(), await player.conversation.events.slice());
        return (await copy.sendMessage("In the copy")).llm_message;
      } finally {
        await copy.close();
      }
    },
  },
];
