// Exchange between a sub-agent and the conversation that started it: the policy goes down, the costs go up.
import type { ConversationState } from "../events/events.js";
import type { ConversationStats, Metrics, TokenUsage } from "../events/types.js";
import type { AgentDefinition } from "./types.js";

type StoredPolicy = NonNullable<ConversationState["confirmation_policy"]>;

const own: { readonly [mode: string]: StoredPolicy } = {
  always_confirm: { kind: "AlwaysConfirm" },
  confirm_risky: { kind: "ConfirmRisky", threshold: "HIGH", confirm_unknown: true } as StoredPolicy,
  never_confirm: { kind: "NeverConfirm" },
};
const strictness = ["NeverConfirm", "ConfirmRisky", "AlwaysConfirm"];
const risks = ["HIGH", "MEDIUM", "LOW"];

/** The stricter of the parent's policy and that of the definition. A policy of an unknown kind makes every call wait. */
export function stricter(ofParent: StoredPolicy | undefined, mode: AgentDefinition["permissionMode"]): StoredPolicy {
  const parent = ofParent ?? own["never_confirm"]!;
  const definition = mode === undefined ? parent : own[mode]!;
  const [one, other] = [parent, definition].map(({ kind }) => strictness.indexOf(kind)) as [number, number];
  if (one < 0) return own["always_confirm"]!;
  if (one !== other) return one > other ? parent : definition;
  if (parent.kind !== "ConfirmRisky") return parent;
  const read = (policy: StoredPolicy) => policy as { threshold?: string; confirm_unknown?: boolean };
  const threshold = risks[Math.max(...[parent, definition].map((policy) => risks.indexOf(read(policy).threshold ?? "HIGH")))];
  const confirmUnknown = [parent, definition].some((policy) => read(policy).confirm_unknown ?? true);
  return { kind: "ConfirmRisky", threshold, confirm_unknown: confirmUnknown } as StoredPolicy;
}

/** The metrics of all models together, as the SDK's `get_combined_metrics` adds them. */
export function combined({ usage_to_metrics: byUsage }: ConversationStats): Metrics {
  const total: Metrics = { model_name: "default", accumulated_cost: 0, costs: [], response_latencies: [], token_usages: [] };
  for (const { accumulated_cost, max_budget_per_task, accumulated_token_usage: more, ...lists } of Object.values(byUsage)) {
    total.accumulated_cost += accumulated_cost;
    if (max_budget_per_task) total.max_budget_per_task ??= max_budget_per_task;
    total.costs.push(...(lists.costs ?? []));
    total.response_latencies.push(...(lists.response_latencies ?? []));
    total.token_usages.push(...(lists.token_usages ?? []));
    if (more) total.accumulated_token_usage = total.accumulated_token_usage ? sum(total.accumulated_token_usage, more) : more;
  }
  return total;
}

function sum(one: TokenUsage, other: TokenUsage): TokenUsage {
  const counts = ["prompt_tokens", "completion_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens"] as const;
  const sums = Object.fromEntries(counts.map((name) => [name, one[name] + other[name]]));
  return { ...one, ...sums, context_window: Math.max(one.context_window, other.context_window), per_turn_token: other.per_turn_token };
}
