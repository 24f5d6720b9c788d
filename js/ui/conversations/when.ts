// Times in words, from the point of view of now.
import type { ConversationsLabels } from "./labels.js";

const steps: ReadonlyArray<readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number]> = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

export function howLongAgo(time: Date, { locale, justNow }: ConversationsLabels, now = Date.now()): string {
  const seconds = (now - time.getTime()) / 1000;
  if (seconds > 7 * 86_400) return new Intl.DateTimeFormat(locale, { dateStyle: "medium" }).format(time);
  for (const [unit, length] of steps)
    if (seconds >= length) return new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(-Math.floor(seconds / length), unit);
  return justNow;
}
