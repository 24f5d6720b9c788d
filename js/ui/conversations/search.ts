// The messages that have what is typed into the search field.
import { search, type SearchHit, type SearchResult, type Store } from "threadkeep";
import { useEffect, useState } from "preact/hooks";

/** From how many letters on messages are searched, and for how many milliseconds nothing more is typed by then. */
const shortest = 2;
const debounce = 150;
/** How many milliseconds lie between two looks at an index that is not complete. */
const patience = 1000;
const portion = 20;

export interface Found {
  hits: readonly SearchHit[];
  more: boolean;
  pending: number;
  error: unknown;
}

/** What was found, and again while older messages are still being read; `null` while nothing is sought. */
export function useFound(text: string, store: Store | undefined): { found: Found | null; showMore: () => void } {
  const [found, setFound] = useState<Found | null>(null);
  const [most, setMost] = useState(portion);
  useEffect(() => setMost(portion), [text]);
  useEffect(() => {
    if (text.length < shortest) return setFound(null);
    const stopped = new AbortController();
    const { signal } = stopped;
    const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
    const look = async (): Promise<void> => {
      await pause(debounce);
      while (!signal.aborted) {
        const result: SearchResult = await search(text, { store, limit: most, signal });
        if (signal.aborted) return;
        // Those in titles are above.
        setFound({ ...result, hits: result.hits.filter(({ eventId }) => eventId !== null), error: null });
        if (result.pending === 0) return;
        await pause(patience);
      }
    };
    look().catch((error: unknown) => signal.aborted || setFound({ hits: [], more: false, pending: 0, error }));
    return () => stopped.abort();
  }, [text, store, most]);
  return { found, showMore: () => setMost((count) => count + portion) };
}
