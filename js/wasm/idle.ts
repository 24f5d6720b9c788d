// The time for what is loaded ahead: once the conversations that are being opened are on the screen, and the page has nothing else to do.

/** How long a page that is busy, or that draws nothing, is waited for, in milliseconds. */
const patience = 100;

/** The openings that are under way, each until what its caller reads first is there. */
const openings = new Set<Promise<unknown>>();

/** Ends the waiting of those who load something ahead. */
let hurries = new Set<() => void>();

/** What is loaded ahead waits until this is over. @internal */
export function waitsFor(opening: Promise<unknown>): void {
  const over = () => void openings.delete(opening);
  openings.add(opening);
  opening.then(over, over);
}

/** Resolves when it is time to load ahead. Never rejects. @internal */
export async function whenIdle(): Promise<void> {
  let hurry!: () => void;
  const hurried = new Promise<void>((resolve) => (hurry = resolve));
  hurries.add(hurry);
  await Promise.race([hurried, Promise.allSettled(openings).then(drawn)]);
  hurries.delete(hurry);
}

/** Something is about to happen that may need what is loaded ahead. @internal */
export function loadAheadNow(): void {
  const waiting = hurries;
  hurries = new Set();
  for (const hurry of waiting) hurry();
}

/** Resolves when the page has drawn, and has nothing else to do; where nothing is drawn, at once. */
function drawn(): Promise<void> | undefined {
  const { document, requestIdleCallback } = globalThis as Partial<Pick<typeof globalThis, "document" | "requestIdleCallback">>;
  if (document?.visibilityState !== "visible") return undefined;
  return new Promise((resolve) => {
    const frame = () => {
      clearTimeout(timer);
      if (requestIdleCallback) requestIdleCallback(() => resolve(), { timeout: patience });
      else setTimeout(resolve);
    };
    // A tab that has just been hidden gets no frame.
    const timer = setTimeout(frame, patience);
    requestAnimationFrame(frame);
  });
}
