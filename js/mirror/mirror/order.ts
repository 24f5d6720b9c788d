// Puts the events of a place in an order in which each comes behind the one that it follows. Two devices that write at the same time
// may give them other numbers, and an import would believe that such an event follows another one.
import { orderMirrored } from "../../../pkg/threadkeep.js";
import type { FoundFiles } from "../../formats/archive/folder-source.js";
import { settle } from "../../input/errors.js";
import { each } from "../../store/directory/disk.js";
import { eventFile, eventIn, eventsFolder } from "../../store/directory/names.js";

interface Found {
  id: string;
  blob: Blob;
  /** The event that it names as the one that it follows; empty if it names none. */
  parent: string;
}

const inLog = /^((?:[0-9a-f]{32}\/subagents\/)*[0-9a-f]{32})\/events\/([^/]+)$/;

/**
 * The same files, but each event once, and with the number of its place. Those that follow an event that is not there are left out,
 * unless `keepsAll`: it may be there later.
 */
export async function* inOrder(files: FoundFiles, keepsAll: boolean): AsyncGenerator<[path: string, file: () => Promise<Blob>]> {
  const logs = new Map<string, Array<[number: number, id: string, read: () => Promise<Blob>]>>();
  for await (const [path, read] of files) {
    const [, folder, name] = inLog.exec(path) ?? [];
    const event = name === undefined ? undefined : eventIn(name);
    if (!event) {
      yield [path, read];
      continue;
    }
    if (!logs.has(folder!)) logs.set(folder!, []);
    logs.get(folder!)!.push([...event, read]);
  }
  for (const [folder, log] of logs) {
    const once = new Map(log.sort(([one, a], [other, b]) => other - one || (a < b ? 1 : -1)).map((event) => [event[1], event]));
    const sorted = [...once.values()].sort(([one, a], [other, b]) => one - other || (a < b ? -1 : 1));
    const events = await each(sorted, async ([, id, read]): Promise<Found> => {
      const blob = await read();
      return { id, blob, parent: parentIn(await blob.text()) };
    });
    const [ids, parents] = [events.map(({ id }) => id).join("\n"), events.map(({ parent }) => parent).join("\n")];
    const order = events.length > 0 ? await settle(orderMirrored({ ids, parents, keepsAll })) : [];
    for (const [number, index] of order.entries()) {
      const { id, blob } = events[index]!;
      yield [`${folder}/${eventsFolder}/${eventFile(number, id)}`, async () => blob];
    }
  }
}

function parentIn(json: string): string {
  try {
    const { parent_id: parent } = JSON.parse(json);
    return typeof parent === "string" && !parent.includes("\n") ? parent : "";
  } catch {
    // An event that is no JSON, or only Python's, comes where it is.
    return "";
  }
}
