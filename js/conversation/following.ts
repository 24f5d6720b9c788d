// A follower: a handle that shows what another page, or another handle of this page, writes. Loaded with the first follower.
import type { CoreConversation } from "../../pkg/threadkeep.js";
import type { join, lockOfWriter } from "../store/changes.js";
import { ask } from "../input/errors.js";
import type { LiveEvent } from "../events/events.js";
import type { Store } from "../store/store.js";
import type { LazyHome } from "../workspace/workspace.js";

/** A follower, and functions of the core, whose first download would otherwise have one more file. */
interface Follower {
  store: Store;
  id: string;
  core: CoreConversation;
  home: LazyHome;
  emit(event: LiveEvent): void;
  join: typeof join;
  /** `undefined` where only messages tell of the writer's end. */
  lock: ReturnType<typeof lockOfWriter>;
}

/**
 * Follows from now on. Resolves once everything is taken in that is stored by then, to a function that ends it.
 * @throws ThreadkeepError `store_lost`, those of the store, and `network` if a part of the library does not load
 */
export async function follow({ store, id, core, home, emit, join, lock }: Follower): Promise<() => void> {
  const end = new AbortController();
  const { signal } = end;
  let isStale = false;
  let reading: Promise<void> | undefined;
  /** Reads until there is nothing new; a message that arrives meanwhile may be about something that was not read. */
  const read = async () => {
    while (isStale && !signal.aborted) {
      isStale = false;
      await ask(core, "catchUp");
      home.changed();
    }
  };
  const refresh = () => {
    isStale = true;
    return (reading ??= read().finally(() => (reading = undefined)));
  };
  const changeAccess = (value: "free" | "deleted") => {
    if (!signal.aborted) emit({ kind: "ConversationStateUpdateEvent", key: "access", value });
  };
  const fail = (error: unknown) => {
    // After other errors, such as a database that is blocked for a moment, the next message leads to another attempt.
    if ((error as { code?: unknown }).code !== "store_lost") return;
    changeAccess("deleted");
    end.abort();
  };
  const becameFree = () =>
    refresh()
      .then(() => changeAccess("free"))
      .catch(fail);

  let isWaiting = false;
  /** Reports the end of the writer. The lock is shared and released at once, so that all followers get it. */
  const awaitEnd = () => {
    if (!lock || isWaiting) return;
    isWaiting = true;
    const over = () => void (isWaiting = false);
    lock.locks.request(lock.name, { mode: "shared", signal }, over).then(becameFree, over);
  };
  const member = join(store, (change) => {
    if (change.id !== id) return;
    if (change.isOver) {
      if (!lock) void becameFree();
      return;
    }
    refresh().catch(fail);
    awaitEnd();
  });
  signal.addEventListener("abort", () => member.leave());
  try {
    await refresh();
  } catch (error) {
    end.abort();
    throw error;
  }
  awaitEnd();
  return () => end.abort();
}
