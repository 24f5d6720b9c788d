// Whether a handle writes its conversation or follows the one that does, and the way from one to the other.
import type { CoreConversation } from "../../pkg/threadkeep.js";
import type { ConversationEvent, LiveEvent } from "../events/events.js";
import { ask, ThreadkeepError } from "../input/errors.js";
import { type Change, join, lockOfWriter, write } from "../store/changes.js";
import type { Store } from "../store/store.js";
import { part } from "../wasm/wasm.js";
import type { LazyHome } from "../workspace/workspace.js";
import type { Following } from "./role/following.js";
import type { Serving, ServingSession } from "./role/serving.js";
import { type ArgumentsOf, type Verb, type Verbs, verbs } from "./verbs.js";

/** The part of its session that a role uses. */
interface RoleSession extends ServingSession {
  readonly id: string;
  readonly store: Store;
  readonly core: CoreConversation;
  readonly home: LazyHome;
  emit(event: ConversationEvent | LiveEvent): void;
  /** Takes note that this handle writes from now on, or no longer. */
  changedRole(isWriter: boolean): void;
}

/** @internal */
export class Role {
  readonly #session: RoleSession;
  readonly #takesOver: boolean;
  #writing: ReturnType<typeof write> | undefined;
  #serving: Promise<Serving> | Serving | undefined;
  #following: Following | undefined;
  /** The end of the last change between the two. */
  #changes: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  /** @param takesOver Whether it takes the place of a writer that has ended. */
  constructor(session: RoleSession, takesOver: boolean) {
    this.#session = session;
    this.#takesOver = takesOver;
  }

  /** Writes or follows from now on. @throws ThreadkeepError those of the store, and `network` if the part for followers does not load */
  async begin(): Promise<void> {
    if (this.#session.core.access() === "writer") this.#writing = this.#write(false);
    else this.#following = await this.#follow();
  }

  /** The handle is open, and hears what the writer says. */
  greet(): void {
    this.#following?.greet();
  }

  get home(): "here" | "tab" | "worker" {
    return this.#following?.home ?? "here";
  }

  /** Calls a method here, or where the writer is. */
  do<V extends Verb>(verb: V, ...args: ArgumentsOf<V>): ReturnType<Verbs[V]> {
    const session = this.#session;
    const { core } = session;
    const act = verbs[verb] as (...args: unknown[]) => unknown;
    const result = this.#following ? this.#following.ask(verb, args) : act({ session, core }, ...args);
    return result as ReturnType<Verbs[V]>;
  }

  /** Tells others that something is stored; `isListed` if lists show it. */
  tell(isListed: boolean): void {
    this.#writing?.tell(isListed);
    if (this.#serving && !("then" in this.#serving)) this.#serving.committed();
  }

  /** Makes this handle the writer: if there is none, or with `steals` in any case. Resolves to whether it is. */
  takeOver(steals: boolean): Promise<boolean> {
    return this.#inTurn(async () => {
      if (this.#isClosed) throw new ThreadkeepError("invalid_state", "the conversation is closed; open it again");
      if (!this.#following) return true;
      // Before it writes, so that other followers wait for its end, and that a writer which is alive gives way.
      const writing = this.#write(steals);
      let isWriter = false;
      try {
        isWriter = await ask(this.#session.core, "takeOver", steals);
      } finally {
        if (!isWriter) writing.leave(false);
      }
      if (isWriter) await this.#becomeWriter(this.#following, writing);
      return isWriter;
    });
  }

  /** Another handle has taken the place of this one. */
  displaced(): void {
    if (this.#following || this.#isClosed) return;
    // At once: what fails now because another handle writes is not the answer to what others have asked.
    this.#endServing();
    void this.#inTurn(async () => {
      if (this.#following || this.#isClosed) return;
      this.#endServing();
      this.#writing?.leave(false);
      this.#writing = undefined;
      await ask(this.#session.core, "stepDown");
      this.#session.changedRole(false);
      this.#following = await this.#follow();
      this.greet();
      this.#emit("access", "follower");
      this.#emit("home", this.#following.home);
    }).catch((error: { code?: unknown }) => error.code === "store_lost" && this.#emit("access", "deleted"));
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#writing?.leave(true);
    this.#endServing();
    const closed = new ThreadkeepError("invalid_state", "the conversation is closed; open it again");
    for (const call of this.#following?.leave(closed) ?? []) call.reject(closed);
  }

  #endServing(): void {
    const serving = this.#serving;
    this.#serving = undefined;
    if (!serving) return;
    if ("then" in serving) void serving.then((serving) => serving.end()).catch(() => {});
    else serving.end();
  }

  #write(steals: boolean): ReturnType<typeof write> {
    const { store, id } = this.#session;
    return write(store, id, steals, (change) => this.#hear(change));
  }

  #hear(change: Change): void {
    if (change.word === "taken") this.displaced();
    else if (change.word === "asking" && this.#writing) void this.#serve().catch(() => {});
  }

  /** Answers the others. What they ask before that, they ask again. */
  async #serve(): Promise<Serving> {
    if (this.#serving) return this.#serving;
    const loading = part(import("./role/serving.js")).then(({ serve }) => {
      const serving = serve(this.#session, verbs);
      // Otherwise it was ended meanwhile, and whoever has ended it waits for it.
      if (this.#serving === loading) this.#serving = serving;
      return serving;
    });
    this.#serving = loading;
    try {
      return await loading;
    } catch (error) {
      // The next one that asks leads to another attempt.
      if (this.#serving === loading) this.#serving = undefined;
      throw error;
    }
  }

  async #follow(): Promise<Following> {
    const { store, id, core, home } = this.#session;
    // With the part that it needs to take over, because the network may be gone then.
    const [{ follow }] = await Promise.all([part(import("./role/following.js")), part(import("./role/serving.js"))]);
    return follow({
      store,
      id,
      core,
      home,
      emit: (event) => this.#session.emit(event),
      listeners: this.#session.listeners,
      join,
      lock: lockOfWriter(store, id),
      becameFree: () => this.#becameFree(),
      deleted: () => this.#emit("access", "deleted"),
    });
  }

  /** Resolves to whether there is a writer. */
  async #becameFree(): Promise<boolean> {
    if (this.#takesOver && !this.#isClosed) {
      try {
        await this.takeOver(false);
        return true;
      } catch {
        // The host, or a person, may try again.
      }
    }
    this.#emit("access", "free");
    return false;
  }

  async #becomeWriter(following: Following, writing: ReturnType<typeof write>): Promise<void> {
    const { client, settled } = following;
    this.#writing = writing;
    this.#session.changedRole(true);
    const serving = await this.#serve();
    // From here on nothing is awaited, so that no call of the host can overtake those that wait.
    const calls = following.leave().sort((one, other) => one.number - other.number);
    this.#following = undefined;
    for (const { number, verb, args, signal, isSent, resolve, reject } of calls)
      serving.carryOut({ client, number, settled, verb, args, isAgain: isSent, signal }).then(resolve, reject);
    this.#emit("access", "writer");
    this.#emit("home", "here");
  }

  #emit(key: "access" | "home", value: string): void {
    if (!this.#isClosed) this.#session.emit({ kind: "ConversationStateUpdateEvent", key, value } as LiveEvent);
  }

  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const changed = this.#changes.then(change);
    this.#changes = changed.catch(() => {});
    return changed;
  }
}
