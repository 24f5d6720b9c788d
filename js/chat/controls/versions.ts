// The places where other branches part from the active one, and the versions that they have there. Read when it has changed.
import { useEffect, useState } from "preact/hooks";
import type { ActionEvent, Branch, Conversation, ConversationEvent, MessageEvent } from "../../index.js";
import type { Thread, ThreadSnapshot } from "../../thread/index.js";

/** A place where the active branch parts from others. */
export interface Parting {
  /** The event after which they part; `null` for the beginning. */
  after: string | null;
  /** The last events of all versions, in the order in which they were begun; `null` for the version that is shown. */
  leaves: ReadonlyArray<string | null>;
  /** Whether nothing follows there yet on the active branch. */
  isEnd: boolean;
}

/** An arrow that has been pressed: the message that it was at is replaced, and the arrow there gets the focus. */
export interface Pressed {
  after: string | null;
  verb: "previous" | "next";
  /** The distance from the top of the window, in pixels. */
  top: number;
}

export class Versions {
  pressed: Pressed | null = null;
  #thread: Thread;
  #partings: ReadonlyMap<string, readonly Parting[]> = new Map();
  #listeners = new Set<() => void>();
  #unsubscribe = (): void => {};
  /** The state of the branch that was read last. */
  #read = "";
  #reading: Promise<void> = Promise.resolve();
  /** Indexes of events in the log, which never change. */
  #places = new Map<string, number>();

  constructor(thread: Thread) {
    this.#thread = thread;
  }

  /** The partings at this message. */
  at(messageId: string): readonly Parting[] {
    return this.#partings.get(messageId) ?? none;
  }

  subscribe(listener: () => void): () => void {
    if (this.#listeners.size === 0) this.#unsubscribe = this.#thread.subscribe(() => this.#look());
    this.#listeners.add(listener);
    this.#look();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#unsubscribe();
    };
  }

  #look(): void {
    const snapshot = this.#thread.getSnapshot();
    const { phase, access, isRunning, messages } = snapshot;
    if (phase !== "open" || access !== "writer" || isRunning) return;
    const last = messages.at(-1);
    const state = [messages[0]?.id, messages.length, last?.id, last?.eventIds.length, last?.eventIds.at(-1)].join();
    if (state === this.#read) return;
    this.#read = state;
    this.#reading = this.#reading.then(whenIdle).then(async () => {
      // A later change is read next.
      if (state !== this.#read) return;
      this.#partings = await this.#readPartings(this.#thread.getSnapshot());
      for (const listener of this.#listeners) listener();
      // A conversation that was closed meanwhile cannot be read. All other failures are those of the next action, too.
    }).catch(() => {});
  }

  async #readPartings({ conversation, messages, hasEarlier }: ThreadSnapshot): Promise<Map<string, Parting[]>> {
    const found = new Map<string, Parting[]>();
    const branches = await conversation!.branches();
    const ids = messages.flatMap(({ eventIds }) => eventIds);
    const byStart = new Map<string | null, Branch[]>();
    for (const branch of branches) {
      const start = await this.#firstAfter(branch.forkEventId, ids, conversation!, hasEarlier);
      if (start === "earlier") continue;
      byStart.set(start, [...(byStart.get(start) ?? []), branch]);
    }
    for (const [start, others] of byStart) {
      const message = start === null ? messages.at(-1) : messages.find(({ eventIds }) => eventIds.includes(start));
      const leaves = await this.#versions(start, others, conversation!);
      if (message === undefined || leaves.length < 2) continue;
      const parting = { after: others[0]!.forkEventId, leaves, isEnd: start === null };
      found.set(message.id, [...(found.get(message.id) ?? []), parting]);
    }
    return found;
  }

  /** The first message or call of the active branch after this event; `null` if there is none, `"earlier"` if it is not loaded. */
  async #firstAfter(forkId: string | null, ids: readonly string[], conversation: Conversation, hasEarlier: boolean): Promise<string | null | "earlier"> {
    let from = forkId === null ? 0 : ids.indexOf(forkId) + 1;
    if (from === 0) {
      if (hasEarlier) return "earlier";
      // An event that no message shows, such as the system prompt.
      const place = forkId === null ? -1 : await this.#placeOf(forkId, conversation);
      while (from < ids.length && (await this.#placeOf(ids[from]!, conversation)) < place) from++;
    }
    for (const id of ids.slice(from)) {
      const event = await conversation.events.at(await this.#placeOf(id, conversation));
      if (event?.kind === "MessageEvent" || event?.kind === "ActionEvent") return id;
    }
    return null;
  }

  /** The last events of the versions of what begins with `start`, which is the one of the active branch. */
  async #versions(start: string | null, others: readonly Branch[], conversation: Conversation): Promise<Array<string | null>> {
    const own = start === null ? null : await conversation.events.at(await this.#placeOf(start, conversation));
    const all: Array<{ answer: string; leaf: string | null; place: number }> = [];
    for (const { firstEvent, leafEventId } of others) all.push({ answer: answerOf(firstEvent), leaf: leafEventId, place: await this.#placeOf(firstEvent.id, conversation) });
    all.sort((left, right) => left.place - right.place);
    // Of branches that begin with the same answer the newest represents them.
    const versions = new Map(all.map((each) => [each.answer, each]));
    const ownPlace = start === null ? Infinity : await this.#placeOf(start, conversation);
    // A changed call is a part of the same answer as the call that it replaces, and so no version of its own.
    versions.set(own ? answerOf(own) : "", { answer: "", leaf: null, place: ownPlace });
    return [...versions.values()].sort((left, right) => left.place - right.place).map(({ leaf }) => leaf);
  }

  async #placeOf(id: string, { events }: Conversation): Promise<number> {
    const place = this.#places.get(id) ?? (await events.getIndex(id));
    this.#places.set(id, place);
    return place;
  }
}

const none: readonly Parting[] = [];

const answerOf = (event: ConversationEvent | MessageEvent | ActionEvent): string => (event.kind === "ActionEvent" && event.llm_response_id) || event.id;

/** The first reading of branches reads the complete log, and nobody waits for it. */
const whenIdle = (): Promise<unknown> => new Promise((resolve) => (typeof requestIdleCallback === "function" ? requestIdleCallback(resolve, { timeout: 500 }) : setTimeout(resolve)));

const byThread = new WeakMap<Thread, Versions>();

/** The versions at a message; the component is rendered again when they change. */
export function useVersions(thread: Thread, messageId: string): { versions: Versions; partings: readonly Parting[] } {
  const versions = byThread.get(thread) ?? new Versions(thread);
  byThread.set(thread, versions);
  const [partings, show] = useState(versions.at(messageId));
  useEffect(() => {
    const listener = (): void => show(versions.at(messageId));
    listener();
    return versions.subscribe(listener);
  }, [versions, messageId]);
  return { versions, partings };
}
