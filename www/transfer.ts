// Conversations in and out: export as a download, import by button or by dropping files on the page.

import { Conversation } from "threadkeep";
import { announce } from "./announcer.ts";
import { refreshList } from "./conversation-list.ts";
import { byId, el } from "./dom.ts";
import { notify, report } from "./notices.ts";
import { goTo } from "./router.ts";

export async function exportConversation(conversation: Conversation, title: string): Promise<void> {
  try {
    announce("Exporting.");
    const zip = await conversation.exportZip();
    const url = URL.createObjectURL(zip);
    el("a", { href: url, download: fileNameFor(title, conversation.id) }).click();
    // The download reads the blob after the click returns.
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
    notify("Exported. The archive is in your downloads.");
  } catch (error) {
    report(error, { title: "The export did not work", retry: () => exportConversation(conversation, title) });
  }
}

export function startImport(): void {
  const input = byId<HTMLInputElement>("import-file");
  byId("import-button").addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    const files = [...(input.files ?? [])];
    input.value = ""; // or choosing the same file again would be no change
    void importFiles(files);
  });
  startDropping();
}

async function importFiles(files: File[]): Promise<void> {
  let first: string | undefined;
  let count = 0;
  for (const file of files) {
    try {
      announce(`Importing ${file.name}.`);
      const imported = await Conversation.importZip(file);
      first ??= imported[0]?.id;
      count += imported.length;
    } catch (error) {
      report(error, { title: `${file.name} cannot be imported`, retry: () => byId("import-file").click(), retryName: "Choose another file" });
    }
  }
  if (first === undefined) return;
  await refreshList();
  goTo(first);
  notify(count === 1 ? "Imported 1 conversation." : `Imported ${count} conversations.`);
}

function startDropping(): void {
  const zone = byId("drop-zone");
  // Moving over a child leaves its parent first; only a count tells when the files have left the page.
  let depth = 0;
  const show = (): void => void (zone.hidden = depth <= 0);
  const carriesFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;

  addEventListener("dragenter", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    depth += 1;
    show();
  });
  addEventListener("dragover", (event) => carriesFiles(event) && event.preventDefault());
  addEventListener("dragleave", (event) => {
    if (!carriesFiles(event)) return;
    depth -= 1;
    show();
  });
  addEventListener("drop", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    depth = 0;
    show();
    void importFiles([...(event.dataTransfer?.files ?? [])]);
  });
}

function fileNameFor(title: string, id: string): string {
  const name = title.normalize("NFC").replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "").slice(0, 60);
  return `${name || "conversation"}-${id.slice(0, 8)}.zip`;
}
