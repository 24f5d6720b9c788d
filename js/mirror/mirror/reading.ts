// Reads the store that is mirrored, page by page.
import type { Bytes } from "../../input/bytes.js";
import { withoutSecrets } from "../../../pkg/threadkeep.js";
import { settle } from "../../input/errors.js";
import { Page, PageYield, asked, contentsOf, eventsOf, timeout } from "../../store/reading.js";
import type { Store, StoredEvent } from "../../store/store.js";

/** All that the store keeps for the handles of a conversation, and no export has. */
const notMirrored = /^(commands|drafts)\//;
/** Files that may contain secrets; the core decides. */
const maybeSecret = /(^|\/)(base_state|meta)\.json$/;
/** The file without which the versions of files count for nothing: it is written last. */
const currentVersion = "file_versions/current";

/** The events from `start` to `end` or the end of the log, in pages of about a megabyte. */
export async function* eventPages(store: Store, id: string, start: number, end: number): AsyncGenerator<StoredEvent[]> {
  const page = new Page();
  const pageYield = new PageYield(undefined);
  const length = Math.min(end, (await asked("load", timeout, () => store.load(id)))?.length ?? 0);
  for (let next = start; next < length; ) {
    await pageYield.wait();
    const events = await eventsOf(store, id, next, Math.min(length, next + page.count), timeout);
    for (const { json } of events) page.saw(json.length);
    page.turn();
    next += events.length;
    yield events;
  }
}

/** The ids of the first events. */
export async function idsOf(store: Store, id: string, length: number): Promise<string[]> {
  const ids: string[] = [];
  for await (const page of eventPages(store, id, 0, length)) ids.push(...page.map((event) => event.id));
  return ids;
}

/** The paths of the further files that are mirrored. */
export async function pathsOf(store: Store, id: string): Promise<string[]> {
  const paths = (await asked("files", timeout, () => store.files(id))).filter((path) => !notMirrored.test(path));
  return paths.sort((one, other) => Number(one === currentVersion) - Number(other === currentVersion));
}

/** These files as a mirror has them, some at a time; those that have been removed meanwhile are left out. */
export async function* filePages(
  store: Store,
  id: string,
  paths: readonly string[],
): AsyncGenerator<Array<[path: string, content: Bytes]>> {
  const page = new Page();
  const pageYield = new PageYield(undefined);
  page.count = 1;
  for (let next = 0; next < paths.length; ) {
    await pageYield.wait();
    const contents = await contentsOf(store, id, paths.slice(next, next + page.count), timeout);
    const files: Array<[string, Bytes]> = [];
    for (const [place, content] of contents.entries()) {
      const path = paths[next + place]!;
      if (!content) continue;
      page.saw(content.length);
      files.push([path, (maybeSecret.test(path) ? await settle(withoutSecrets({ path, content })) : content) as Bytes]);
    }
    page.turn();
    next += contents.length;
    yield files;
  }
}
