// Whether a handle writes its conversation or follows the one that does, and the way from one to the other.
import type { CoreConversation } from "../../pkg/threadkeep.js";
import type { Agent } from "../agent/agent.js";
import type { ConversationAccess, ConversationEvent, LiveEvent } from "../events/events.js";
import { ask, ThreadkeepError } from "../input/errors.js";
import { type Change, join, lockOfWriter, write } from "../store/changes.js";
import type { Store } from "../store/store.js";
import { loadAheadNow } from "../wasm/idle.js";
import { part } from "../wasm/wasm.js";
import type { LazyHome } from "../workspace/workspace.js";
import type { Place } from "./home/page.js";
import type { Following } from "./role/following.js";
import type { Shown } from "./role/channel.js";
import type { PageCall } from "./role/pages.js";
import type { Serving, ServingSession } from "./role/serving.js";
import type { AgentServer } from "../server/server.js";
import { type ArgumentsOf, type Verb, type Verbs, verbs } from "./verbs.js";

/** The part of its session that a role uses. */
interface RoleSession extends ServingSession {
  readonly id: string;
  readonly store: Store;
  readonly core: CoreConversation;
  readonly home: LazyHome;
  readonly place: Place | undefined;
  readonly server: AgentServer | undefined;
  readonly agent: Agent;
  emit(event: ConversationEvent | LiveEvent): void;
  /** Takes note that this handle writes from now on, or no longer. */
  changedRole(isWriter: boolean): void;
}

/** The time at which a handle of this page became the writer last, with a fraction that makes it larger than those before. */
let latest = 0;

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
  /** As it was told last; before that, as it was opened. */
  #access: ConversationAccess | undefined;
  /** The time since which this handle writes. It tells which of two handles has taken the place of the other. */
  #since = 0;
  /** Whether it answers no other handle any more. */
  #isEnding = false;
  /** While it gives way to another writer. */
  #leaving: Promise<void> | undefined;

  /** @param takesOver Whether it takes the place of a writer that has ended. */
  constructor(session: RoleSession, takesOver: boolean) {
    this.#session = session;
    this.#takesOver = takesOver;
  }

  /** Writes or follows from now on. @throws ThreadkeepError those of the store, and `network` if the part for followers does not load */
  async begin(): Promise<void> {
    if (this.#session.core.access() === "writer") this.#write(false, 0);
    else this.#following = await this.#follow();
  }

  /** The handle is open, and hears what the writer says. */
  greet(): void {
    this.#following?.greet();
  }

  get home(): "here" | "tab" | "worker" | "server" {
    return this.#following?.home ?? "here";
  }

  get access(): ConversationAccess {
    return this.#access ?? (this.#session.core.access() as ConversationAccess);
  }

  /** The last words of the writer elsewhere about itself. */
  get shown(): Shown | undefined {
    return this.#following?.shown;
  }

  /** Calls a method here, or where the writer is. */
  do<V extends Verb>(verb: V, ...args: ArgumentsOf<V>): ReturnType<Verbs[V]> {
    loadAheadNow();
    const session = this.#session;
    const { core } = session;
    // A call while it becomes a follower is passed on, like a later one.
    if (this.#leaving) return this.#leaving.catch(() => {}).then((): unknown => this.do(verb, ...args)) as ReturnType<Verbs[V]>;
    const act = verbs[verb] as (...args: unknown[]) => unknown;
    const result = this.#following?.isOver === false ? this.#following.ask(verb, args) : act({ session, core }, ...args);
    return result as ReturnType<Verbs[V]>;
  }

  /** Runs a tool in a page of another handle. */
  async runInPage(call: PageCall): Promise<string> {
    return (await this.#serve()).runInPage(call);
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
      this.#write(steals, this.#following.since);
      let isWriter = false;
      try {
        isWriter = await ask(this.#session.core, "takeOver", steals);
      } finally {
        if (!isWriter) {
          this.#writing?.leave(false);
          this.#writing = undefined;
        }
      }
      if (isWriter) await this.#becomeWriter(this.#following);
      return isWriter;
    });
  }

  /** Another handle has taken the place of this one. */
  displaced(): void {
    if (this.#isClosed) return;
    // A refusal from here on is no answer: the next writer is asked the same.
    if (!this.#following) void this.#endServing(false);
    const leaving = this.#inTurn(async () => {
      if (!this.#following && !this.#isClosed) await this.#stepDown();
    });
    this.#leaving = leaving;
    const over = () => {
      if (this.#leaving === leaving) this.#leaving = undefined;
    };
    leaving.then(over, (error: { code?: unknown }) => {
      over();
      if (error.code === "store_lost") this.#emit("access", "deleted");
    });
  }

  async #stepDown(): Promise<void> {
    const { core } = this.#session;
    this.#writing?.leave(false);
    this.#writing = undefined;
    void this.#endServing(false);
    await ask(core, "stepDown");
    this.#session.changedRole(false);
    this.#following = await this.#follow();
    this.greet();
    this.#emit("access", "follower");
    this.#emit("home", this.#following.home);
  }

  /**
   * The handle is about to be closed: what others have asked of it is for the next writer. A promise if they have to hear of
   * it before a run is stopped.
   */
  closing(): Promise<void> | undefined {
    this.#isEnding = true;
    return this.#endServing(true);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#writing?.leave(true);
    void this.closing();
    const closed = new ThreadkeepError("invalid_state", "the conversation is closed; open it again");
    for (const call of this.#following?.leave(closed) ?? []) call.reject(closed);
  }

  /** @param before The time since which the last writer wrote, as far as it is known. */
  #write(steals: boolean, before: number): void {
    const { store, id } = this.#session;
    this.#since = latest = Math.max(Date.now(), latest + 0.001, before + 0.001);
    this.#writing = write(store, id, steals, this.#since, (change) => this.#hear(change));
  }

  #hear(change: Change): void {
    if (change.word === "asking") void (this.#following || this.#isEnding || this.#serve());
    else if (change.since! >= this.#since) this.displaced();
    else {
      // Two have taken it at the same time; the other one has not heard of this one.
      this.#writing?.leave(false);
      this.#write(true, 0);
    }
  }

  #endServing(isClosing: boolean): Promise<void> | undefined {
    const serving = this.#serving;
    this.#serving = undefined;
    return serving && !("then" in serving) ? serving.end(isClosing) : undefined;
  }

  /** Answers the others. What they ask before that, they ask again. */
  #serve(): Promise<Serving> | Serving {
    if (this.#serving) return this.#serving;
    const begun: Promise<Serving> = part(import("./role/serving.js")).then(({ serve }) => {
      const serving = serve(this.#session, verbs, this.#since);
      if (this.#serving === begun) this.#serving = serving;
      else serving.end(false);
      return serving;
    });
    this.#serving = begun;
    // The next one that asks leads to another attempt.
    begun.catch(() => this.#serving === begun && (this.#serving = undefined));
    return begun;
  }

  async #follow(): Promise<Following> {
    const { store, id, core, home, place, tools, server } = this.#session;
    const deleted = () => this.#emit("access", "deleted");
    if (server) {
      const { followServer } = await part(import("./server/following.js"));
      return followServer({
        store,
        id,
        core,
        home,
        server,
        join,
        lock: lockOfWriter(store, id),
        deleted,
        session: this.#session,
        emit: (event) => this.#session.emit(event),
      });
    }
    // With the part that it needs to take over, because the network may be gone then.
    const [{ follow }] = await Promise.all([part(import("./role/following.js")), part(import("./role/serving.js"))]);
    return follow({
      store,
      id,
      core,
      home,
      place,
      tools,
      emit: (event) => this.#session.emit(event),
      listeners: this.#session.listeners,
      join,
      lock: lockOfWriter(store, id),
      becameFree: () => this.#becameFree(),
      isWritten: () => {
        if (this.#access === "free") this.#emit("access", "follower");
      },
      deleted,
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

  async #becomeWriter(following: Following): Promise<void> {
    this.#session.changedRole(true);
    await following.handOver(() => this.#serve());
    this.#following = undefined;
    this.#emit("access", "writer");
    this.#emit("home", "here");
  }

  #emit(key: "access" | "home", value: string): void {
    if (this.#isClosed) return;
    if (key === "access") this.#access = value as ConversationAccess;
    this.#session.emit({ kind: "ConversationStateUpdateEvent", key, value } as LiveEvent);
  }

  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const changed = this.#changes.then(change);
    this.#changes = changed.catch(() => {});
    return changed;
  }
}
