// Waiting for what a test needs, in Node, in pages and in workers. From outside of a page: browser/until.mjs.

/** The limit of a wait is that of a hang: no test needs a machine that is quick. */
export const patience = 60_000;

/**
 * Resolves to what `condition` gives, or resolves to, as soon as that is something true. It is looked at every few milliseconds, and
 * whenever `of`, such as a conversation or a thread, tells its subscribers of something. The error says `what` did not come to be,
 * and what `seen` gives then.
 */
export async function until(condition, what = String(condition), { of, seen, limit = patience, every = 10 } = {}) {
  const end = performance.now() + limit;
  let look;
  const unsubscribe = of?.subscribe(() => look?.());
  try {
    for (;;) {
      const found = await condition();
      if (found) return found;
      if (performance.now() > end) break;
      let timer;
      await new Promise((resolve) => {
        look = resolve;
        timer = setTimeout(resolve, every);
      });
      clearTimeout(timer);
    }
  } finally {
    unsubscribe?.();
  }
  throw new Error(`waited in vain until ${what}${seen ? `; the last that was seen: ${inWords(await seen())}` : ""}`);
}

const inWords = (value) => (typeof value === "string" ? value : JSON.stringify(value));
