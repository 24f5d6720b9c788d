// A worker as the home of conversations: it opens what the pages ask for, and closes what no page shows and nobody runs. Loaded with
// the first page.
import { checkId } from "../../input/arguments.js";
import { fromCore, invalidOptions, isA, textOf, ThreadkeepError } from "../../input/errors.js";
import { LLM, type LLMOptions } from "../../llm/llm.js";
import type { SecretValue } from "../../secrets/source.js";
import { withTimeout } from "../../store/inventory.js";
import { indexedDBStore } from "../../store/store.js";
import { Conversation } from "../conversation.js";
import type { ServedOptions } from "../types.js";
import type { FromPage, FromWorker } from "./messages.js";

/** A conversation that pages show. */
interface Room {
  readonly conversation: Promise<Conversation>;
  /** The name of its store. */
  readonly store: Promise<string | undefined>;
  /** The handles of pages. */
  readonly viewers: Set<object>;
}

export interface Home {
  /** A page has come, which holds this lock as long as it lives. */
  greet(port: MessagePort, lock: string): Promise<void>;
}

export function homeFor(served: ServedOptions): Home {
  const rooms = new Map<string, Room>();

  const begin = (id: string, data: unknown): Room => {
    const opened = open(id, data);
    const room: Room = {
      conversation: opened.then(({ conversation }) => conversation),
      store: opened.then(({ store }) => store),
      viewers: new Set(),
    };
    // The page that has asked is told.
    room.conversation.catch(() => {});
    rooms.set(id, room);
    const over = () => rooms.get(id) === room && rooms.delete(id);
    opened.then(({ conversation }) => {
      conversation.subscribe((event) => {
        if (!("key" in event)) return;
        // In a later task, because what has ended the run is still at work.
        if (event.key === "execution_status") setTimeout(() => closeUnused(id, room));
        if (event.key === "access" && event.value === "deleted") void close(id, room);
      });
    }, over);
    return room;
  };

  const open = async (conversationId: string, data: unknown) => {
    const given = typeof served === "function" ? await optionsBy(served, { conversationId, data }) : served;
    if (typeof given !== "object" || given === null || "home" in given || "conversationId" in given)
      throw invalidOptions(
        "serveConversations() takes the options of Conversation.open() without conversationId and home, or a function that returns them",
      );
    const { store = indexedDBStore() } = given;
    return { conversation: await Conversation.open({ ...given, store, conversationId }), store: store.name };
  };

  const close = (id: string, room: Room): Promise<void> => {
    if (rooms.get(id) === room) rooms.delete(id);
    return room.conversation.then(
      (conversation) => conversation.close(),
      () => {},
    );
  };

  const closeUnused = async (id: string, room: Room): Promise<void> => {
    if (room.viewers.size > 0 || rooms.get(id) !== room) return;
    const conversation = await room.conversation.catch(() => undefined);
    if (conversation?.executionStatus === "running" || room.viewers.size > 0) return;
    await close(id, room);
  };

  return {
    async greet(port, lock) {
      /** The handles of this page, by the calls that have opened them. */
      const handles = new Map<number, { id: string; room: Room; viewer: object }>();
      const leave = async (number: number): Promise<void> => {
        const handle = handles.get(number);
        if (!handle) return;
        handles.delete(number);
        handle.room.viewers.delete(handle.viewer);
        await closeUnused(handle.id, handle.room);
      };
      const carryOut = async (message: FromPage): Promise<unknown> => {
        if ("close" in message) return leave(message.close);
        if ("open" in message) {
          const id = checkId(message.open);
          const room = rooms.get(id) ?? begin(id, message.data);
          const viewer = {};
          room.viewers.add(viewer);
          handles.set(message.call, { id, room, viewer });
          try {
            return await room.store;
          } catch (error) {
            handles.delete(message.call);
            throw error;
          }
        }
        const conversation = await rooms.get(message.of)?.conversation;
        if (!conversation) throw new ThreadkeepError("invalid_state", "the conversation is not open in the worker");
        if (message.verb === "switchLLM") return conversation.switchLLM(llmOf(message.value as LLMOptions));
        return conversation.updateSecrets(message.value as Record<string, SecretValue | null>);
      };
      const post = (message: FromWorker) => port.postMessage(message);
      port.onmessage = async ({ data }: MessageEvent<FromPage>) => {
        const { call } = data;
        try {
          post({ call, value: await carryOut(data) });
        } catch (error) {
          if (error instanceof Unavailable) return post({ call, unavailable: error.message });
          const { code, message, retryable, status } = fromCore(error);
          post({ call, error: { code, message, retryable, status } });
        }
      };
      const locks = globalThis.navigator?.locks;
      if (locks) {
        const gone = () => [...handles.keys()].forEach((number) => void leave(number));
        locks.request(lock, gone).catch(() => {});
        await new Promise<void>((held) => void locks.request(`${lock}:worker`, () => new Promise(() => held())));
      }
      post({ ready: true });
    },
  };
}

/** This worker cannot be the home of a conversation. */
class Unavailable extends Error {}

/** So many milliseconds the function of the host may take, as long as a worker has to answer at first. */
const patience = 10_000;

/** What the function of the host returns. @throws ThreadkeepError its own, and `invalid_options` for whatever else it throws */
async function optionsBy<Given, Options>(served: (given: Given) => Options | Promise<Options>, given: Given): Promise<Options> {
  let answer: { options: Options } | undefined;
  try {
    answer = await withTimeout((async () => ({ options: await served(given) }))(), patience);
  } catch (error) {
    if (isA(error, ThreadkeepError)) throw error;
    throw new ThreadkeepError("invalid_options", `the function of serveConversations() has failed: ${textOf(error)}`, { cause: error });
  }
  if (!answer) throw new Unavailable(`the function that was given to serveConversations() has not answered for ${patience / 1000} seconds`);
  return answer.options;
}

/** A model of a page. */
function llmOf({ fallbacks, ...options }: LLMOptions): LLM {
  return new LLM({ ...options, ...(fallbacks && { fallbacks: (fallbacks as unknown as LLMOptions[]).map(llmOf) }) });
}
