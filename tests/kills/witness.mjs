// Writes down what a page that will die reports as stored and done, and compares what is found afterwards with it.

/** The knowledge about one conversation that is outside of the browser. */
export class Witness {
  /** The JSON of each event that was reported durable, by id, in the order of the reports. */
  reported = new Map();
  sent = new Map();
  /** How often each action was carried out, by idempotency key. */
  done = new Map();
  /** How often the user allowed an action again. */
  approvals = new Map();
  /** The text of the answer that streams as the page has shown it, and when: [milliseconds since 1970, text]. */
  shown = [];
  /** The title that was set last. */
  title = "";
  /**
   * How often the browser has removed all of its databases, and the library has said so: Chromium does that if a kill tears its log
   * in a certain way, about once in 540 kills (docs/durability.md).
   */
  removals = 0;

  #expected;

  /** `warnings` are the codes of those that are no complaint; `branches` says whether the log may go on behind an earlier event. */
  constructor({ warnings = ["interrupted"], branches = false } = {}) {
    this.#expected = { warnings, branches };
  }

  /** Takes up a report of the page. */
  hear({ kind, value }) {
    if (kind === "event") this.reported.set(value.id, JSON.stringify(value));
    if (kind === "message") this.sent.set(value.id, JSON.stringify(value.llm_message));
    if (kind === "approved") for (const id of value) this.approvals.set(id, this.#approved(id) + 1);
    if (kind === "shown") this.shown.push(value);
    if (kind === "title") this.title = value;
  }

  /** Takes up that a tool acted. */
  see({ key, replay }) {
    const before = this.done.get(key)?.times ?? 0;
    this.done.set(key, { replay, times: before + 1 });
  }

  /** Sentences on what is wrong with a conversation that was opened again; an empty list if all is well. */
  complaints(opened) {
    const { events, length, state, access, warnings } = opened;
    if (events.length === 0 && warnings.some(({ code }) => code === "store_lost")) {
      this.removals++;
      for (const known of [this.reported, this.sent, this.done, this.approvals]) known.clear();
      this.title = "";
      return [];
    }
    const found = [];
    const stored = new Map(events.map((event, index) => [event.id, { index, json: JSON.stringify(event) }]));
    let last = -1;
    for (const [id, json] of this.reported) {
      const event = stored.get(id);
      if (!event) found.push(`event ${id} was reported durable and is lost: ${json.slice(0, 200)}`);
      else if (event.json !== json) found.push(`event ${id} is ${event.json}, and was reported as ${json}`);
      else if (event.index < last) found.push(`event ${id} is at ${event.index}, before one that was reported earlier`);
      last = Math.max(last, event?.index ?? -1);
    }
    // A message that is sent while tools run gets its place in the log when they are through.
    for (const [id, message] of this.sent) {
      const event = stored.get(id);
      if (!event) found.push(`message ${id} was reported durable and is lost: ${message}`);
      else if (JSON.stringify(JSON.parse(event.json).llm_message) !== message)
        found.push(`message ${id} is ${event.json}, and was sent as ${message}`);
    }
    if (stored.size !== events.length) found.push("an event is there twice");
    if (length !== events.length) found.push(`the log has a length of ${length}, and gives ${events.length}`);
    found.push(...chainComplaints(events, state, this.#expected), ...this.#actionComplaints(stored));
    // One that was set when the browser died may be there already.
    if ((state.tags.title ?? "") < this.title) found.push(`the title is ${state.tags.title}, after ${this.title} was stored`);
    if (state.execution_status === "running") found.push("it runs, although nobody called run()");
    if (access !== "writer") found.push(`access is ${access}`);
    // A browser writes complete transactions: there is never anything to put into quarantine, nor a HEAD to look for.
    for (const { code, message } of warnings) if (!this.#expected.warnings.includes(code)) found.push(`warning ${code}: ${message}`);
    return found;
  }

  #actionComplaints(stored) {
    const found = [];
    for (const [key, { replay, times }] of this.done) {
      if (!stored.has(key)) found.push(`action ${key} was carried out without being in the log`);
      const allowed = { safe: Infinity, ask: 1 + this.#approved(key), never: 1 }[replay];
      if (times > allowed) found.push(`action ${key} (replay ${replay}) was carried out ${times} times, and allowed ${allowed} times`);
    }
    return found;
  }

  #approved(id) {
    return this.approvals.get(id) ?? 0;
  }
}

/** The log is one chain, and HEAD is at its end, unless it may branch. */
function chainComplaints(events, state, { branches }) {
  const found = [];
  const earlier = new Set();
  let head;
  for (const [index, { id, kind, parent_id: parent }] of events.entries()) {
    if (parent !== head && !(branches && earlier.has(parent))) found.push(`event ${index} follows ${parent} instead of ${head}`);
    earlier.add(id);
    if (kind !== "ConversationStateUpdateEvent") head = id;
  }
  if (state.leaf_event_id !== head && !(branches && earlier.has(state.leaf_event_id)))
    found.push(`HEAD is ${state.leaf_event_id}, and the log ends with ${head}`);
  return found;
}
