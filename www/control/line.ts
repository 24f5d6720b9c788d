// The line under the message field with the approval policy, the cost, and MCP servers that are not connected.

import { byId } from "../shell/dom.ts";
import { choiceOf } from "./policy.ts";
import type { Session } from "../thread/session.ts";
import { settings } from "../settings/settings.ts";
import { budgetText } from "./spent.ts";

const ASKS = { never: "Asks about harmful tools only", risky: "Asks about risky calls", always: "Asks about every call" } as const;

/** Without a session it shows the settings for the next conversation. */
export function drawControlLine(session: Session | null): void {
  const choice = session === null ? settings().policy : choiceOf(session.conversation.state);
  const lost =
    session?.conversation.mcp?.servers
      .filter(({ state }) => state === "failed" || state === "login")
      .map(({ name }) => `${name} is not connected`) ?? [];
  // A server knows no budget.
  const budget = session?.server ? "" : budgetText();
  const parts = [choice === null ? "Asks as its own policy says" : ASKS[choice], budget, ...lost];
  byId("control-line").textContent = parts.filter(Boolean).join(" · ");
}
