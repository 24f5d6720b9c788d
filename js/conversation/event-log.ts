// The events of an open conversation as a sequence that is read on demand.
import type { CoreConversation } from "../../pkg/threadkeep.js";
import { ThreadkeepError, ask, call, reading, textOf } from "../input/errors.js";
import type { ConversationEvent, UnreadableEvent } from "../events/events.js";
import { eventFile } from "../events/file-name.js";

/** The events of a conversation, read on demand, a page at a time. An event that cannot be read is an `UnreadableEvent`. */
export interface EventLog extends AsyncIterable<ConversationEvent> {
  readonly length: number;
  /** The event at an index; a negative index counts from the end. `undefined` if there is none. */
  at(index: number): Promise<ConversationEvent | undefined>;
  /** Like `Array.prototype.slice`. */
  slice(start?: number, end?: number): Promise<ConversationEvent[]>;
  /** The index of the event with this id. @throws ThreadkeepError `not_found` */
  getIndex(eventId: string): Promise<number>;
  /** The id of the event at this index. @throws ThreadkeepError `not_found` */
  getId(index: number): Promise<string>;
}

/** @internal */
export function eventLog(core: CoreConversation): EventLog {
  const page = 100;
  const read = async (start: number, end: number): Promise<ConversationEvent[]> =>
    start < end
      ? Promise.all((await ask(core, "events", start, end)).map((json, place) => readable(json) ?? unreadable(json, start + place)))
      : [];
  const unreadable = async (json: string, index: number): Promise<UnreadableEvent> => {
    const id = await ask(core, "idOf", index);
    return { kind: "UnreadableEvent", id, file: eventFile(index, id), why: whyNot(json) };
  };
  const fromEnd = (index: number) => Math.max(0, index < 0 ? core.length() + index : index);
  const log: EventLog = {
    get length() {
      return call(() => core.length());
    },
    async at(index) {
      const place = toInteger(index);
      const start = place < 0 ? log.length + place : place;
      return start < 0 ? undefined : (await read(start, start + 1))[0];
    },
    async slice(start = 0, end = log.length) {
      return read(fromEnd(toInteger(start)), Math.min(log.length, fromEnd(toInteger(end))));
    },
    async getIndex(eventId) {
      return ask(core, "indexOf", textOf(eventId));
    },
    async getId(index) {
      const event = await log.at(index);
      if (!event) throw new ThreadkeepError("not_found", `there is no event ${textOf(index)} in this conversation`);
      return event.id;
    },
    async *[Symbol.asyncIterator]() {
      for (let start = 0; start < log.length; start += page) yield* await read(start, Math.min(start + page, log.length));
    },
  };
  return log;
}

/** The event, or `undefined` if the text is not an event: its writer may have died in the middle. @internal */
export function readable(json: string): ConversationEvent | undefined {
  try {
    const event = parsed(json);
    return typeof event?.kind === "string" && typeof event.id === "string" ? event : undefined;
  } catch {
    return undefined;
  }
}

/** Python writes numbers that JSON does not have: NaN is read as null, the others are infinite. */
function parsed(json: string) {
  try {
    return JSON.parse(json);
  } catch {
    return JSON.parse(
      json.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|NaN|Infinity/g, (token) => (token === "NaN" ? "null" : token[0] === "I" ? "1e999" : token)),
    );
  }
}

function whyNot(json: string): string {
  try {
    parsed(json);
    return "it is not a JSON object with an id and a kind";
  } catch (error) {
    return `it is not JSON: ${textOf(error)}`;
  }
}

/** An index as array methods convert it. */
function toInteger(index: unknown): number {
  return reading("an index of an event", () => Math.trunc(index as number) || 0);
}
