// The line under the message field: the approval policy, the budget of a run, and MCP servers that are not connected.

import { settings } from "../settings/settings.ts";
import { byId } from "../shell/dom.ts";
import type { Session } from "../thread/session.ts";
import { choiceOf, POLICIES } from "./policy.ts";

const dollars = new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumSignificantDigits: 3 });

/** Without a session it shows the settings for the next conversation. */
export function drawControlLine(session: Session | null): void {
  const { policy, budget } = settings();
  const choice = session === null ? POLICIES.find(({ id }) => id === policy) : choiceOf(session.conversation.state);
  const lost = session?.conversation.mcp?.servers.filter(({ state }) => state === "failed" || state === "login") ?? [];
  byId("control-line").textContent = [
    choice?.label.replace("Ask", "Asks") ?? "Asks as its own policy says",
    // A server knows no budget.
    budget === null || session?.server ? "" : `at most ${dollars.format(budget)} a run`,
    ...lost.map(({ name }) => `${name} is not connected`),
  ]
    .filter(Boolean)
    .join(" · ");
}
