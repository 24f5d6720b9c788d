// Calls that wait for the user: approving, rejecting and editing them, also those of sub-agents.
import { confirming, done, idsOf, note, noting, outcome, same } from "./kit.mjs";

const twoCalls = { calls: [noting("a"), noting("b")] };
const waitingSetup = (kit) => ({ replies: [twoCalls, done, done], tools: [note(kit)], options: confirming });
/** Brings the conversation to two calls that wait. */
async function waiting({ conversation }) {
  await conversation.sendMessage("Go");
  const { status } = await conversation.run();
  same(status, "waiting_for_confirmation");
  return conversation.pendingActions();
}

/** A parent whose sub-agent has a call that waits. */
function subagentSetup(kit) {
  const left = {
    parent: [{ calls: [{ name: "task", arguments: { prompt: "SUBAGENT: note it", description: "Notes it" } }] }, done, done],
    child: [{ calls: [noting("from below")] }, { text: "Noted." }],
  };
  return {
    replies: (body) => pick(body, left),
    tools: [kit.library.taskTool(), note(kit, { needsApproval: true })],
  };
}
/** A request of the sub-agent begins with its prompt; in those of the parent the prompt is in a call. */
function pick(body, left) {
  const isChild = body.messages.some(({ role, content }) => role === "user" && JSON.stringify(content).includes("SUBAGENT"));
  return left[isChild ? "child" : "parent"].shift() ?? done;
}

export const approvals = [
  {
    name: "a run approves all calls that wait",
    setup: waitingSetup,
    async play(player) {
      const actions = await waiting(player);
      return [actions, await player.conversation.run()];
    },
  },
  {
    name: "a run approves single calls",
    setup: waitingSetup,
    async play(player) {
      const [first] = await waiting(player);
      const result = await player.conversation.run({ approve: [first.id] });
      same(result.status, "waiting_for_confirmation");
      return [result, await player.conversation.pendingActions(), await player.conversation.run()];
    },
  },
  {
    name: "a run that approves none",
    setup: waitingSetup,
    async play(player) {
      await waiting(player);
      return outcome(player.conversation.run({ approve: [] }));
    },
  },
  {
    name: "a run that approves what does not wait",
    setup: waitingSetup,
    async play(player) {
      await waiting(player);
      return outcome(player.conversation.run({ approve: ["6f3a3b0e-54d2-4f49-a8cc-0f4c6f9a2f11"] }));
    },
  },
  {
    name: "rejectPendingActions() with a reason",
    setup: waitingSetup,
    async play(player) {
      await waiting(player);
      await player.conversation.rejectPendingActions("not today");
      same(await player.conversation.pendingActions(), []);
      return player.conversation.run();
    },
  },
  {
    name: "rejectPendingActions() without a reason",
    setup: waitingSetup,
    async play(player) {
      await waiting(player);
      return [(await player.conversation.rejectPendingActions()) ?? null, await player.conversation.pendingActions()];
    },
  },
  {
    name: "rejectPendingActions() of one, and the other approved",
    setup: waitingSetup,
    async play(player) {
      const [, second] = await waiting(player);
      await player.conversation.rejectPendingActions("this not", { actionIds: [second.id] });
      return [await player.conversation.pendingActions(), await player.conversation.run()];
    },
  },
  {
    name: "rejectPendingActions() of a call that does not wait",
    setup: waitingSetup,
    async play(player) {
      await waiting(player);
      const unknown = { actionIds: ["6f3a3b0e-54d2-4f49-a8cc-0f4c6f9a2f11"] };
      const refused = await outcome(player.conversation.rejectPendingActions("no", unknown));
      same(refused.code, "not_found");
      return refused;
    },
  },
  {
    name: "editAction() resolves to the new call, which runs",
    setup: waitingSetup,
    async play(player) {
      const [first] = await waiting(player);
      const edited = await player.conversation.editAction(first.id, { text: "rather this" });
      return [edited, await player.conversation.pendingActions(), await player.conversation.run()];
    },
  },
  {
    name: "editAction() with arguments that the tool refuses",
    setup: waitingSetup,
    async play(player) {
      const [first] = await waiting(player);
      const refused = await outcome(player.conversation.editAction(first.id, { text: 7 }));
      same(refused.code, "invalid_options");
      return refused;
    },
  },
  {
    name: "editAction() of a call that does not wait",
    setup: waitingSetup,
    async play(player) {
      await waiting(player);
      return outcome(player.conversation.editAction("6f3a3b0e-54d2-4f49-a8cc-0f4c6f9a2f11", { text: "x" }));
    },
  },
  {
    name: "setAllowedTools() lets calls run from the next answer on",
    setup: (kit) => ({ replies: [twoCalls, twoCalls, done], tools: [note(kit)], options: confirming }),
    async play(player) {
      await waiting(player);
      await player.conversation.setAllowedTools(["note"]);
      const result = await player.conversation.run();
      same([result.status, player.conversation.allowedTools], ["finished", ["note"]]);
      return result;
    },
  },
  {
    name: "pendingActions() that would not wait if their tool were allowed",
    setup: (kit) => ({
      replies: [{ calls: [noting("ask"), noting("plain")] }],
      tools: [note(kit, { needsApproval: ({ text }) => text === "ask" })],
      options: confirming,
    }),
    async play(player) {
      const all = await waiting(player);
      return [idsOf(all), idsOf(await player.conversation.pendingActions({ allowable: true }))];
    },
  },
  {
    name: "a policy of risks asks the analyzer of the loop",
    setup: (kit) => ({
      replies: [twoCalls, done],
      tools: [note(kit)],
      options: {
        confirmationPolicy: { kind: "ConfirmRisky" },
        securityAnalyzer: { securityRisk: async ({ action }) => (action.data.text === "a" ? "LOW" : "HIGH") },
      },
    }),
    async play({ conversation }) {
      await conversation.sendMessage("Go");
      const { status } = await conversation.run();
      return [status, Object.values(conversation.securityRisks), await conversation.run()];
    },
  },
  {
    name: "a sub-agent's call waits in the parent, and is approved there",
    setup: subagentSetup,
    async play({ conversation }) {
      await conversation.sendMessage("Have it noted");
      const { status } = await conversation.run();
      const pending = await conversation.pendingActions();
      same([status, pending.map(({ tool_name }) => tool_name)], ["waiting_for_confirmation", ["note"]]);
      const result = await conversation.run({ approve: idsOf(pending) });
      same(result.status, "finished");
      return [pending, result];
    },
  },
  {
    name: "a sub-agent's call is rejected through the parent",
    setup: subagentSetup,
    async play({ conversation }) {
      await conversation.sendMessage("Have it noted");
      await conversation.run();
      const pending = await conversation.pendingActions();
      await conversation.rejectPendingActions("rather not", { actionIds: idsOf(pending) });
      return [await conversation.pendingActions(), await conversation.run()];
    },
  },
  {
    name: "a sub-agent's call is edited through the parent",
    setup: subagentSetup,
    async play({ conversation }) {
      await conversation.sendMessage("Have it noted");
      await conversation.run();
      const [pending] = await conversation.pendingActions();
      const edited = await conversation.editAction(pending.id, { text: "rather this" });
      return [edited, await conversation.pendingActions(), await conversation.run()];
    },
  },
];
