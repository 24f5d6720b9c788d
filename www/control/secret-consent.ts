// Asks the user before tools make this page fetch the secrets of an imported conversation.

import { ask } from "../shell/dialogs.ts";
import { el } from "../shell/dom.ts";
import { notify, report } from "../shell/notices.ts";
import type { Session } from "../thread/session.ts";

/** `focus` moves the focus to the message field. */
export async function askToFetchSecrets({ conversation, home }: Session, focus: () => void): Promise<void> {
  const held = conversation.heldSecrets;
  if (held.length === 0 || home === "tab" || home === "server") return;
  const answer = await ask({
    heading: "Fetch secrets from elsewhere?",
    body: [
      el(
        "p",
        {},
        "This conversation was imported. Its file says where tools get these secrets from; whoever made the file has chosen the addresses, and they would see that you ask.",
      ),
      el("ul", { class: "names" }, ...held.map(({ name, url }) => el("li", {}, el("code", {}, name), el("span", { class: "quiet" }, url)))),
      el("p", { class: "quiet" }, "With “Cancel” nothing is fetched, and you are asked again when you open it next."),
    ],
    actions: [{ value: "allow", name: "Allow", look: "" }],
    // The default button is not Allow: somebody who is typing when the dialog opens has not agreed.
    onOpen: () => document.querySelector<HTMLElement>('dialog[open] button[value=""]')?.focus(),
    focusAfter: focus,
  });
  if (answer !== "allow") return;
  try {
    await conversation.allowSecrets();
    notify("Tools of this conversation may fetch its secrets.");
  } catch (error) {
    report(error, { title: "That could not be stored", isHere: true });
  }
}
