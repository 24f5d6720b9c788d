// All texts of the list, so that a page can replace them by those of another language.

const several = (count: number): string => (count === 1 ? "1 conversation" : `${count} conversations`);

export const defaultConversationsLabels = {
  /** The language of times, as `Intl` names it. */
  locale: "en",
  conversations: "Conversations",
  begin: "New conversation",
  untitled: "Untitled conversation",
  more: "More",
  moreAbout: (title: string) => `More about “${title}”`,
  moreAboutFolder: (folder: string) => `More about the folder “${folder}”`,
  moreAboutList: "More about the list",
  cancel: "Cancel",
  undo: "Undo",
  undone: "Undone.",
  tryAgain: "Try again",
  dismiss: "Dismiss",
  /** The name of a button of a notice, for those who do not see where it is. */
  buttonOf: (button: string, notice: string) => `${button}: ${notice}`,

  // The search
  search: "Search",
  searchName: "Search titles and messages",
  inMessages: "In messages",
  noTitle: "No title has these words.",
  found: (count: number) => `${count === 1 ? "1 message was" : `${count} messages were`} found.`,
  /** How many there are may not be known yet. */
  reading: (count: number | null) => `Still reading ${count === null ? "" : `${count.toLocaleString("en")} `}older messages…`,
  notSearched: (why: string) => `Messages cannot be searched. ${why}`,

  // The list
  empty: "Nothing here yet. What you write is stored on this device only.",
  pinned: "Pinned",
  today: "Today",
  yesterday: "Yesterday",
  previousWeek: "Previous 7 days",
  previousMonth: "Previous 30 days",
  justNow: "just now",
  archived: "Archived",
  trash: "Trash",
  trashMeans: (days: number) => `What has been here for ${days} ${days === 1 ? "day" : "days"} is deleted for ever.`,
  emptyTrash: "Empty trash",
  showMore: "Show more",
  hidden: (count: number) => `${count} are not shown`,
  deletedAgo: (ago: string) => `deleted ${ago}`,
  inArchive: "archived",
  onServer: (host: string) => `on the server ${host}`,
  /** Beside the time, by `executionStatus`. */
  states: {
    waiting_for_confirmation: "waits for you",
    paused: "paused",
    error: "ended with an error",
    stuck: "stuck",
  } as Readonly<Record<string, string>>,

  // What is done with a conversation
  rename: "Rename",
  newTitle: (title: string) => `New title of “${title}”`,
  renamed: (title: string) => `Renamed to ${title}.`,
  pin: "Pin",
  unpin: "Unpin",
  archive: "Archive",
  unarchive: "Unarchive",
  delete: "Delete",
  restore: "Restore",
  restoreTitle: (title: string) => `Restore “${title}”`,
  deleteForEver: "Delete for ever",
  deleteForEverTitle: (title: string) => `Delete “${title}” for ever`,
  move: "Move to a folder",
  folderOf: (what: string) => `A folder for ${what}`,
  newFolder: "New folder…",
  newFolderTitle: "New folder",
  noFolder: "No folder",
  folderName: "Name",
  create: "Create",
  renameFolder: "Rename folder",
  removeFolder: "Remove folder",
  title: (title: string) => `“${title}”`,
  several,
  /** `what` is `title()` or `several()`. */
  wasPinned: (what: string, count: number) => `${what} ${count === 1 ? "was" : "were"} pinned.`,
  wasUnpinned: (what: string, count: number) => `${what} ${count === 1 ? "was" : "were"} unpinned.`,
  wasArchived: (what: string, count: number) => `${what} ${count === 1 ? "was" : "were"} archived.`,
  wasUnarchived: (what: string, count: number) => `${what} ${count === 1 ? "was" : "were"} taken out of the archive.`,
  wasTrashed: (what: string, count: number) => `${what} ${count === 1 ? "was" : "were"} moved to the trash.`,
  wasRestored: (what: string, count: number) => `${what} ${count === 1 ? "was" : "were"} restored.`,
  wasMoved: (what: string, count: number, folder: string) => `${what} ${count === 1 ? "was" : "were"} moved to “${folder}”.`,
  wasMovedOut: (what: string, count: number) => `${what} ${count === 1 ? "is" : "are"} in no folder now.`,
  wasDeleted: (what: string) => `${what} was deleted for ever.`,
  trashIsEmpty: "The trash is empty.",

  // Several at once
  select: "Select",
  selected: (count: number) => (count === 0 ? "Select conversations" : `${count} selected`),
  withSelected: "With the selected conversations",
  done: "Done",

  // Questions
  deleteQuestion: "Delete this conversation for ever?",
  deleteMeans: (title: string) =>
    `“${title}” is stored on this device only. Once deleted it cannot be brought back, except from an export.`,
  deleteServerQuestion: "Delete this copy?",
  deleteServerMeans: (title: string, host: string) =>
    `The copy of “${title}” on this device is deleted, and this page does not list the conversation any more. On ${host} it stays.`,
  emptyQuestion: "Empty the trash?",
  emptyMeans: (count: number) =>
    count === 1
      ? "The conversation in it is deleted for ever. It cannot be brought back."
      : `All ${count} conversations in it are deleted for ever. They cannot be brought back.`,

  // Imports
  import: "Import…",
  filesToImport: "Archives and JSON files to import",
  importing: (what: string) => `Importing ${what}`,
  files: (count: number) => `${count} files`,
  place: (number: number, count: number) => `${number} of ${count}`,
  stop: "Stop",
  stopping: "Stopping…",
  importStopped: (done: number, count: number) => `The import was stopped: ${done} of ${count} files are here.`,
  goOn: "Go on",
  imported: (count: number) => `Imported ${several(count)}.`,
  continued: (count: number) => `Brought ${several(count)} up to date.`,
  merged: (count: number) => `Merged ${several(count)} with what was written here; the other branch is beside it.`,
  upToDate: (count: number) => `${several(count)} had nothing new.`,
  stayedInTrash: (count: number) => `${several(count)} stayed in the trash.`,
  moreWarnings: (count: number) => `And ${count === 1 ? "1 more warning" : `${count} more warnings`}.`,
  notImported: (names: readonly string[]) =>
    names.length === 1 ? `${names[0]} cannot be imported` : `${names.length} files cannot be imported`,
  andMore: (count: number) => `And ${count} more.`,
  dropHere: "Drop archives to import them",

  // Failures
  notListed: "Your conversations could not be listed",
  notChanged: "It could not be changed",
  notUndone: "It could not be undone",
  notDeleted: "It could not be deleted",
  notRenamed: "The conversation could not be renamed",
  trashNotEmptied: "The trash could not be emptied",
};

type DefaultLabels = typeof defaultConversationsLabels;

/** The texts of the list. Some are functions of what they name. An interface, which editors and the reference name in place of its members. */
export interface ConversationsLabels extends DefaultLabels {}
