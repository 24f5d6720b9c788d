// Waiting for something that a server does.
import type { Link } from "./link.js";

/** So often, in milliseconds, what is waited for is asked for: in case that nothing has told of it, or where nothing tells. */
const asksEvery = { live: 5_000, asking: 300 };

/**
 * Resolves to the first value that `find` has, which is called again after each change. Without a live connection it asks for more.
 * Rejects once the connection has ended for good.
 */
export async function until<T>(link: Link, find: (isSnapshot: boolean) => T | undefined | Promise<T | undefined>): Promise<T> {
  const { promise, resolve, reject } = withResolvers<T>();
  const look = async (isSnapshot: boolean) => {
    const found = await find(isSnapshot);
    if (found !== undefined) resolve(found);
  };
  const unwatch = link.watch((isSnapshot) => void look(isSnapshot).catch(reject));
  const over = () => reject(link.end.reason);
  link.end.addEventListener("abort", over);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const askLater = () => {
    const again = async () => {
      if (link.isReached) await link.look().catch(() => {});
      askLater();
    };
    if (!isOver) timer = setTimeout(() => void again(), link.isLive ? asksEvery.live : asksEvery.asking);
  };
  try {
    await look(false);
    if (link.end.aborted) over();
    else askLater();
    return await promise;
  } finally {
    isOver = true;
    clearTimeout(timer);
    unwatch();
    link.end.removeEventListener("abort", over);
  }
}

/** A promise that is settled from outside. */
export function withResolvers<T>() {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((...both) => ([resolve, reject] = both));
  return { promise, resolve, reject };
}
