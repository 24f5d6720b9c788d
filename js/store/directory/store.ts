// The store in a directory: finds conversations, and holds their locks.
import { ThreadkeepError, isA } from "../../input/errors.js";
import type { Commit, Listing, Store } from "../store.js";
import { passTornBlock } from "../torn-block.js";
import { CutOff, StoredConversation } from "./conversation.js";
import { type Directory, each, failure } from "./disk.js";
import { hexOf } from "./names.js";
import { Places } from "./places.js";

/** @internal */
export async function storeIn(root: Directory): Promise<Omit<Store, "close">> {
  const locks = globalThis.navigator?.locks;
  if (!locks) throw new ThreadkeepError("store_unavailable", "a store in a directory needs Web Locks, which this page does not have");
  const inOpfs = await pathInOpfs(root);
  // Not the name of the store: an app may have given the same directory two of them.
  const scope = `threadkeep-folder:${inOpfs ?? root.name}`;
  const places = new Places(root);
  const conversations = new Map<string, StoredConversation>();

  const conversationAt = (hex: string) => {
    const known = conversations.get(hex) ?? new StoredConversation(hex, places, inOpfs === undefined);
    conversations.set(hex, known);
    return known;
  };

  async function locked<T>(hex: string, mode: LockMode, work: (conversation: StoredConversation) => Promise<T>): Promise<T> {
    try {
      if (mode === "exclusive" && inOpfs !== undefined) await passTornBlock();
      return (await locks.request(`${scope}:${hex}`, { mode }, () => work(conversationAt(hex)))) as T;
    } catch (error) {
      throw isA(error, CutOff) ? error : failure(error);
    }
  }

  /** Those that write exclude all others; those that read exclude them, until one finds a commit that was cut off. */
  async function using<T>(hex: string, mode: LockMode, work: (conversation: StoredConversation) => Promise<T>): Promise<T> {
    try {
      return await locked(hex, mode, work);
    } catch (error) {
      if (!(error instanceof CutOff)) throw error;
      return locked(hex, "exclusive", async (conversation) => {
        await conversation.repair();
        return work(conversation);
      });
    }
  }

  return {
    async list() {
      const found = await places.all();
      const now = Date.now();
      const listings = await each(found, async (place): Promise<Listing | undefined> => {
        const listing = await using(place.hex, "shared", (conversation) => conversation.load(place));
        if (!listing) await locked(place.hex, "exclusive", (conversation) => conversation.sweep(now));
        return listing;
      });
      return listings.filter((listing) => listing !== undefined);
    },
    load: (id) => using(hexOf(id), "shared", (conversation) => conversation.load()),
    events: (id, start, end) => using(hexOf(id), "shared", (conversation) => conversation.events(start, end)),
    indexOf: (id, event) => using(hexOf(id), "shared", (conversation) => conversation.indexOf(event)),
    files: (id, folder) => using(hexOf(id), "shared", (conversation) => conversation.files(folder)),
    readFile: (id, path) => using(hexOf(id), "shared", (conversation) => conversation.readFile(path)),
    commit: (id, commit: Commit) => using(hexOf(id), "exclusive", (conversation) => conversation.commit(commit)),
    delete: (id) => locked(hexOf(id), "exclusive", (conversation) => conversation.delete()),
  };
}

/** The path of the directory in OPFS, `undefined` if it is one that the user has picked. */
async function pathInOpfs(directory: Directory): Promise<string | undefined> {
  try {
    const path = await (await navigator.storage.getDirectory()).resolve(directory);
    return path ? `/${path.join("/")}` : undefined;
  } catch {
    return undefined;
  }
}
