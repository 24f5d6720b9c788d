// Shows one event of a thread: reads earlier messages until it is there, scrolls to its row, and marks it.
import { useEffect, useState } from "preact/hooks";
import type { ThreadSnapshot } from "../../thread/index.js";
import { type Row, rowOfEvent } from "./rows.js";

interface Inputs {
  eventId: string | null | undefined;
  onMissing: ((eventId: string) => void) | undefined;
  snapshot: ThreadSnapshot;
  rows: readonly Row[];
  isLoading: boolean;
  loadAll(): void;
  /** Opens the line that a row is folded into; whether it had to, so that the row comes with the next rendering. */
  unfold(row: Row): boolean;
  /** Scrolls to a row, and no longer follows the end. */
  show(row: Row): void;
}

/** The key of the row that is marked, or `null`. Another `eventId` is another search; one that is found is not searched again. */
export function useSought({ eventId, onMissing, snapshot, rows, isLoading, loadAll, unfold, show }: Inputs): string | null {
  const isOpen = snapshot.phase === "open";
  const [sought, seek] = useState<string | null>(null);
  const [marked, mark] = useState<string | null>(null);
  useEffect(() => {
    mark(null);
    seek(isOpen && eventId ? eventId : null);
  }, [eventId, isOpen]);
  // Scrolling draws other rows at once, which must not happen while those of this rendering are still being set up.
  useEffect(() => {
    if (sought === null || isLoading) return;
    const row = rows[rowOfEvent(rows, sought)];
    if (row === undefined && snapshot.hasEarlier && snapshot.error === null) return loadAll();
    if (row !== undefined && unfold(row)) return;
    seek(null);
    if (row === undefined) return onMissing?.(sought);
    mark(row.key);
    show(row);
  });
  return marked;
}
