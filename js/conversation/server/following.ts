// A handle on a conversation that an agent server runs: it follows the copy in the store, which it writes from what the server tells,
// and passes on what it is asked. Loaded with the first such conversation.
import type { CoreConversation } from "../../../pkg/threadkeep.js";
import type { Agent } from "../../agent/agent.js";
import type { LiveEvent, WaitingEvent } from "../../events/events.js";
import { ask, fromCore, ThreadkeepError } from "../../input/errors.js";
import type { join, lockOfWriter } from "../../store/changes.js";
import { coreStore, type Store } from "../../store/store.js";
import type { LazyHome } from "../../workspace/workspace.js";
import type { Following } from "../role/following.js";
import type { AgentServer } from "../../server/server.js";
import type { ActingSession } from "../types.js";
import { ClientCalls } from "./client-tools.js";
import { refuseWhatStaysHere } from "./described.js";
import { Link } from "./link.js";
import { deliver } from "./messages.js";
import { Outbox } from "./outbox.js";
import { requestsTo, serverOptions } from "../../server/requests.js";
import type { Reached } from "./remote.js";
import { until } from "./until.js";
import { atOnce, doThere } from "./verbs.js";

interface ServerFollower {
  store: Store;
  id: string;
  core: CoreConversation;
  session: ActingSession & { readonly agent: Agent };
  home: LazyHome;
  server: AgentServer;
  emit(event: LiveEvent): void;
  join: typeof join;
  /** The lock of a writer, which nobody is here: it is for the page that carries out calls. */
  lock: ReturnType<typeof lockOfWriter>;
  /** The copy is no longer stored. */
  deleted(): void;
}

/**
 * Follows from now on. Of a conversation with a copy this resolves without the server; of another one once the server has told
 * everything that it has, or that it does not know it, which makes it a new one.
 * @throws ThreadkeepError `unsupported` for an agent that cannot run there, `server_auth`, `network`, and those of the store
 */
export async function followServer(given: ServerFollower): Promise<Following> {
  const { store, id, core, session, home, emit, join, lock, deleted } = given;
  const server = serverOptions(given.server);
  refuseWhatStaysHere(session.agent, core.isStored() ? undefined : session.state(), home.workspace);
  const requests = requestsTo(server);
  const member = join(store, (change) => {
    if (change.id === id) refresh().catch(fail);
  });
  let isStale = false;
  let reading: Promise<void> | undefined;
  let over: ThreadkeepError | undefined;
  let isNew = false;
  let creating: Promise<void> | undefined;
  let waiting: WaitingEvent | null = null;
  let status = core.executionStatus();
  /** The ids of the messages that wait for the server, as they were told last. */
  let queue = "[]";
  /** Resolves when the next call may begin. */
  let turn = Promise.resolve();

  const read = async () => {
    while (isStale) {
      isStale = false;
      await ask(core, "catchUp");
      home.changed();
      const value = outbox.waiting.map(({ id }) => id);
      if (JSON.stringify(value) === queue) continue;
      queue = JSON.stringify(value);
      emit({ kind: "ConversationStateUpdateEvent", key: "queue", value });
    }
  };
  const refresh = (): Promise<void> => {
    isStale = true;
    return (reading ??= read().finally(() => (reading = undefined)));
  };
  const fail = (error: unknown) => {
    if ((error as { code?: unknown }).code !== "store_lost" || over) return;
    leave(fromCore(error));
    deleted();
  };
  const show = (next: WaitingEvent | null) => {
    waiting = next;
    if (next) emit(next);
  };
  const link = await Link.open({
    store: await coreStore(store),
    id,
    server,
    requests,
    length: () => core.length(),
    emit,
    async refresh() {
      const waited = queue;
      await refresh();
      // Lists of this page and of others show the status, and other pages what waits.
      const isListed = core.executionStatus() !== status;
      if (isListed) outbox.flushSoon();
      if (isListed || queue !== waited) member.tell({ id, isListed });
      status = core.executionStatus();
    },
    waits(wait) {
      show(
        wait && { kind: "WaitingEvent", attempt: wait.attempt, seconds: wait.seconds, why: wait.error.code, message: wait.error.message },
      );
      if (!wait) outbox.flushSoon();
    },
    failed(error) {
      show({ kind: "WaitingEvent", attempt: 0, seconds: 0, why: error.code, message: error.message });
      over ??= error;
      for (const call of open) call.reject(error);
    },
  });
  const outbox = new Outbox({ id, core, link, requests, lock });
  /** The calls that wait for the server. */
  const open = new Set<{ reject(error: unknown): void; outlives: boolean }>();
  const leave = (error: ThreadkeepError) => {
    over ??= error;
    link.stop(error);
    member.leave();
    for (const call of open) if (!call.outlives) call.reject(error);
  };

  const reconnect = async () => {
    // There is nothing to connect to before it is made.
    if (!isNew) await link.connect();
  };
  const calls = new ClientCalls({
    store,
    id,
    core,
    session,
    link,
    outbox,
    lock,
    emit,
    send: (content, run) => deliver(remote, content, run),
    rest: () => until(link, () => (/^(running|waiting_for_confirmation)$/.test(core.executionStatus()) ? undefined : true)),
  });
  const remote: Reached = {
    id,
    core,
    session,
    server,
    requests,
    link,
    outbox,
    calls,
    reconnect,
    /** Makes the conversation on the server. The copy is stored with its answer. */
    async create(describe) {
      if (!isNew) return;
      await (creating ??= (async () => {
        await link.take([{ kind: "info", text: await requests.send("POST", "", await describe()), length: 0 }]);
        isNew = false;
        member.tell({ id, isListed: true });
        void link.connect();
      })().finally(() => (creating = undefined)));
    },
  };

  const back = () => void reconnect();
  try {
    await refresh();
    if (core.isStored()) void link.connect();
    else {
      await requests.greet();
      isNew = !(await link.isKnown());
      if (!isNew) {
        await link.look();
        void link.connect();
      }
    }
  } catch (error) {
    leave(fromCore(error));
    throw error;
  }
  globalThis.addEventListener?.("online", back);

  return {
    home: "server",
    get since(): never {
      throw new ThreadkeepError("unsupported", "an agent server runs this conversation, and nobody here can take its place");
    },
    get shown() {
      return { limits: core.limits(), waiting, ...(calls.areWaiting && { status: "waiting_for_confirmation" as const }) };
    },
    greet() {},
    get isOver() {
      return false;
    },
    ask(verb, args) {
      // The messages that wait can be read also where they cannot be sent any more.
      const isKept = verb === "queued" && link.hasFailed;
      if (over && !isKept) return Promise.reject(over);
      const before = atOnce.has(verb) ? Promise.resolve() : turn;
      return new Promise((resolve, reject) => {
        const call = { reject, outlives: false };
        open.add(call);
        const outlive = () => void (call.outlives = true);
        const passed = new Promise<void>((passOn) => {
          before
            .then(() => {
              if (over && !isKept) throw over;
              return doThere({ ...remote, passOn, outlive }, verb, args);
            })
            .then(resolve, reject)
            .finally(() => {
              passOn();
              open.delete(call);
            });
        });
        if (!atOnce.has(verb)) turn = passed;
      });
    },
    // Nobody here takes the place of a server.
    handOver: () => Promise.resolve(),
    leave(reason) {
      globalThis.removeEventListener?.("online", back);
      leave(fromCore(reason));
      return [];
    },
  };
}
