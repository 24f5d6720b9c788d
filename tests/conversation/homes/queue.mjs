// Messages that wait for the agent: seen, edited and taken back.
import { done, outcome, same, sleeping, slow } from "./kit.mjs";

const unknown = "6f3a3b0e-54d2-4f49-a8cc-0f4c6f9a2f11";
const setup = (kit) => ({ replies: [sleeping, done, done], tools: [slow(kit)] });
/** Begins a run whose tool takes its time, and sends messages meanwhile. */
async function busy({ conversation, gate }, ...texts) {
  await conversation.sendMessage("Go");
  const run = conversation.run();
  await gate.passed("began");
  const sent = [];
  for (const text of texts) sent.push(await conversation.sendMessage(text));
  return { sent, end: () => (gate.open("go on"), run) };
}

export const queue = [
  {
    name: "queue.list() without messages",
    async play({ conversation }) {
      const listed = await conversation.queue.list();
      same(listed, []);
      return listed;
    },
  },
  {
    name: "queue.list() has what was sent during a run, in its order",
    setup,
    async play(player) {
      const { sent, end } = await busy(player, "One", "Two");
      const listed = await player.conversation.queue.list();
      same(listed, sent);
      return [listed, await end(), await player.conversation.queue.list()];
    },
  },
  {
    name: "queue.edit() puts another message in its place",
    setup,
    async play(player) {
      const { sent, end } = await busy(player, "One", "Two");
      const edited = await player.conversation.queue.edit(sent[0].id, "One, rather");
      return [edited, await player.conversation.queue.list(), await end()];
    },
  },
  {
    name: "queue.remove() takes a message back",
    setup,
    async play(player) {
      const { sent, end } = await busy(player, "One", "Two");
      const nothing = (await player.conversation.queue.remove(sent[0].id)) ?? null;
      return [nothing, await player.conversation.queue.list(), await end()];
    },
  },
  {
    name: "queue.remove() of an unknown message",
    setup,
    async play(player) {
      const { end } = await busy(player, "One");
      const refused = await outcome(player.conversation.queue.remove(unknown));
      same(refused.code, "not_found");
      return [refused, await end()];
    },
  },
  {
    name: "queue.edit() of a message that was read",
    setup: () => ({ replies: [done] }),
    async play({ conversation }) {
      const { id } = await conversation.sendMessage("Go");
      await conversation.run();
      const refused = await outcome(conversation.queue.edit(id, "Stop"));
      same(refused.code, "invalid_state");
      return refused;
    },
  },
  {
    name: "queue.edit() with what is no message",
    setup,
    async play(player) {
      const { sent, end } = await busy(player, "One");
      return [await outcome(player.conversation.queue.edit(sent[0].id, 7)), await end()];
    },
  },
];
