// Archives to be imported, in a folder of their own.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { baseState, event } from "./archive-entries.mjs";
import { zip } from "./zip-bytes.mjs";

const day = 86_400_000;

/**
 * `archive()` writes one of conversations with one message each, from so many days ago, the newest first, and returns its path. The
 * folder is the caller's to remove.
 */
export function archivesIn(name) {
  const folder = mkdtempSync(path.join(tmpdir(), `threadkeep-${name}-`));
  let made = 0;
  const entriesOf = (now, { title, text = "Hello", days = 0, tags }, at) => {
    const id = `0f8fad5b-d9cb-469f-a165-${String((made += 1)).padStart(12, "0")}`;
    const inside = id.replaceAll("-", "");
    const content = [{ type: "text", text }];
    const { n: _, text: __, ...message } = JSON.parse(event(at));
    Object.assign(message, {
      timestamp: new Date(now - days * day - at).toISOString(),
      llm_message: { role: "user", content },
    });
    return [
      { name: `${inside}/`, method: 0 },
      { name: `${inside}/base_state.json`, content: JSON.stringify({ ...JSON.parse(baseState(id)), tags: { title, ...tags } }) },
      { name: `${inside}/events/`, method: 0 },
      { name: `${inside}/events/event-00000-${message.id}.json`, content: JSON.stringify(message) },
    ];
  };
  const archive = (conversations) => {
    const now = Date.now();
    const entries = conversations.flatMap((each, at) => entriesOf(now, each, at));
    const file = path.join(folder, `${made}.zip`);
    writeFileSync(file, zip(entries));
    return file;
  };
  return { folder, archive };
}
