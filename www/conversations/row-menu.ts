// The menu of a row. Loaded with the first one.

import type { ConversationInfo } from "threadkeep";
import { removeConversation } from "../shell/actions.ts";
import { type MenuItem, openMenu } from "../shell/menu.ts";
import { mark } from "./acts.ts";
import { titleOf } from "./row.ts";

export function openRowMenu(opener: HTMLElement, info: ConversationInfo, rename: () => void): void {
  openMenu(opener, `More about “${titleOf(info)}”`, itemsFor(info, rename));
}

function itemsFor(info: ConversationInfo, rename: () => void): MenuItem[] {
  const { id, server, pinnedAt, archivedAt } = info;
  // The tags of a conversation that a server runs are the server's.
  if (server !== null) return [{ name: "Delete", icon: "delete", act: () => removeConversation(id, titleOf(info), server) }];
  return [
    { name: "Rename", icon: "rename", act: rename },
    { name: pinnedAt === null ? "Pin" : "Unpin", icon: "pin", act: () => mark([info], "pinned", pinnedAt === null) },
    { name: archivedAt === null ? "Archive" : "Unarchive", icon: "archive", act: () => mark([info], "archived", archivedAt === null) },
    { name: "Delete", icon: "delete", act: () => mark([info], "trashed", true) },
  ];
}
