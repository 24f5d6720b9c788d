// The names of a conversation's secrets, or of those for the next one, a field to add one, and buttons to remove them. A value is never shown again.

import type { Conversation } from "threadkeep";
import { announce } from "../shell/announcer.ts";
import type { Attempt } from "./dialog.ts";
import { el } from "../shell/dom.ts";
import { secretsOf, setSecret } from "./given-secrets.ts";
import { API_TOKEN } from "../agent/tools/call-api.ts";

/** `conversation` is null before the first message of the next one. An agent server takes secrets, and gives none back. */
export function secretsView(conversation: Conversation | null, attempt: Attempt): HTMLElement {
  const isOnServer = conversation?.home === "server";
  const list = el("ul", { class: "names secret-names", "aria-label": "Secrets of this conversation" });
  const name = el("input", {
    id: "secret-name",
    type: "text",
    required: true,
    maxlength: 100,
    spellcheck: "false",
    autocomplete: "off",
    placeholder: API_TOKEN,
    "aria-describedby": "secrets-help",
  });
  const value = el("input", { id: "secret-value", type: "password", required: true, autocomplete: "off" });

  const draw = (): void => {
    list.replaceChildren(
      ...secretsOf(conversation).map((secret) =>
        el(
          "li",
          {},
          el("code", {}, secret.name),
          secret.hasValue || isOnServer ? null : el("span", { class: "quiet" }, "not stored, enter it again"),
          !isOnServer &&
            el(
              "button",
              { type: "button", class: "button small", onclick: () => void remove(secret.name) },
              "Remove",
              el("span", { class: "visually-hidden" }, ` ${secret.name}`),
            ),
        ),
      ),
    );
    list.hidden = list.childElementCount === 0;
  };
  const add = async (): Promise<void> => {
    const added = name.value.trim();
    if (!(await attempt(() => setSecret(conversation, added, value.value)))) return name.focus();
    name.value = "";
    value.value = "";
    draw();
    announce(`Tools can ask for ${added}.`);
    name.focus();
  };
  const remove = async (removed: string): Promise<void> => {
    if (!(await attempt(() => setSecret(conversation, removed, null)))) return;
    draw();
    announce(`${removed} is removed.`);
    name.focus();
  };
  draw();

  const form = el(
    "form",
    { class: "secret-form" },
    el("div", { class: "field" }, el("label", { for: "secret-name" }, "Name"), name),
    el("div", { class: "field" }, el("label", { for: "secret-value" }, "Value"), value),
    el("button", { class: "button" }, "Add"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void add();
  });
  const kept = isOnServer
    ? "It is sent to the agent server, which keeps it as long as the conversation: it can be replaced, but not removed."
    : `Kept in memory until the page closes. The tool call_api uses ${API_TOKEN}.`;
  const help = `A tool asks for a secret by its name; the model sees neither, and where the value turns up, it is hidden. ${kept}`;
  return el("div", { class: "secrets" }, list, form, el("p", { class: "quiet", id: "secrets-help" }, help));
}
