// The tokens and costs of a conversation so far, as text.

import type { ConversationStats } from "threadkeep";
import { settings } from "../settings/settings.ts";

const count = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const dollars = new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumSignificantDigits: 3 });

/** Such as “3.1K tokens, $0.004, at most $0.05 a run”; costs only if the model has a price. */
export function spentText(stats: ConversationStats | undefined): string {
  let [tokens, cost] = [0, 0];
  for (const { accumulated_token_usage: usage, accumulated_cost } of Object.values(stats?.usage_to_metrics ?? {})) {
    tokens += (usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0);
    cost += accumulated_cost ?? 0;
  }
  const { budget } = settings();
  const parts = [tokens > 0 && `${count.format(tokens)} tokens`, cost > 0 && dollars.format(cost), budget !== null && `at most ${dollars.format(budget)} a run`];
  return parts.filter((part) => part !== false).join(", ");
}
