// Random histories of a conversation in IndexedDB, for picture.test.mjs: whenever a picture is shown, it is what a thread on the log shows.
import * as parts from "/parts.js";
import { indexedDBStore } from "/threadkeep/index.js";
import { randomFrom } from "/support/random.mjs";

const store = indexedDBStore("histories");
await store.list();
const database = await parts.opened("histories", () => {});

/** Runs the histories of these seeds; what was wrong first, and how often a picture was shown, refused, and not there. */
export async function checkHistories(first, count) {
  const counts = { shown: 0, outdated: 0, none: 0 };
  // Two writes of one millisecond would have the same time.
  let clock = Date.now();
  Date.now = () => ++clock;
  for (let seed = first; seed < first + count; seed++) {
    const history = new History(seed, counts);
    try {
      await history.append();
      for (let step = 0; step < 12; step++) await history.step();
    } catch (error) {
      return { counts, wrong: `seed ${seed}: ${history.done.join(", ")}: ${error.stack}` };
    }
  }
  return { counts, wrong: null };
}

class History {
  done = [];
  #id = crypto.randomUUID();
  #counts;
  #random;
  #names = 0;
  /** What a thread shows that may not have heard of the last changes. */
  #view = null;
  #isKept = false;
  /** Whether there was a commit after the last picture. */
  #isOutdated = false;

  constructor(seed, counts) {
    this.#random = randomFrom(seed);
    this.#counts = counts;
  }

  async step() {
    const kinds = ["append", "append", "append", "navigate", "retitle", "truncate", "remove", "restore", "merge", "look", "look"];
    const kind = this.#random.of([...kinds, "keep", "keep", "keep", "read", "read", "read", "read"]);
    this.done.push(kind);
    await this[kind]();
  }

  async append() {
    const { length, base, events } = await this.#stored();
    const added = this.#events(this.#random.between(1, 4), base.leaf_event_id ?? null, events);
    await this.#commit({ expectedLength: length, events: added, base: { ...base, leaf_event_id: added.at(-1).id } });
  }

  /** HEAD moves, and nothing else. */
  async navigate() {
    const { length, base, events } = await this.#stored();
    if (length > 0) await this.#commit({ expectedLength: length, base: { ...base, leaf_event_id: this.#random.of(events).id } });
  }

  async retitle() {
    const { length, base } = await this.#stored();
    if (length > 0) await this.#commit({ expectedLength: length, base: { ...base, tags: { title: `é${++this.#names}` } } });
  }

  /** The log is cut, and the events behind may be others with the same ids. */
  async truncate() {
    const { length, base, events } = await this.#stored();
    if (length < 2) return;
    const truncateTo = this.#random.between(1, length - 1);
    const again = this.#random.chance(0.5) ? events.slice(truncateTo).map((event) => this.#other(event)) : [];
    const rest = [...events.slice(0, truncateTo), ...again];
    const leaf = rest.some(({ id }) => id === base.leaf_event_id) ? base.leaf_event_id : rest.at(-1).id;
    if (again.length > 0) this.#view = null;
    await this.#commit({ expectedLength: length, truncateTo, events: again, base: { ...base, leaf_event_id: leaf } });
  }

  async remove() {
    await store.delete(this.#id);
    this.#isKept = false;
    // It ends, and no event changes under a thread that is open.
    this.#view = null;
  }

  /** An import in place of the conversation, in two commits: the same ids, and perhaps other texts. */
  async restore() {
    const { length, base, events } = await this.#stored();
    if (length === 0) return;
    await this.remove();
    const copies = events.map((event) => (this.#random.chance(0.3) ? this.#other(event) : event));
    const half = Math.floor(length / 2);
    await this.#commit({ expectedLength: 0, events: copies.slice(0, half) });
    if (this.#random.chance(0.3)) await this.read();
    await this.#commit({ expectedLength: half, events: copies.slice(half), base });
  }

  /** Events of another copy, on another branch. */
  async merge() {
    const { length, base, events } = await this.#stored();
    if (length === 0) return;
    await this.#commit({ expectedLength: length, events: this.#events(2, this.#random.of(events).id, events), base });
  }

  async look() {
    const { length, base, events } = await this.#stored();
    const leaf = base.leaf_event_id;
    const messages = leaf === undefined ? [] : this.#messagesOf(events, leaf);
    this.#view = { messages, title: base.tags?.title ?? null, leaf: leaf ?? "", length, tags: base.tags };
  }

  async keep() {
    const isFresh = this.#random.chance(0.7);
    if (isFresh) await this.look();
    if (this.#view === null) return;
    const kept = await parts.keepPicture(database, parts.keyOf(this.#id), this.#view, null);
    if (kept === null && isFresh && this.#view.length > 0) throw new Error("what is shown was not kept");
    if (kept === null) return;
    const { messages, title } = await this.#shown();
    const isCurrent = same(this.#view.messages, messages) && this.#view.title === title;
    if (!isCurrent) throw new Error("a picture of an earlier moment was kept");
    this.#isKept = true;
    this.#isOutdated = false;
  }

  async read() {
    const row = await parts.readPicture(database, parts.keyOf(this.#id));
    if (row === null) {
      this.#counts[this.#isKept ? "outdated" : "none"] += 1;
      if (this.#isKept && !this.#isOutdated) throw new Error("a picture that is true was not shown");
      return;
    }
    this.#counts.shown += 1;
    const { messages, title } = await this.#shown();
    if (!same(row.messages, messages) || row.title !== title) throw new Error("a picture that is not true was shown");
  }

  async #shown() {
    const { base, events } = await this.#stored();
    const leaf = base.leaf_event_id;
    return { messages: leaf === undefined ? [] : withoutOpen(this.#messagesOf(events, leaf)), title: base.tags?.title ?? null };
  }

  async #commit({ base, events = [], ...more }) {
    await store.commit(this.#id, {
      files: [],
      at: Date.now(),
      durability: "relaxed",
      events: events.map((event) => ({ id: event.id, json: JSON.stringify(event) })),
      ...(base && { baseState: JSON.stringify(base) }),
      ...more,
    });
    this.#isOutdated = true;
  }

  async #stored() {
    const listing = await store.load(this.#id);
    const length = listing?.length ?? 0;
    const events = (await store.events(this.#id, 0, length)).map(({ json }) => JSON.parse(json));
    return { length, base: JSON.parse(listing?.baseState ?? '{"padding":"ü€𝄞"}'), events };
  }

  #messagesOf(events, leaf) {
    const byId = new Map(events.map((event) => [event.id, event]));
    const branch = [];
    for (let event = byId.get(leaf); event; event = byId.get(event.parent_id)) branch.unshift(event);
    const transcript = new parts.Transcript();
    for (const event of branch) transcript.load(event);
    return transcript.stored;
  }

  #events(count, parent, before) {
    const made = [];
    for (let at = 0; at < count; at++) {
      const event = this.#event(made.at(-1)?.id ?? parent, [...before, ...made]);
      made.push(event);
    }
    return made;
  }

  #event(parent_id, before) {
    const id = crypto.randomUUID();
    const common = { id, timestamp: "2026-01-01T00:00:00", parent_id };
    const answered = new Set(before.map(({ action_id }) => action_id));
    const call = before.find((event) => event.kind === "ActionEvent" && event.id === parent_id && !answered.has(event.id));
    if (call) return { ...common, kind: "ObservationEvent", source: "environment", action_id: call.id, ...this.#result(call) };
    const kind = this.#random.of(["user", "agent", "agent", "call"]);
    if (kind !== "call") return { ...common, kind: "MessageEvent", source: kind, llm_message: this.#said(kind) };
    const name = `call-${++this.#names}`;
    const tool_call = { id: name, name: "look", arguments: "{}", origin: "completion" };
    return { ...common, kind: "ActionEvent", source: "agent", tool_name: "look", tool_call_id: name, tool_call, thought: [] };
  }

  #said(source) {
    const text = `${source} ${++this.#names} ${"ü".repeat(this.#random.between(0, 40))}`;
    return { role: source === "user" ? "user" : "assistant", content: [{ type: "text", text }] };
  }

  #result({ tool_call_id, tool_name }) {
    const content = [{ type: "text", text: `seen ${++this.#names}` }];
    return { tool_call_id, tool_name, observation: { kind: "ClientObservation", content, is_error: false } };
  }

  /** The event with another text. */
  #other(event) {
    if (event.kind === "MessageEvent") return { ...event, llm_message: this.#said(event.source) };
    return event.kind === "ObservationEvent" ? { ...event, ...this.#result(event) } : event;
  }
}

/** Without calls that have no result, and messages of nothing else. */
function withoutOpen(messages) {
  const isOver = (part) => part.type !== "tool" || part.output !== null;
  const rest = messages.map((message) => ({ ...message, parts: message.parts.filter(isOver) }));
  return rest.filter(({ role, parts }) => role === "user" || parts.length > 0);
}

function same(one, other) {
  const texts = (messages) => JSON.stringify(messages.map(({ id, role, parts }) => [id, role, parts]));
  return texts(withoutOpen(one)) === texts(withoutOpen(other));
}
