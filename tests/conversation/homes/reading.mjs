// What only reads is the same everywhere, right after a call has resolved.
import { confirming, done, note, noting, same } from "./kit.mjs";

const setup = (kit) => ({ replies: [{ text: "Noting.", calls: [noting("a")] }, done], tools: [note(kit)] });

/** A case that reads after a run with a call. */
const reads = (name, read) => ({
  name: `${name} after a run`,
  setup,
  async play({ conversation }) {
    await conversation.sendMessage("Go");
    await conversation.run();
    return read(conversation);
  },
});

export const reading = [
  reads("events", async ({ events }) => [events.length, await events.at(0), await events.at(-1), await events.slice(1, 3)]),
  reads("an iteration over events", async ({ events }) => {
    const kinds = [];
    for await (const { kind } of events) kinds.push(kind);
    return kinds;
  }),
  reads("getIndex() and getId()", async ({ events }) => {
    const { id } = await events.at(1);
    same([await events.getIndex(id), await events.getId(1)], [1, id]);
    return id;
  }),
  reads("activeBranch()", (it) => it.activeBranch({ limit: 2 })),
  reads("contextUsage()", (it) => it.contextUsage()),
  reads("progress()", (it) => it.progress()),
  reads("finalResponse()", (it) => it.finalResponse()),
  reads("finalAnswer()", (it) => it.finalAnswer()),
  reads("stats", (it) => it.stats),
  reads("state", (it) => it.state),
  reads("draft, waiting, mcp and warnings", (it) => [it.draft, it.waiting, it.mcp, it.warnings]),
  reads("toMessages()", (it) => it.toMessages()),
  reads("toMessages() for Chat Completions", (it) => it.toMessages("chat")),
  reads("exportSession()", (it) => it.exportSession()),
  reads("exportTrajectory()", (it) => it.exportTrajectory()),
  reads("exportMarkdown()", (it) => it.exportMarkdown()),
  reads("exportHTML()", async (it) => (await it.exportHTML()).length > 500),
  reads("exportZip()", async (it) => (await it.exportZip()).size > 500),
  {
    name: "pendingActions() right after a run that waits",
    setup: (kit) => ({ replies: [{ calls: [noting("a")] }], tools: [note(kit)], options: confirming }),
    async play({ conversation }) {
      await conversation.sendMessage("Go");
      const { status } = await conversation.run();
      return [status, conversation.executionStatus, await conversation.pendingActions(), conversation.securityRisks];
    },
  },
  {
    name: "a subscriber hears each event before the call has resolved",
    setup,
    async play({ conversation, heard }) {
      const event = await conversation.sendMessage("Go");
      const before = heard.some(({ id }) => id === event.id);
      await conversation.run();
      const last = (await conversation.events.at(-1)).id;
      same([before, heard.some(({ id }) => id === last)], [true, true]);
      return before;
    },
  },
];
