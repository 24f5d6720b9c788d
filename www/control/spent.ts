// The tokens and costs of a conversation so far, as text.

import type { ConversationStats } from "threadkeep";
import { settings } from "../settings/settings.ts";

const count = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const dollars = new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumSignificantDigits: 3 });

/** Such as “3.1K tokens, $0.004”; costs only if the model has a price. */
export function spentText(stats: ConversationStats | undefined): string {
  let [tokens, cost] = [0, 0];
  for (const { accumulated_token_usage: usage, accumulated_cost } of Object.values(stats?.usage_to_metrics ?? {})) {
    tokens += (usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0);
    cost += accumulated_cost ?? 0;
  }
  return [tokens > 0 && `${count.format(tokens)} tokens`, cost > 0 && dollars.format(cost)].filter((part) => part !== false).join(", ");
}

/** Such as “at most $0.05 a run”; nothing without a limit. */
export function budgetText(): string {
  const { budget } = settings();
  return budget === null ? "" : `at most ${dollars.format(budget)} a run`;
}
