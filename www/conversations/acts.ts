// Pins and archives conversations, puts them into the trash and takes them out, with a notice that undoes it; and deletes them for
// ever, after a question. Loaded when somebody does so.

import { Conversation, type ConversationInfo, emptyTrash, updateConversations } from "threadkeep";
import { visibleText } from "threadkeep/thread";
import { announce } from "../shell/announcer.ts";
import { focusConversation, refreshConversations } from "../shell/conversation-list.ts";
import { ask, askDelete } from "../shell/dialogs.ts";
import { el } from "../shell/dom.ts";
import { notify, report } from "../shell/notices.ts";
import { currentRoute, goHome, goTo } from "../shell/router.ts";
import { deleteConversation, stopRun } from "../shell/stage.ts";
import { exportStored } from "../shell/transfer.ts";

export type Flag = "pinned" | "archived" | "trashed";
/** A conversation that something is done with. */
export type Chosen = Pick<ConversationInfo, "id" | "title">;

const WORDS: Record<Flag, readonly [set: string, unset: string]> = {
  pinned: ["pinned", "unpinned"],
  archived: ["archived", "taken out of the archive"],
  trashed: ["moved to the trash", "restored"],
};

/** Sets or takes away a flag of these, which are those that differ. Says so, and offers to undo it. Never rejects. */
export async function mark(chosen: readonly Chosen[], flag: Flag, value: boolean): Promise<void> {
  const ids = chosen.map(({ id }) => id);
  if (ids.length === 0) return;
  const opened = currentRoute()?.conversationId;
  const closes = flag === "trashed" && value && opened !== undefined && ids.includes(opened);
  const done = WORDS[flag][value ? 0 : 1];
  try {
    if (flag === "trashed" && value) for (const id of ids) stopRun(id);
    await updateConversations(ids, { [flag]: value });
  } catch (error) {
    const title = `${chosen.length === 1 ? "The conversation" : "Some conversations"} could not be ${done}`;
    return report(error, { title, retry: () => mark(chosen, flag, value) });
  } finally {
    await refreshConversations();
  }
  if (closes) goHome();
  const sentence = `${nameOf(chosen)} ${chosen.length === 1 ? "was" : "were"} ${done}.`;
  const undo = async (): Promise<void> => {
    try {
      await updateConversations(ids, { [flag]: !value });
    } catch (error) {
      return report(error, { title: "It could not be undone", retry: undo });
    } finally {
      await refreshConversations();
    }
    announce("Undone.");
    if (closes) goTo(opened);
    else focusConversation(ids[0]!);
  };
  // To undo a single pin is as easy as to set it.
  if (flag === "pinned" && chosen.length === 1) announce(sentence);
  else notify(sentence, { name: "Undo", act: () => void undo() });
}

const nameOf = (chosen: readonly Chosen[]): string =>
  chosen.length === 1 ? `“${visibleText(chosen[0]!.title ?? "Untitled conversation")}”` : `${chosen.length} conversations`;

/** What the user is asked about. */
const asked = new Set<string>();

/** Asks about this, unless that is done already: a double click opens no second question. */
async function once(about: string, ask: () => Promise<void>): Promise<void> {
  if (asked.has(about)) return;
  asked.add(about);
  await ask().finally(() => asked.delete(about));
}

/** Deletes a conversation of the trash, after a question. */
export const deleteForEver = (chosen: Chosen): Promise<void> => once(chosen.id, () => askAndDelete(chosen));

/** Deletes everything in the trash, after a question. */
export const emptyWholeTrash = (trashed: readonly Chosen[]): Promise<void> => once("the trash", () => askAndEmpty(trashed));

async function askAndDelete(chosen: Chosen): Promise<void> {
  const title = visibleText(chosen.title ?? "Untitled conversation");
  const answer = await askDelete(title);
  if (answer === "export") return void (await exportStored(chosen.id, title));
  if (answer === null) return;
  try {
    await deleteConversation(chosen.id);
    if (currentRoute()?.conversationId === chosen.id) goHome();
    notify(`“${title}” was deleted for ever.`);
  } catch (error) {
    report(error, { title: "The conversation could not be deleted", retry: () => deleteForEver(chosen) });
  } finally {
    await refreshConversations();
  }
}

async function askAndEmpty(trashed: readonly Chosen[]): Promise<void> {
  const what = trashed.length === 1 ? nameOf(trashed) : `All ${trashed.length} conversations in it`;
  const answer = await ask({
    heading: "Empty the trash?",
    body: [el("p", {}, `${what} ${trashed.length === 1 ? "is" : "are"} deleted for ever. They cannot be brought back.`)],
    actions: [{ value: "empty", name: "Empty trash", look: "danger" }],
    onOpen: () => document.querySelector<HTMLElement>('dialog[open] button[value=""]')?.focus(),
  });
  if (answer !== "empty") return;
  const opened = currentRoute()?.conversationId;
  try {
    if (opened !== undefined && trashed.some(({ id }) => id === opened)) {
      await deleteConversation(opened);
      goHome();
    }
    await emptyTrash({ olderThan: 0 });
    // Those that are open in another tab are left.
    for (const { id } of await Conversation.list({ trashed: true })) await deleteConversation(id);
    await refreshConversations();
    announce("The trash is empty.");
  } catch (error) {
    report(error, { title: "The trash could not be emptied", retry: () => emptyWholeTrash(trashed) });
  }
}

/** Deletes what has been in the trash for long. */
export async function emptyOldTrash(): Promise<void> {
  await emptyTrash();
}
