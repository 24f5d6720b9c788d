// Tells other handles, pages and lists of the same store which conversation has changed. The messages are only hints: everything
// else is read from the store.
import { reading } from "./errors.js";
import type { Store } from "./store.js";

/** A change of a stored conversation. @internal */
export interface Change {
  id: string;
  /** Whether a list of conversations shows it: existence, title, tags, status. */
  isListed: boolean;
}

/** The users of a store in this page, and the channel to other pages, which exist as long as somebody uses it. */
interface Scope {
  users: Set<Member>;
  channel: BroadcastChannel | undefined;
}

/** Stores with the same name are the same store. */
const scopes = new Map<unknown, Scope>();

/** A user of a store. @internal */
export class Member {
  readonly #key: unknown;
  readonly #scope: Scope;
  readonly hear: ((change: Change) => void) | undefined;

  /** @param hear Called in a task of its own with the changes of this page, this user's own too, and of others. */
  constructor(store: Store, hear?: (change: Change) => void) {
    this.#key = reading("store", () => store?.name ?? store);
    let scope = scopes.get(this.#key);
    if (!scope) scopes.set(this.#key, (scope = { users: new Set(), channel: undefined }));
    if (typeof this.#key === "string" && typeof BroadcastChannel === "function") scope.channel ??= channelOf(this.#key, scope);
    this.#scope = scope;
    this.hear = hear;
    scope.users.add(this);
  }

  tell(change: Change): void {
    pass(this.#scope, change);
    this.#scope.channel?.postMessage(change);
  }

  leave(): void {
    const { users, channel } = this.#scope;
    users.delete(this);
    if (users.size > 0 || scopes.get(this.#key) !== this.#scope) return;
    channel?.close();
    scopes.delete(this.#key);
  }
}

/** Tells that a conversation was created, deleted or imported without being opened. @internal */
export function announce(store: Store, ids: readonly string[]): void {
  const member = new Member(store);
  for (const id of ids) member.tell({ id, isListed: true });
  member.leave();
}

function channelOf(name: string, scope: Scope): BroadcastChannel {
  const channel = new BroadcastChannel(`threadkeep:${name}`);
  channel.onmessage = ({ data }) => pass(scope, data);
  // In Node it would keep the process alive.
  (channel as { unref?(): void }).unref?.();
  return channel;
}

/** An error of one listener, which may be a function of the host, surfaces as an uncaught error and does not affect others. */
function pass({ users }: Scope, change: Change): void {
  for (const user of users) if (user.hear) queueMicrotask(() => users.has(user) && user.hear!(change));
}
