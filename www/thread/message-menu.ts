// The menu of a message: what can be done with the conversation as it was there.

import type { UIMessage } from "threadkeep/thread";
import { usesFolder } from "../files/folders.ts";
import { showFilesAt } from "../panel/panel.ts";
import { askExport } from "../shell/dialogs.ts";
import type { MenuItem } from "../shell/menu.ts";
import { report } from "../shell/notices.ts";
import { goTo } from "../shell/router.ts";
import { exportConversation } from "../shell/transfer.ts";
import type { Session } from "./session.ts";

/** For a stored message; `name` is its beginning, in quotes. */
export function messageMenu(session: Session, message: UIMessage, name: string): MenuItem[] {
  const eventId = message.eventIds.at(-1)!;
  const items: Array<MenuItem | false> = [
    message.role === "assistant" && !session.running && { name: "Fork", icon: "fork", act: () => fork(session, eventId) },
    // Nobody keeps the earlier files of a folder, or of a server.
    !usesFolder(session.id) &&
      session.server === null && {
        name: "Files here",
        icon: "clock",
        act: () => showFilesAt({ eventId, name, date: message.createdAt }),
      },
    { name: "Export up to here…", icon: "export", act: () => exportUpTo(session, eventId, name) },
  ];
  return items.filter((item) => item !== false);
}

/** Continues in a copy of the conversation, which ends here. */
async function fork(session: Session, eventId: string): Promise<void> {
  try {
    goTo(await session.fork(eventId));
  } catch (error) {
    report(error, { title: "The conversation could not be forked", isHere: true });
  }
}

async function exportUpTo(session: Session, leafEventId: string, name: string): Promise<void> {
  const form = await askExport(`Export up to ${name}`, ["html", "markdown"]);
  if (form) await exportConversation(session.conversation, session.title, form, { leafEventId });
}
