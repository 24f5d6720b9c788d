/** @jsxImportSource preact */
// A time, in the reader's language: without the date if it is today.

export function Time({ date }: { date: Date | null }) {
  if (date === null || Number.isNaN(date.getTime())) return null;
  const isToday = date.toDateString() === new Date().toDateString();
  return <time dateTime={date.toISOString()}>{(isToday ? short : long).format(date)}</time>;
}

const short = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const long = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
