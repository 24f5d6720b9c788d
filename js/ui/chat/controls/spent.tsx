/** @jsxImportSource preact */
// The tokens and costs of a conversation so far.
import { useMemo } from "preact/hooks";
import type { Thread } from "../../thread/index.js";
import { useChat, useSnapshot } from "../context.js";

const count = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const dollars = new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumSignificantDigits: 3 });

/** Such as “3.1K tokens, $0.004”: costs only if the model has a price, and nothing before the first answer. */
export function Spent({ thread }: { thread: Thread }) {
  const { labels } = useChat();
  const { phase, conversation, isRunning, messages } = useSnapshot(thread);
  const text = useMemo(() => {
    if (phase !== "open") return "";
    let [tokens, cost] = [0, 0];
    for (const { accumulated_token_usage: usage, accumulated_cost } of Object.values(conversation?.stats.usage_to_metrics ?? {})) {
      tokens += (usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0);
      cost += accumulated_cost ?? 0;
    }
    return tokens === 0 ? "" : labels.spent(count.format(tokens), cost > 0 ? dollars.format(cost) : null);
  }, [phase, conversation, isRunning, messages.length]);
  return text === "" ? null : <p class="spent">{text}</p>;
}
