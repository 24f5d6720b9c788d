// The headings under which conversations stand: pinned ones, folders, and the days of the others.
import type { ConversationInfo } from "threadkeep";
import type { ConversationsLabels } from "./labels.js";

export interface Group {
  name: string;
  conversations: readonly ConversationInfo[];
}

/** The tag that names a conversation's folder. */
export const FOLDER = "folder";

export const folderOf = ({ tags }: Pick<ConversationInfo, "tags">): string | undefined => tags[FOLDER] || undefined;

/** The names of all folders, in the order of the alphabet. */
export function foldersOf(conversations: readonly ConversationInfo[], { locale }: ConversationsLabels): string[] {
  const names = new Set(conversations.flatMap((info) => folderOf(info) ?? []));
  return [...names].sort(new Intl.Collator(locale, { numeric: true }).compare);
}

/** The first `most` of these conversations, which are newest first, in groups by their days. */
export function daysOf(conversations: readonly ConversationInfo[], most: number, labels: ConversationsLabels, now = new Date()): Group[] {
  const groups = new Map<string, ConversationInfo[]>();
  for (const info of conversations.slice(0, most)) {
    const name = dayName(info.updatedAt, now, labels);
    const group = groups.get(name);
    if (group) group.push(info);
    else groups.set(name, [info]);
  }
  return [...groups].map(([name, conversations]) => ({ name, conversations }));
}

function dayName(time: Date, now: Date, labels: ConversationsLabels): string {
  // Rounded, because one day in a year has 23 hours and another one has 25.
  const days = Math.round((midnight(now) - midnight(time)) / 86_400_000);
  // The clock of another device may be ahead.
  if (days <= 0) return labels.today;
  if (days === 1) return labels.yesterday;
  if (days <= 7) return labels.previousWeek;
  return days <= 30 ? labels.previousMonth : new Intl.DateTimeFormat(labels.locale, { month: "long", year: "numeric" }).format(time);
}

const midnight = (time: Date): number => new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime();
