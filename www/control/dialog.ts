// The decisions about one conversation: when calls wait for approval, which tools are always allowed, and which secrets its
// tools may use. Changes apply at once and are stored with the conversation. Before the first message they are those for the
// next one.

import type { Conversation } from "threadkeep";
import { choosePolicy, settings } from "../settings/settings.ts";
import { announce } from "../shell/announcer.ts";
import { byId, el } from "../shell/dom.ts";
import { sentence } from "../shell/failures.ts";
import { ANALYZER, choiceOf, POLICIES, POLICY_HELP, policyFor, type PolicyChoice } from "./policy.ts";
import { secretsView } from "./secrets-view.ts";
import type { Session } from "../thread/session.ts";
import { spentText } from "./spent.ts";

/** `session` is called each time the button is pressed. */
export function startControl(session: () => Session | null): void {
  byId("control-button").addEventListener("click", () => showControl(session()));
}

function showControl(session: Session | null): void {
  const failed = el("p", { class: "wrong", role: "alert" });
  const attempt = async (act: () => Promise<unknown>): Promise<boolean> => {
    failed.textContent = "";
    try {
      await act();
      session?.changed();
      return true;
    } catch (error) {
      failed.textContent = sentence(error instanceof Error ? error.message : String(error));
      return false;
    }
  };
  const dialog = el(
    "dialog",
    { class: "dialog settings", "aria-labelledby": "control-heading" },
    el(
      "div",
      { class: "dialog-parts" },
      el("h2", { id: "control-heading" }, "Control"),
      el(
        "div",
        { class: "dialog-scroll" },
        failed,
        el("fieldset", {}, el("legend", {}, "When the agent asks first"), ...policyView(session?.conversation, attempt)),
        session && allowedView(session, attempt),
        el("fieldset", {}, el("legend", {}, "Secrets"), secretsView(session?.conversation ?? null, attempt)),
        session && el("fieldset", {}, el("legend", {}, "Spent"), el("p", {}, spentText(session.conversation.stats) || "Nothing yet.")),
      ),
      el("div", { class: "buttons" }, el("button", { type: "button", class: "button primary", onclick: () => dialog.close() }, "Done")),
    ),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

export type Attempt = (act: () => Promise<unknown>) => Promise<boolean>;

function policyView(conversation: Conversation | undefined, attempt: Attempt): HTMLElement[] {
  const current = conversation ? choiceOf(conversation.state) : settings().policy;
  const choose = async (choice: PolicyChoice): Promise<void> => {
    if (conversation === undefined) return choosePolicy(choice);
    await conversation.setSecurityAnalyzer(ANALYZER);
    await conversation.setConfirmationPolicy(policyFor(choice));
  };
  const radios = POLICIES.map(({ id, label }) =>
    el(
      "div",
      { class: "check" },
      el("input", {
        type: "radio",
        name: "policy",
        id: `policy-${id}`,
        value: id,
        checked: id === current,
        onchange: () => void attempt(() => choose(id)),
      }),
      el("label", { for: `policy-${id}` }, label),
    ),
  );
  const other =
    conversation && current === null
      ? [el("p", { class: "quiet" }, `It has a policy of its own, ${conversation.state.confirmation_policy.kind}.`)]
      : [];
  return [...radios, ...other, el("p", { class: "quiet" }, POLICY_HELP)];
}

function allowedView({ conversation }: Session, attempt: Attempt): HTMLElement {
  const list = el("ul", { class: "names" });
  const part = el(
    "fieldset",
    { hidden: conversation.allowedTools.length === 0 },
    el("legend", { tabindex: -1 }, "Always allowed here"),
    list,
  );
  const forget = async (name: string, row: HTMLElement): Promise<void> => {
    if (!(await attempt(() => conversation.setAllowedTools(conversation.allowedTools.filter((each) => each !== name))))) return;
    row.remove();
    announce(`You will be asked about ${name} again.`);
    const next = list.querySelector("button");
    part.hidden = next === null;
    (next ?? byId("policy-risky")).focus();
  };
  for (const name of conversation.allowedTools) {
    const row: HTMLElement = el(
      "li",
      {},
      el("code", {}, name),
      el(
        "button",
        { type: "button", class: "button small", onclick: () => void forget(name, row) },
        "Ask again",
        el("span", { class: "visually-hidden" }, ` about ${name}`),
      ),
    );
    list.append(row);
  }
  return part;
}
