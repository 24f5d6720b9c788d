// Settings: what is set is stored, shown by the handle that has set it, and used by the loop.
import { done, note, noting, outcome, same } from "./kit.mjs";

/** A case that sets something: what it resolves to, and what is shown then. */
const sets = (name, call, shown) => ({
  name,
  play: async ({ conversation }) => [(await call(conversation)) ?? null, shown(conversation)],
});
/** A case that is refused with this code. */
const refuses = (name, code, call) => ({
  name,
  async play({ conversation }) {
    const refused = await outcome(call(conversation));
    same(refused.code, code);
    return refused;
  },
});

export const settings = [
  sets(
    "setTags() with a title",
    (it) => it.setTags({ title: "A title", topic: "tests" }),
    (it) => [it.state.tags, it.title],
  ),
  sets(
    "setTags() replaces all tags",
    async (it) => (await it.setTags({ one: "1" }), it.setTags({ two: "2" })),
    (it) => it.state.tags,
  ),
  refuses("setTags() with a name in capitals", "invalid_options", (it) => it.setTags({ Title: "x" })),
  refuses("setTags() with a number", "invalid_options", (it) => it.setTags({ title: 7 })),
  refuses("setTags() with nothing", "invalid_options", (it) => it.setTags(null)),
  sets(
    "setLimits() with limits that are not stored",
    (it) => it.setLimits({ maxIterationPerRun: 7, maxBudgetPerRun: 2, stuckDetection: { monologue: 5 } }),
    (it) => it.limits,
  ),
  sets(
    "setAgentState() sets values",
    (it) => it.setAgentState({ mood: "calm", count: 3, list: [1, { a: null }] }),
    (it) => it.state.agent_state,
  ),
  sets(
    "setAgentState() removes what is null",
    async (it) => (await it.setAgentState({ mood: "calm", other: 1 }), it.setAgentState({ mood: null })),
    (it) => it.state.agent_state,
  ),
  refuses("setAgentState() of what the library uses", "invalid_options", (it) => it.setAgentState({ subagent_tasks: {} })),
  sets(
    "setLimits() of steps",
    (it) => it.setLimits({ maxIterationPerRun: 7 }),
    (it) => it.state.max_iterations,
  ),
  refuses("setLimits() below one step", "invalid_options", (it) => it.setLimits({ maxIterationPerRun: 0 })),
  refuses("setLimits() with an unknown limit", "invalid_options", (it) => it.setLimits({ maxSteps: 1 })),
  {
    name: "a limit that was set stops the next run",
    setup: (kit) => ({ replies: [{ calls: [noting("a")] }, done], tools: [note(kit)] }),
    async play({ conversation }) {
      await conversation.setLimits({ maxIterationPerRun: 1 });
      await conversation.sendMessage("Go");
      return [await outcome(conversation.run()), conversation.executionStatus];
    },
  },
  sets(
    "setAllowedTools()",
    (it) => it.setAllowedTools(["note", "other"]),
    (it) => it.allowedTools,
  ),
  refuses("setAllowedTools() with a text", "invalid_options", (it) => it.setAllowedTools("note")),
  sets(
    "setConfirmationPolicy()",
    (it) => it.setConfirmationPolicy({ kind: "ConfirmRisky", threshold: "MEDIUM", confirmUnknown: false }),
    (it) => it.state.confirmation_policy,
  ),
  refuses("setConfirmationPolicy() of an unknown kind", "invalid_options", (it) => it.setConfirmationPolicy({ kind: "Sometimes" })),
  {
    name: "a policy that was set is asked at the next answer",
    setup: (kit) => ({ replies: [{ calls: [noting("a")] }, done], tools: [note(kit)] }),
    async play({ conversation }) {
      await conversation.setConfirmationPolicy({ kind: "AlwaysConfirm" });
      await conversation.sendMessage("Go");
      const { status } = await conversation.run();
      same(status, "waiting_for_confirmation");
      return [status, await conversation.pendingActions()];
    },
  },
  sets(
    "setSecurityAnalyzer() with null",
    (it) => it.setSecurityAnalyzer(null),
    (it) => it.state.security_analyzer ?? null,
  ),
  sets(
    "setSecurityAnalyzer() of a kind",
    (it) => it.setSecurityAnalyzer({ kind: "LLMSecurityAnalyzer" }),
    (it) => it.state.security_analyzer ?? null,
  ),
  refuses("setSecurityAnalyzer() of an unknown kind", "invalid_options", (it) => it.setSecurityAnalyzer({ kind: "Crystal" })),
  sets(
    "allowSecrets() without secrets",
    (it) => it.allowSecrets(),
    (it) => it.heldSecrets,
  ),
];
