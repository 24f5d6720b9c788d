/** @jsxImportSource preact */
// Export as a download. An archive contains the whole conversation; the other forms are for other programs.

import type { Conversation } from "threadkeep";
import { currentSession } from "../conversation/stage.ts";
import { leaveSession, openSession } from "../conversation/open-sessions.ts";
import { ask, Check } from "./dialogs.tsx";
import { notify, report } from "./notices.tsx";

interface Form {
  name: string;
  help: string;
  ending: string;
  write: (conversation: Conversation) => Promise<Blob>;
}

const text = (type: string, content: string): Blob => new Blob([content], { type: `text/${type};charset=utf-8` });

const forms: Record<string, Form> = {
  archive: {
    name: "Archive",
    help: "Everything, as a zip file that the Python SDK can continue.",
    ending: ".zip",
    write: (conversation) => conversation.exportZip(),
  },
  files: {
    name: "Archive with files",
    help: "The same, with the files that the agent works on in a folder workspace/.",
    ending: ".zip",
    write: (conversation) => conversation.exportZip({ workspace: true }),
  },
  html: {
    name: "Page",
    help: "To read and to print: one HTML file that needs no network.",
    ending: ".html",
    write: async (conversation) => text("html", await conversation.exportHTML()),
  },
  markdown: {
    name: "Markdown",
    help: "To read and to edit, for notes and repositories.",
    ending: ".md",
    write: async (conversation) => text("markdown", await conversation.exportMarkdown()),
  },
};

/** Asks for a form, and exports the open conversation. */
export async function exportInSomeForm(): Promise<void> {
  const session = currentSession();
  if (session === null) return;
  let chosen = "archive";
  const choices = Object.entries(forms).map(([form, { name, help }]) => (
    <Check
      key={form}
      id={`export-${form}`}
      name="export-form"
      value={form}
      label={name}
      help={help}
      checked={form === chosen}
      onChange={() => (chosen = form)}
    />
  ));
  const fields = (
    <fieldset>
      <legend>As</legend>
      {choices}
    </fieldset>
  );
  if (await ask(`Export “${session.title}”`, fields, { value: "export", name: "Export", look: "primary" }))
    await exportConversation(session.conversation, session.title, chosen);
}

/** Exports a conversation, open or not, as an archive. Resolves to whether it worked; a failure is reported. */
export async function exportStored(conversationId: string, title: string): Promise<boolean> {
  const open = currentSession();
  if (open?.id === conversationId) return exportConversation(open.conversation, title);
  try {
    const session = await openSession(conversationId);
    return await exportConversation(session.conversation, title).finally(() => leaveSession(session));
  } catch (error) {
    report(error, { title: "The export did not work", retry: () => void exportStored(conversationId, title) });
    return false;
  }
}

async function exportConversation(conversation: Conversation, title: string, form = "archive"): Promise<boolean> {
  const { name, ending, write } = forms[form]!;
  notify(`Exporting “${title}”…`);
  try {
    download(await write(conversation), fileNameFor(title, conversation.id, ending));
    notify(`Exported. The ${name.toLowerCase()} is in your downloads.`);
    return true;
  } catch (error) {
    report(error, { title: "The export did not work", retry: () => void exportConversation(conversation, title, form) });
    return false;
  }
}

/** Offers it as a download. */
function download(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  // The download reads the blob after the click returns.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

function fileNameFor(title: string, id: string, ending: string): string {
  const words = title.normalize("NFC").match(/[\p{L}\p{N}]+/gu) ?? ["conversation"];
  return `${words.join("-").slice(0, 60)}-${id.slice(0, 8)}${ending}`;
}
