// The checks that `directory.test.mjs` runs inside its pages, one function each.
import { Conversation, directoryStore, importDirectory, memoryStore } from "/threadkeep/index.js";
import { directory, filesIn } from "./opfs.mjs";
import { commit, conversation, eventId, kit, outcome } from "./stores.js";

const hex = conversation.replaceAll("-", "");
const bytes = (text) => new TextEncoder().encode(text);

const storeAt = async (path) => directoryStore(await directory(path));

async function writeFile(path, text) {
  const names = path.split("/");
  const file = await (await directory(names.slice(0, -1).join("/"))).getFileHandle(names.at(-1), { create: true });
  const writable = await file.createWritable();
  await writable.write(text);
  await writable.close();
}

/** Of ten thousand files a directory in Node is asked as well (tests/store/suite.test.mjs); in OPFS they take longer than all the rest. */
const inNode = "ten_thousand_events_are_read_by_page";

/** What does not hold of the suite. */
export async function suiteFailures() {
  const { checkStore } = await import("/threadkeep/testing.js");
  const only = kit.conformanceCases().filter((name) => name !== inNode);
  const reports = await checkStore((place) => storeAt(`suite/${place}`), { only });
  return reports.filter(({ failure }) => failure !== undefined);
}

/** A base state whose active branch ends at this event. */
const base = (leaf, more = "") => JSON.stringify({ id: conversation, leaf_event_id: leaf < 0 ? null : eventId(leaf), more });
const file = (path, text) => ({ path, content: text === null ? null : bytes(text) });

/** The state before, and the change that is cut off. */
const changes = {
  "the first commit": { act: (store) => store.commit(conversation, commit(0, 2, { baseState: base(1), files: [file("f/a", "1")] })) },
  "an append": { act: (store) => store.commit(conversation, commit(3, 2, { baseState: base(4), writer: { expected: 0, next: 1 } })) },
  "an append with files": {
    act: (store) =>
      store.commit(
        conversation,
        commit(3, 1, { baseState: base(3), files: [file("kept", "2"), file("gone", null), file("new/file", "3")] }),
      ),
  },
  "an append without a base state": { act: (store) => store.commit(conversation, commit(3, 2, { files: [file("kept", "2")] })) },
  "a base state": { act: (store) => store.commit(conversation, commit(3, 0, { baseState: base(1) })) },
  files: { act: (store) => store.commit(conversation, commit(3, 0, { files: [file("kept", "2"), file("gone", null), file("new", "3")] })) },
  "an end that is cut": {
    act: (store) => store.commit(conversation, commit(3, 0, { truncateTo: 1, baseState: base(0), files: [file("quarantine/x", "torn")] })),
  },
  "an end that is replaced": {
    leaf: 0,
    act: (store) =>
      store.commit(conversation, { ...commit(3, 0, { truncateTo: 1, baseState: base(9) }), events: [{ id: eventId(9), json: '{"n":9}' }] }),
  },
  "a deletion": { act: (store) => store.delete(conversation) },
};

async function before(what, path) {
  const store = await storeAt(path);
  if (what === "the first commit") return;
  const { leaf = 2 } = changes[what];
  await store.commit(conversation, commit(0, 3, { baseState: base(leaf), files: [file("kept", "1"), file("gone", "1")] }));
}

/** All that a store says of the conversation. */
async function everything(store) {
  const [listing, list] = [await store.load(conversation), await store.list()];
  const files = {};
  for (const path of (await store.files(conversation)).sort())
    files[path] = new TextDecoder().decode(await store.readFile(conversation, path));
  return JSON.stringify({ listing, list, events: await store.events(conversation, 0, 99), files });
}

/**
 * For a page that is to die: hangs before its nth write, and says so. Resolves if it makes less of them. With `empties`, the file of the
 * layout that this write replaces is left empty, as a browser that is killed may leave it.
 */
export async function actUntil(what, path, n, empties, reached) {
  let count = 0;
  let written;
  const { createWritable } = FileSystemFileHandle.prototype;
  const { close } = FileSystemWritableFileStream.prototype;
  const stop = (prototype, method) => {
    const original = prototype[method];
    prototype[method] = async function (...given) {
      if (method === "createWritable") written = this;
      if (++count !== n) return original.apply(this, given);
      const isOwn = ["commit", "new"].includes(written?.name);
      if (empties && method === "close" && !isOwn) await close.call(await createWritable.call(written));
      reached();
      return new Promise(() => {});
    };
  };
  stop(FileSystemFileHandle.prototype, "createWritable");
  stop(FileSystemWritableFileStream.prototype, "close");
  stop(FileSystemFileHandle.prototype, "move");
  stop(FileSystemDirectoryHandle.prototype, "removeEntry");
  await changes[what].act(await storeAt(path));
}

/** The reasons why Python would not open the directory as it is. */
function faults(files) {
  const state = files[`${hex}/base_state.json`];
  if (!state) return [];
  const { leaf_event_id: leaf } = JSON.parse(state);
  const names = Object.keys(files)
    .filter((name) => name.startsWith(`${hex}/events/`))
    .sort();
  let length = 0;
  while (names.some((name) => name.startsWith(`${hex}/events/event-${String(length).padStart(5, "0")}-`))) length++;
  const index = leaf === null ? -1 : names.findIndex((name) => name.includes(leaf));
  if (leaf !== null && index < 0) return [`the leaf ${leaf} is gone`];
  if (index >= length) return [`the leaf ${leaf} is behind a gap`];
  return names
    .slice(0, index + 1)
    .filter((name) => files[name] === "")
    .map((name) => `${name} is empty`);
}

/** Those that have every kind of write. */
const various = ["an append with files", "a deletion"];
const tried = (isShort) => (isShort ? various : Object.keys(changes));

/** Cuts each change off before each of its writes; a few of them if it is to be short. */
export async function cutOff(empties, isShort) {
  const problems = [];
  let cuts = 0;
  for (const what of tried(isShort)) {
    const whole = `cuts/${empties}/${what}/whole`;
    await before(what, whole);
    const known = await everything(await storeAt(whole));
    await changes[what].act(await storeAt(whole));
    const done = await everything(await storeAt(whole));
    for (let n = 1, isOver = false; !isOver; n++) {
      const path = `cuts/${empties}/${what}/${n}`;
      await before(what, path);
      const frame = document.createElement("iframe");
      frame.src = "/pages/blank.html";
      const isLoaded = new Promise((resolve) => (frame.onload = resolve));
      document.body.append(frame);
      await isLoaded;
      const inside = await frame.contentWindow.eval("import('/pages/directory-checks.js')");
      isOver = await new Promise((resolve, reject) =>
        inside.actUntil(what, path, n, empties, () => resolve(false)).then(() => resolve(true), reject),
      );
      frame.remove();
      const report = (problem) => problems.push(`${what}, before write ${n}: ${problem}`);
      // Python takes an empty base state for none, until the next page has completed it.
      if (!empties) faults(await filesIn(await directory(path))).forEach(report);
      const found = await everything(await storeAt(path));
      if (found !== done && (isOver || found !== known)) report(`${found}\n  is neither ${known}\n  nor ${done}`);
      faults(await filesIn(await directory(path))).forEach(report);
      const next = await everything(await storeAt(path));
      if (next !== found) report("it is something else when it is looked at again");
      if (!isOver) cuts++;
    }
  }
  return { problems, cuts };
}

/** Lets each write of each commit fail in turn. */
export async function fullDisk(isShort) {
  const problems = [];
  for (const what of tried(isShort)) {
    if (what === "a deletion") continue;
    for (let n = 1, isOver = false; !isOver; n++) {
      const path = `full/${what}/${n}`;
      await before(what, path);
      const known = await everything(await storeAt(path));
      const store = await storeAt(path);
      await store.list();
      let count = 0;
      const { close } = FileSystemWritableFileStream.prototype;
      FileSystemWritableFileStream.prototype.close = async function () {
        if (++count !== n) return close.call(this);
        await this.abort();
        throw new DOMException("no room", "QuotaExceededError");
      };
      const [code] = await outcome(changes[what].act(store));
      FileSystemWritableFileStream.prototype.close = close;
      isOver = count < n;
      const report = (problem) => problems.push(`${what}, write ${n}: ${problem}`);
      if (isOver ? code !== "ok" : code !== "store_quota") report(code);
      if (isOver) continue;
      for (const each of [store, await storeAt(path)]) {
        const found = await everything(each);
        if (found !== known) report(`${found}\n  is not ${known}`);
      }
      const [again] = await outcome(changes[what].act(store));
      if (again !== "ok") report(`and then ${again}`);
    }
  }
  return problems;
}

/** Another program writes into the directory, as Python does. */
export async function otherProgram() {
  const path = "other";
  const store = await storeAt(path);
  const id = crypto.randomUUID();
  const folder = `${path}/${id.replaceAll("-", "")}`;
  const event = (n, text = `{"n":${n}}`) => writeFile(`${folder}/events/event-0000${n}-${eventId(n)}.json`, text);
  await event(0);
  await event(1);
  await writeFile(`${folder}/events/.eventlog.lock`, "");
  await writeFile(`${folder}/base_state.json`, base(1));
  await writeFile(`${folder}/TASKS.json`, "[]");
  const found = [await store.load(id), ...(await store.list())];
  const files = await store.files(id);
  await store.commit(id, commit(2, 1, { baseState: base(2), createdAt: found[0].createdAt, writer: { expected: 0, next: 1 } }));
  const ours = await store.load(id);
  // It goes on: an event, and the base state.
  await event(3);
  await writeFile(`${folder}/base_state.json`, base(3));
  await writeFile(`${folder}/observations/x.txt`, "seen");
  const late = [
    await outcome(store.commit(id, commit(3, 1, { baseState: base(4), writer: { expected: 1, next: 1 } }))),
    // Only the base state: nothing is appended, and who wrote before has to look again.
    await outcome(store.commit(id, commit(4, 0, { baseState: base(1), writer: { expected: 1, next: 1 } }))),
  ];
  const fresh = await (await storeAt(path)).load(id);
  const [event3] = await store.events(id, 3, 9);
  const read = [await store.indexOf(id, eventId(3)), new TextDecoder().decode(await store.readFile(id, "observations/x.txt"))];
  await store.commit(id, commit(4, 1, { baseState: base(4), writer: { expected: fresh.writer, next: fresh.writer + 1 } }));
  const last = await store.load(id);
  return { found, files, ours, late, fresh, event3, read, last, names: Object.keys(await filesIn(await directory(folder))).sort() };
}

/** How often the events are listed: when a page is opened, when it appends, and when it looks further back. */
export async function listings() {
  const path = "listings";
  const store = await storeAt(path);
  for (let length = 0; length < 300; length += 60) await store.commit(conversation, commit(length, 60, { baseState: base(length + 59) }));
  const { entries } = FileSystemDirectoryHandle.prototype;
  let count = 0;
  FileSystemDirectoryHandle.prototype.entries = function () {
    if (this.name === "events") count++;
    return entries.call(this);
  };
  const counts = {};
  const note = (what) => ([counts[what], count] = [count, 0]);
  const fresh = await storeAt(path);
  const { length } = await fresh.load(conversation);
  const last = (await fresh.events(conversation, length - 50, length + 10)).map(({ index, id }) => [index, id]);
  const leaf = await fresh.indexOf(conversation, eventId(299));
  note("opened");
  await fresh.commit(conversation, commit(300, 2, { baseState: base(301) }));
  await fresh.commit(conversation, commit(302, 1, { truncateTo: 290, baseState: base(290) }));
  const after = (await fresh.events(conversation, 285, 400)).map(({ index }) => index);
  note("appended");
  const first = (await fresh.events(conversation, 0, 2)).map(({ index, id }) => [index, id]);
  note("looked back");
  const old = await fresh.indexOf(conversation, eventId(7));
  FileSystemDirectoryHandle.prototype.entries = entries;
  return { counts, last, leaf, after, first, old };
}

/** Files whose paths some disks refuse, or take for each other. */
export async function oddNames() {
  const store = await storeAt("odd");
  const paths = ["a", "A", "a/b", "nul.txt", "x/COM1", "trailing. ", "base_state.json", "Base_State.json", "events/event-00000-00000000.json",
    ".threadkeep/commit", "subagents/0f8fad5bd9cb469fa16570867728950e/x", "n".repeat(300), "é", "e\u0301", "workspace/plain.txt"]; // biome-ignore format: a list
  for (const path of paths) await store.commit(conversation, commit(0, 0, { baseState: "{}", files: [file(path, path)] }));
  const fresh = await storeAt("odd");
  const wrong = [];
  for (const path of paths) {
    const content = await fresh.readFile(conversation, path);
    if (!content || new TextDecoder().decode(content) !== path) wrong.push(path);
  }
  const listed = await fresh.files(conversation);
  const plain = Object.keys(await filesIn(await directory(`odd/${hex}`))).filter((name) => !name.startsWith(".threadkeep/"));
  await fresh.commit(conversation, commit(0, 0, { files: paths.map((path) => file(path, null)) }));
  return { wrong, listed: listed.sort(), paths: paths.sort(), plain: plain.sort(), left: await store.files(conversation) };
}

export async function withoutPermission() {
  const store = await storeAt("refused");
  await store.commit(conversation, commit(0, 1, { baseState: base(0) }));
  const { getDirectoryHandle, entries } = FileSystemDirectoryHandle.prototype;
  const refuse = () => {
    throw new DOMException("no", "NotAllowedError");
  };
  FileSystemDirectoryHandle.prototype.getDirectoryHandle = async () => refuse();
  FileSystemDirectoryHandle.prototype.entries = refuse;
  const handle = await navigator.storage.getDirectory();
  const refused = directoryStore(handle);
  const found = [await outcome(refused.load(conversation)), await outcome(Conversation.list({ store: refused }))];
  Object.assign(FileSystemDirectoryHandle.prototype, { getDirectoryHandle, entries });
  return found;
}

export async function appendInTurn(writer) {
  const store = await storeAt("two tabs");
  for (let n = 0; n < 15; ) {
    const length = (await store.load(conversation))?.length ?? 0;
    const event = { id: crypto.randomUUID(), json: `${writer}` };
    const [code] = await outcome(store.commit(conversation, { ...commit(length, 0, { baseState: "{}" }), events: [event] }));
    if (code === "ok") n++;
    else if (code !== "locked_elsewhere") return code;
  }
  return 15;
}

export async function eventsByWriter() {
  const events = await (await storeAt("two tabs")).events(conversation, 0, 1000);
  return [0, 1].map((writer) => events.filter((event) => event.json === `${writer}`).length);
}

const unpacked = (base64) => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));

/** A directory is imported: as it is, as the files of a form, and as a directory store keeps it. */
export async function importedDirectory(id, files, zip) {
  const top = "some conversations";
  for (const [name, content] of Object.entries(files)) await writeFile(`${top}/${id.replaceAll("-", "")}/${name}`, unpacked(content));
  const known = memoryStore();
  const [expected] = await Conversation.importZip(unpacked(zip), { store: known });
  const same = async (store) => {
    for (const listing of await known.list()) {
      const other = await store.load(listing.conversation);
      const paths = JSON.stringify((await known.files(listing.conversation)).sort());
      if (!other || JSON.stringify((await store.files(listing.conversation)).sort()) !== paths)
        return `other files: ${listing.conversation}`;
      const [one, two] = [await known.events(listing.conversation, 0, 1e6), await store.events(listing.conversation, 0, 1e6)];
      if (JSON.stringify(one) !== JSON.stringify(two)) return `other events: ${listing.conversation}`;
      // The time of an import is its own.
      const [state, otherState] = [listing, other].map(({ baseState }) => baseState.replace(/"last_event":\{"at":[\d.]+/, ""));
      if (state !== otherState) return `another base state: ${listing.conversation}`;
    }
    return "the same";
  };
  const handle = await directory(top);
  const list = [];
  for (const [name, content] of Object.entries(files)) {
    const file = new File([unpacked(content)], name.split("/").at(-1));
    Object.defineProperty(file, "webkitRelativePath", { value: `${top}/${id.replaceAll("-", "")}/${name}` });
    list.push(file);
  }
  const found = {};
  const progress = [];
  const onProgress = ({ done, total, unit }) => progress.push([done, total, unit]);
  for (const [what, from] of Object.entries({ handle, "one conversation": await directory(`${top}/${id.replaceAll("-", "")}`), list })) {
    const store = memoryStore();
    const [imported] = await importDirectory(from, { store, onProgress });
    found[what] = [JSON.stringify(imported) === JSON.stringify(expected), await same(store)];
  }
  // Into a directory store, where odd names lie aside, and out of its directory.
  const kept = await storeAt("kept");
  await importDirectory(handle, { store: kept });
  found.kept = [true, await same(kept)];
  await kept.commit(id, { ...commit(expected.eventCount), files: [file("workspace/nul", "odd")] });
  const copy = memoryStore();
  await importDirectory(await directory("kept"), { store: copy });
  found["out of a store"] = [
    new TextDecoder().decode(await copy.readFile(id, "workspace/nul")) === "odd",
    (await copy.files(id)).some((name) => name.includes(".threadkeep")) ? "own files" : "the same",
  ];
  const again = await importDirectory(handle, { store: copy });
  const nothing = await outcome(importDirectory(await directory("nothing here"), { store: copy }));
  await writeFile("upwards/notes.txt", "no conversation");
  const refused = await outcome(importDirectory(await directory("upwards"), { store: copy }));
  const stopped = await outcome(importDirectory(handle, { store: copy, signal: AbortSignal.abort() }));
  const listed = await Conversation.list({ store: kept, subagents: true });
  const names = Object.keys(await filesIn(await directory("kept")));
  const parentless = await storeAt("parentless");
  await importDirectory(handle, { store: parentless });
  await parentless.delete(id);
  const kids = (await (await storeAt("parentless")).list()).map(({ conversation }) => conversation);
  await Conversation.delete(id, { store: kept });
  const left = Object.keys(await filesIn(await directory("kept")));
  return {
    found,
    outcome: again[0].outcome,
    nothing,
    refused,
    stopped,
    progress,
    listed: listed.map(({ id, parentId }) => [id, parentId]),
    names,
    kids,
    left,
  };
}
