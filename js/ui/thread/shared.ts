// The conversations that threads of this page have open. A second thread of the same conversation gets the same one: two
// handles could not both write it. It is closed when the last thread is.
import { type Store, indexedDBStore } from "threadkeep";
import type { Session } from "./session.js";

interface Entry {
  session: Session;
  users: number;
}

const open = new Map<unknown, Map<string, Entry>>();

/** The session of this conversation, which `make` opens if no other thread has it. Returns it with a function that gives it up. */
export function share(store: Store | undefined, id: string, make: () => Session): { session: Session; release: () => Promise<void> } {
  const scope = (store ?? indexedDBStore())?.name ?? store;
  const ids = open.get(scope) ?? new Map<string, Entry>();
  open.set(scope, ids);
  const key = id.replaceAll("-", "").toLowerCase();
  const known = ids.get(key);
  const entry = known ?? { session: make(), users: 0 };
  ids.set(key, entry);
  entry.users += 1;
  const forget = () => void (ids.get(key) === entry && ids.delete(key));
  // The next thread tries again.
  entry.session.opened.catch(forget);
  const release = async () => {
    entry.users -= 1;
    // React's StrictMode unmounts a component and mounts it again at once, and a router does so with two components.
    await new Promise((resolve) => setTimeout(resolve));
    if (entry.users > 0 || ids.get(key) !== entry) return;
    forget();
    await entry.session.end(true);
  };
  return { session: entry.session, release };
}
