/** @jsxImportSource preact */
// The use of the model's context window, and the button that replaces a part of it by a summary.

import { useEffect, useState } from "preact/hooks";
import type { ContextUsage } from "threadkeep";
import { explain } from "../layout/failures.ts";
import type { Session } from "../conversation/session.ts";

const tokens = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 0 });

export function ContextView({ session }: { session: Session }) {
  const { conversation, thread } = session;
  const { messages, isCondensing } = thread.getSnapshot();
  // An agent that began on a server has nothing that condenses.
  const hasCondenser = Boolean(conversation.state.agent?.["condenser"]);
  const [usage, setUsage] = useState<ContextUsage | null>(null);
  const [said, setSaid] = useState("");
  // What the counts depend on.
  const state = `${conversation.events.length} ${messages.at(-1)?.eventIds.at(-1)} ${conversation.state.agent.llm.model}`;
  useEffect(() => {
    let isCurrent = true;
    conversation.contextUsage().then(
      (found) => isCurrent && setUsage(found),
      (error: unknown) => isCurrent && setSaid(explain(error).text),
    );
    return () => void (isCurrent = false);
  }, [conversation, state]);

  const condense = (): void => {
    if (!session.isIdle) return;
    setSaid("");
    conversation.condense().then(
      () => setSaid("Condensed."),
      (error: unknown) => setSaid(`Nothing was condensed: ${explain(error).text}`),
    );
  };
  return (
    <section aria-labelledby="usage-heading">
      <h3 id="usage-heading">Context window</h3>
      {usage !== null && usage.limitTokens !== null && (
        <progress max={usage.limitTokens} value={usage.usedTokens} aria-labelledby="usage-heading" aria-describedby="usage" />
      )}
      <p id="usage">{usage === null ? "Counting…" : usageText(usage)}</p>
      <p class="quiet" id="saving">
        {hasCondenser ? usage && savingText(usage) : "The agent on the server has nothing that condenses."}
      </p>
      {hasCondenser && (
        // A disabled button would lose the focus.
        <button type="button" class="button small" aria-describedby="saving" aria-disabled={!session.isIdle} onClick={condense}>
          {isCondensing ? "Condensing…" : "Condense now"}
        </button>
      )}
      <p class="quiet" role="status">
        {said}
      </p>
    </section>
  );
}

const usageText = ({ usedTokens, limitTokens }: ContextUsage): string =>
  limitTokens === null
    ? `${tokens.format(usedTokens)} tokens. The limit of this model is not known.`
    : `${tokens.format(usedTokens)} of ${tokens.format(limitTokens)} tokens, ${percent.format(usedTokens / limitTokens)}`;

const savingText = ({ reclaimableTokens }: ContextUsage): string =>
  reclaimableTokens > 0
    ? `Condensing replaces ${tokens.format(reclaimableTokens)} of them by a summary. All messages stay in the log.`
    : "There is nothing to condense yet.";
