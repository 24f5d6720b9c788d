// Tells other handles, pages and lists of the same store which conversation has changed. The messages are only hints: everything
// else is read from the store.
import type { Store } from "./store.js";
import { scopeOf } from "./turns.js";

/** A change of a stored conversation. @internal */
export interface Change {
  id: string;
  /** Whether a list of conversations shows it: existence, title, tags, status. */
  isListed: boolean;
  /** Whether it was deleted on purpose. */
  isDeleted?: boolean;
  /** Whether the handle that writes it is closed. */
  isOver?: boolean;
  /** `"asking"`: a follower asks the writer to answer it. `"taken"`: another handle writes it from now on, since this time. */
  word?: "asking" | "taken";
  since?: number;
}

/** A part of this page that uses a store. @internal */
export interface Member {
  tell(change: Change): void;
  leave(): void;
}

type Hear = (change: Change) => void;

/** The members of this page, of which some listen, and the channel to other pages. It exists as long as it has members. */
interface Scope {
  members: Map<Member, Hear | undefined>;
  channel: BroadcastChannel | undefined;
}

const scopes = new Map<unknown, Scope>();

/** @param hear Called in a microtask of its own with the changes of this page, those of this member too, and of other pages. @internal */
export function join(store: Store, hear?: Hear): Member {
  const key = scopeOf(store);
  const scope = scopes.get(key) ?? newScope(key);
  const { members, channel } = scope;
  const member: Member = {
    tell(change) {
      // A commit may end after the conversation was closed.
      if (!members.has(member)) return;
      pass(members, change);
      channel?.postMessage(change);
    },
    leave() {
      if (!members.delete(member) || members.size > 0) return;
      channel?.close();
      scopes.delete(key);
    },
  };
  members.set(member, hear);
  return member;
}

/** Tells that conversations were imported, changed in a list, or deleted. @internal */
export function announce(store: Store, ids: readonly string[], isDeleted = false): void {
  const { tell, leave } = join(store);
  for (const id of ids) tell(isDeleted ? { id, isListed: true, isDeleted } : { id, isListed: true });
  leave();
}

/**
 * The locks of this browser, and the name of the one that a page holds as long as it writes this conversation, for which followers wait.
 * It is not the lock of the core: who waits for that one would keep it from those that only try to take it. @internal
 */
export function lockOfWriter({ name }: Store, id: string): { locks: LockManager; name: string } | undefined {
  const locks = globalThis.navigator?.locks;
  // A store without a name is in this page only.
  return locks && name !== undefined ? { locks, name: `threadkeep-writer:${name}:${id}` } : undefined;
}

/**
 * Lets followers hear of the changes that `tell` is called with, and of the end, even if the page crashes. `hear` gets what is
 * said to the writer of this conversation. With `steals`, a writer since an earlier time, which may be frozen, has to give way. @internal
 */
export function write(
  store: Store,
  id: string,
  steals: boolean,
  since: number,
  hear: (change: Change) => void,
): { tell(isListed: boolean): void; leave(isOver: boolean): void } {
  const { tell, leave } = join(store, (change) => change.id === id && change !== taken && change.word && hear(change));
  const taken: Change = { id, isListed: false, word: "taken", since };
  if (steals) tell(taken);
  const lock = lockOfWriter(store, id);
  let release!: () => void;
  const over = new Promise<void>((resolve) => (release = resolve));
  // WebKit takes the locks of a page that was left and may be shown again, and another one may write meanwhile. The page hears of that
  // before or after it is shown.
  let isLost = false;
  let wasLeft = false;
  const lose = () => {
    if (isLost && wasLeft) hear({ ...taken, since: Infinity });
  };
  const shown = ({ persisted }: PageTransitionEvent) => ((wasLeft ||= persisted), lose());
  globalThis.document && addEventListener("pageshow", shown);
  // Without the lock, followers only hear of an end that is no crash. It rejects when it is stolen.
  lock?.locks.request(lock.name, { steal: steals }, () => over).catch(() => ((isLost = true), lose()));
  return {
    tell: (isListed) => tell({ id, isListed }),
    leave(isOver) {
      if (isOver) tell({ id, isListed: false, isOver: true });
      leave();
      release();
      globalThis.document && removeEventListener("pageshow", shown);
    },
  };
}

function newScope(key: unknown): Scope {
  const members: Scope["members"] = new Map();
  let channel: BroadcastChannel | undefined;
  if (typeof key === "string" && typeof BroadcastChannel === "function") {
    channel = new BroadcastChannel(`threadkeep:${key}`);
    channel.onmessage = ({ data }) => pass(members, data);
    // In Node it would keep the process alive.
    (channel as { unref?(): void }).unref?.();
  }
  const scope = { members, channel };
  scopes.set(key, scope);
  return scope;
}

/** An error of a listener, which may be a function of the host, surfaces as an uncaught error and does not affect others. */
function pass(members: Scope["members"], change: Change): void {
  for (const [member, hear] of members) if (hear) queueMicrotask(() => members.has(member) && hear(change));
}
