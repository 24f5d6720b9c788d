// The use of the model's context window, the saving by condensing, and the fields of the newest summary.

import type { ContextUsage, ConversationProgress } from "threadkeep";
import { announce } from "../shell/announcer.ts";
import { el } from "../shell/dom.ts";
import { explain } from "../shell/failures.ts";
import { report } from "../shell/notices.ts";
import type { Part } from "./panel.ts";
import type { Session } from "../thread/session.ts";

const tokens = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 0 });

export function contextView(session: Session): Part {
  const meter = el("meter", { min: 0, "aria-labelledby": "usage-heading", "aria-describedby": "usage" });
  const usage = el("p", { id: "usage" }, "Counting…");
  const saving = el("p", { class: "quiet", id: "saving" });
  const button = el("button", { type: "button", class: "button small", "aria-describedby": saving.id }, "Condense now");
  let condensing = false;
  const progress = el("section", { "aria-labelledby": "progress-heading" });

  const show = ({ usedTokens, limitTokens, reclaimableTokens }: ContextUsage, fields: ConversationProgress | null): void => {
    meter.hidden = limitTokens === null;
    meter.max = limitTokens ?? 1;
    meter.value = usedTokens;
    usage.textContent =
      limitTokens === null
        ? `${tokens.format(usedTokens)} tokens. The limit of this model is not known.`
        : `${tokens.format(usedTokens)} of ${tokens.format(limitTokens)} tokens, ${percent.format(usedTokens / limitTokens)}`;
    saving.textContent = !session.hasCondenser
      ? "The agent on the server has nothing that condenses. Bring the conversation home to condense it."
      : reclaimableTokens > 0
        ? `Condensing replaces ${tokens.format(reclaimableTokens)} of them by a summary. All messages stay in the log.`
        : "There is nothing to condense yet.";
    progress.replaceChildren(...progressView(fields));
  };
  const condense = async (): Promise<void> => {
    if (condensing || button.getAttribute("aria-disabled") === "true") return;
    condensing = true;
    draw();
    try {
      await session.condense();
      announce("Condensed.");
    } catch (error) {
      report(error, { title: "Nothing was condensed", isHere: true });
    }
    condensing = false;
    draw();
  };
  button.addEventListener("click", () => void condense());

  /** The state that the counts depend on. */
  let counted = "";
  const draw = (): void => {
    button.hidden = !session.hasCondenser;
    // A disabled button would lose the focus.
    button.setAttribute("aria-disabled", String(condensing || !session.canCondense));
    button.textContent = condensing ? "Condensing…" : "Condense now";
    const state = `${session.conversation.events.length} ${session.thread.getSnapshot().messages.at(-1)?.eventIds.at(-1)} ${session.conversation.state.agent.llm.model}`;
    if (state === counted) return;
    counted = state;
    Promise.all([session.conversation.contextUsage(), session.conversation.progress()]).then(
      ([usage, fields]) => state === counted && show(usage, fields),
      (error: unknown) => {
        counted = "";
        usage.textContent = explain(error).text;
      },
    );
  };
  const element = el(
    "section",
    { "aria-labelledby": "usage-heading" },
    el("h3", { id: "usage-heading" }, "Context window"),
    meter,
    usage,
    saving,
    button,
  );
  return { element: el("div", { class: "panel-group" }, element, progress), draw };
}

const NAMES: Record<keyof ConversationProgress, string> = {
  userContext: "What you want",
  completedTasks: "Done",
  pendingTasks: "To do",
  currentState: "Current state",
  files: "Files",
  tests: "Tests",
  errors: "Errors",
  branchAndCommits: "Branch and commits",
  dependencies: "Dependencies",
  other: "Other",
};

/** The fields that are not empty. The model wrote them, so they are shown as plain text. */
function progressView(progress: ConversationProgress | null): HTMLElement[] {
  const heading = el("h3", { id: "progress-heading" }, "Progress");
  if (progress === null) return [heading, el("p", { class: "quiet" }, "The next summary lists here what is done and what is left to do.")];
  const fields = (Object.keys(NAMES) as Array<keyof ConversationProgress>).flatMap((name) => {
    const value = progress[name];
    if (value.length === 0) return [];
    const text =
      typeof value === "string" ? value : el("ul", { class: `progress-${String(name)}` }, ...value.map((item) => el("li", {}, item)));
    return [el("dt", {}, NAMES[name]), el("dd", {}, text)];
  });
  return [heading, el("dl", { class: "progress" }, ...fields)];
}
