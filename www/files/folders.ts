// Folders of the user's device in place of a conversation's own files, in browsers that can open folders. The library
// remembers the folders; this page remembers which conversations have one.

import { type FolderWorkspace, folderWorkspace } from "threadkeep";

const STORAGE_KEY = "threadkeep-demo:folders";

export const canPickFolder = (): boolean => "showDirectoryPicker" in globalThis;

export const usesFolder = (conversationId: string): boolean => conversations().includes(conversationId);

export const folderOf = (conversationId: string): FolderWorkspace => folderWorkspace(`threadkeep-demo:${conversationId}`);

/** Lets the user pick a folder. Open the conversation again after that. */
export async function pickFolder(conversationId: string): Promise<void> {
  await folderOf(conversationId).pick();
  keep([...conversations().filter((id) => id !== conversationId), conversationId]);
}

/** The folder and its files stay as they are. */
export async function forgetFolder(conversationId: string): Promise<void> {
  if (!usesFolder(conversationId)) return;
  keep(conversations().filter((id) => id !== conversationId));
  await folderOf(conversationId).forget();
}

function conversations(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "[]");
    return Array.isArray(stored) ? stored.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}

function keep(ids: readonly string[]): void {
  localStorage.setItem(STORAGE_KEY, JSON.stringify(ids));
}
