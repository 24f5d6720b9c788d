// Adds files of the user to a workspace: chosen with a button, or dropped.

import type { Workspace } from "threadkeep";
import { announce } from "../shell/announcer.ts";
import { ask } from "../shell/dialogs.ts";
import { el } from "../shell/dom.ts";
import { report } from "../shell/notices.ts";

/** As the library's own limit: files are held in memory as a whole. */
const LARGEST = 32 * 1024 * 1024;

/** Resolves to the number of files that were added. Never rejects. */
export async function upload(workspace: Workspace, files: readonly File[]): Promise<number> {
  let added = 0;
  for (const file of files) {
    try {
      if (await addFile(workspace, file)) added += 1;
    } catch (error) {
      report(error, { title: `${file.name} was not added`, isHere: true, recoveries: [] });
    }
  }
  if (added > 0) announce(added === 1 ? "Added 1 file." : `Added ${added} files.`);
  return added;
}

async function addFile(workspace: Workspace, file: File): Promise<boolean> {
  if (file.size > LARGEST) throw new Error("a file in a conversation may have at most 32 megabytes");
  if ((await workspace.stat(file.name)) && !(await mayReplace(file.name))) return false;
  await workspace.write(file.name, new Uint8Array(await file.arrayBuffer()));
  return true;
}

async function mayReplace(name: string): Promise<boolean> {
  const answer = await ask({
    heading: "Replace the file?",
    body: [el("p", {}, `There is already a file ${name} here. Its content would be lost.`)],
    actions: [{ value: "replace", name: "Replace", look: "danger" }],
  });
  return answer === "replace";
}
