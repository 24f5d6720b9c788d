// The headings under which the conversations of the list stand: pinned ones, and the days of the others.

import type { ConversationInfo } from "threadkeep";

export interface Group {
  name: string;
  conversations: readonly ConversationInfo[];
}

const PINNED = "Pinned";
const month = new Intl.DateTimeFormat("en", { month: "long", year: "numeric" });

/** The first `most` of these conversations, which are newest first, in groups; the one that was pinned last comes first. */
export function groupsOf(conversations: readonly ConversationInfo[], most: number, now = new Date()): Group[] {
  const groups = new Map<string, ConversationInfo[]>([[PINNED, []]]);
  for (const info of conversations) {
    const name = info.pinnedAt === null ? dayName(info.updatedAt, now) : PINNED;
    const group = groups.get(name);
    if (group) group.push(info);
    else groups.set(name, [info]);
  }
  groups.get(PINNED)!.sort((one, other) => Number(other.pinnedAt) - Number(one.pinnedAt));
  const first: Group[] = [];
  let room = most;
  for (const [name, all] of groups) {
    const fitting = all.slice(0, room);
    room -= fitting.length;
    if (fitting.length > 0) first.push({ name, conversations: fitting });
  }
  return first;
}

function dayName(time: Date, now: Date): string {
  // Rounded, because one day in a year has 23 hours and another one has 25.
  const days = Math.round((midnight(now) - midnight(time)) / 86_400_000);
  // The clock of another device may be ahead.
  if (days <= 0) return "Today";
  if (days === 1) return "Yesterday";
  if (days <= 7) return "Previous 7 days";
  return days <= 30 ? "Previous 30 days" : month.format(time);
}

const midnight = (time: Date): number => new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime();
