// Renames a conversation in its row. Loaded when somebody does so.

import { type ConversationInfo, updateConversations } from "threadkeep";
import { announce } from "../shell/announcer.ts";
import { el } from "../shell/dom.ts";
import { report } from "../shell/notices.ts";
import { currentSession } from "../shell/stage.ts";
import { titleOf } from "./row.ts";

/** Resolves when the field is gone again. The row must not be drawn anew meanwhile. Never rejects. */
export async function renameInRow(row: HTMLElement, info: ConversationInfo): Promise<void> {
  const input = el("input", {
    type: "text",
    class: "conversation-rename",
    "aria-label": `New title of “${titleOf(info)}”`,
    value: info.title ?? "",
    maxlength: 200,
    autocomplete: "off",
  });
  row.classList.add("renaming");
  row.prepend(input);
  input.focus();
  input.select();
  const title = await answer(input);
  row.classList.remove("renaming");
  const stop = row.querySelector<HTMLElement>("[data-stop]");
  // Whoever has clicked elsewhere stays there.
  if (document.activeElement === input) stop?.focus();
  input.remove();
  if (title !== null && title !== "" && title !== info.title) await store(info.id, title);
}

/** The text that is in the field in the end, or `null` if the user gives up. */
const answer = (input: HTMLInputElement): Promise<string | null> =>
  new Promise((resolve) => {
    input.addEventListener("blur", () => resolve(input.value.trim()));
    input.addEventListener("keydown", (event) => {
      // Nobody else hears of the keys: Escape would close the drawer, too, and an arrow lead to another row.
      event.stopPropagation();
      if (event.key === "Enter") resolve(input.value.trim());
      else if (event.key === "Escape") resolve(null);
      else return;
      event.preventDefault();
    });
  });

async function store(id: string, title: string): Promise<void> {
  try {
    const open = currentSession();
    if (open?.id === id) await open.rename(title);
    else await updateConversations(id, { tags: { title } });
    announce(`Renamed to ${title}.`);
  } catch (error) {
    report(error, { title: "The conversation could not be renamed", retry: () => store(id, title) });
  }
}
