// Times in words, from the point of view of now.

const STEPS: Array<[unit: Intl.RelativeTimeFormatUnit, seconds: number]> = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const absolute = new Intl.DateTimeFormat("en", { dateStyle: "medium" });

export function howLongAgo(time: Date): string {
  const seconds = (Date.now() - time.getTime()) / 1000;
  if (seconds > 7 * 86_400) return absolute.format(time);
  for (const [unit, length] of STEPS) if (seconds >= length) return relative.format(-Math.floor(seconds / length), unit);
  return "just now";
}
