// All texts of the files, so that a page can replace them by those of another language.

export const defaultFilesLabels = {
  files: "Files of this conversation",
  none: "No files yet. The agent can make some, and you can add yours.",
  more: (count: number) => `and ${count.toLocaleString("en")} more`,
  removed: (paths: readonly string[]) => `Removed: ${paths.join(", ")}.`,
  /** Beside the name of a file, by what has happened to it. */
  changes: { added: "added", changed: "changed", removed: "removed" } as Readonly<Record<string, string>>,
  add: "Add files…",
  filesToAdd: "Files to add",
  dropHere: "Or drop them here.",
  added: (count: number) => (count === 1 ? "Added 1 file." : `Added ${count} files.`),
  isThere: (name: string) => `There is already a file ${name} here: remove it first.`,
  /** In place of the button, by the conversation's home. */
  elsewhere: {
    tab: "The agent runs in another tab: there, files can be added and changed.",
    worker: "The agent runs in the background: attach files to a message to add them.",
  } as Readonly<Record<string, string>>,

  // One file
  close: "Close the file",
  show: "Show",
  content: "Content",
  changed: "Changes in this conversation",
  download: "Download",
  remove: "Remove…",
  removeForGood: "Remove it for good",
  wasRemoved: (path: string) => `Removed ${path}.`,
  empty: "The file is empty.",
  neither: "This is not text, and not an image that can be shown here. Download it to open it elsewhere.",
  onlyTexts: "Only changes of texts are shown.",
};

type DefaultLabels = typeof defaultFilesLabels;

/** The texts of the files. Some are functions of what they name. An interface, which editors and the reference name in place of its members. */
export interface FilesLabels extends DefaultLabels {}
