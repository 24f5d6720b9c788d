// A store of one's own: each conversation is a file of the origin private file system, with a line for each commit. It runs in a
// worker, because only workers can append to such a file, and keeps what it has read in memory.

/** Keeps conversations in a folder of the origin private file system. Only for workers. */
export async function opfsStore(folder) {
  const root = await navigator.storage.getDirectory();
  const directory = await root.getDirectoryHandle(folder, { create: true });
  /**
   * The content of each file, as far as it was read.
   * @type {Map<string, any>}
   */
  const known = new Map();

  /** One worker at a time compares and writes; readers wait for it. */
  const locked = (id, mode, body) => navigator.locks.request(`opfs:${folder}:${id}`, { mode }, body);
  const read = (id) => locked(id, "shared", () => readFile(id));

  /** Reads what was appended since the last time, perhaps by another worker. */
  async function readFile(id) {
    let file;
    try {
      file = await (await directory.getFileHandle(`${id}.log`)).getFile();
    } catch {
      known.delete(id);
      return undefined;
    }
    let log = known.get(id);
    // A shorter file, or another first line, is another conversation: it was deleted and created again.
    if (!log || file.size < log.bytes || (await file.slice(0, 40).text()) !== log.head) {
      log = { bytes: 0, head: await file.slice(0, 40).text(), events: [], indexOf: new Map(), files: new Map() };
      known.set(id, log);
    }
    const text = await file.slice(log.bytes).text();
    for (const line of text.split("\n").slice(0, -1)) {
      try {
        apply(log, JSON.parse(line));
      } catch {
        break; // cut off by a crash: the next commit writes over it
      }
      log.bytes += new TextEncoder().encode(line).length + 1;
    }
    return log;
  }

  function apply(log, { writer, truncateTo, events, baseState, files, at }) {
    for (const { id } of log.events.splice(truncateTo ?? Infinity)) {
      if (log.indexOf.get(id) >= log.events.length) log.indexOf.delete(id);
    }
    for (const event of events) {
      if (!log.indexOf.has(event.id)) log.indexOf.set(event.id, log.events.length);
      log.events.push(event);
    }
    if (baseState !== undefined) log.baseState = baseState;
    for (const [path, content] of files) content === null ? log.files.delete(path) : log.files.set(path, Uint8Array.from(content));
    log.writer = writer ?? log.writer ?? 0;
    log.createdAt ??= at;
    log.updatedAt = Math.max(log.updatedAt ?? at, at);
  }

  const listing = (conversation, log) => ({
    conversation, baseState: log.baseState, length: log.events.length,
    createdAt: log.createdAt, updatedAt: log.updatedAt, writer: log.writer,
  });

  let isClosed = false;
  /** Refuses calls after `close()`. */
  const open = (method) => async (...args) => {
    if (isClosed) throw Object.assign(new Error("the store is closed"), { code: "invalid_state" });
    return method(...args);
  };

  return {
    name: `opfs:${folder}`,
    list: open(async () => {
      const found = [];
      for await (const name of directory.keys()) {
        const id = name.replace(/\.log$/, "");
        const log = await read(id);
        if (log?.baseState !== undefined) found.push(listing(id, log));
      }
      return found;
    }),
    load: open(async (id) => {
      const log = await read(id);
      return log?.baseState === undefined ? undefined : listing(id, log);
    }),
    events: open(async (id, start, end) => {
      const log = await read(id);
      return (log?.events ?? []).slice(start, end).map((event, place) => ({ index: start + place, ...event }));
    }),
    indexOf: open(async (id, event) => (await read(id))?.indexOf.get(event)),
    files: open(async (id) => [...((await read(id))?.files.keys() ?? [])]),
    readFile: open(async (id, path) => (await read(id))?.files.get(path)),
    commit: open((id, commit) =>
      locked(id, "exclusive", async () => {
        const log = await readFile(id);
        const isOther = log && commit.createdAt !== undefined && commit.createdAt !== log.createdAt;
        const isReplaced = commit.writer && commit.writer.expected !== (log?.writer ?? 0);
        if (isOther || isReplaced || commit.expectedLength !== (log?.events.length ?? 0)) {
          throw Object.assign(new Error("another writer has changed the conversation"), { code: "locked_elsewhere" });
        }
        const { truncateTo, events, baseState, at } = commit;
        const files = commit.files.map(({ path, content }) => [path, content && [...content]]);
        const writer = commit.writer?.next;
        const line = `${JSON.stringify({ at, writer, truncateTo, events, baseState, files })}\n`;
        const handle = await (await directory.getFileHandle(`${id}.log`, { create: true })).createSyncAccessHandle();
        try {
          handle.truncate(log?.bytes ?? 0);
          handle.write(new TextEncoder().encode(line), { at: log?.bytes ?? 0 });
          handle.flush();
        } finally {
          handle.close();
        }
      }),
    ),
    delete: open((id) =>
      locked(id, "exclusive", async () => {
        known.delete(id);
        await directory.removeEntry(`${id}.log`).catch(() => {});
      }),
    ),
    close() {
      isClosed = true;
    },
  };
}
