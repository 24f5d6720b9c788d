// The logs that the SDK wrote (tests/fixtures): for each conversation the events of its active branch.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { root } from "../../../scripts/process.mjs";

const versions = ["sdk-1.43.1", "sdk-1.58.2"];

/** Every conversation: its scenario, the events of its active branch in order, and the ids of the calls without a result. */
export function storedConversations() {
  return versions.flatMap((version) => {
    const folder = path.join(root, "tests/fixtures", version);
    const { conversations } = JSON.parse(readFileSync(path.join(folder, "index.json"), "utf8"));
    return conversations.map(({ scenario, directory, active_branch: branch, unmatched_actions: open }) => {
      const events = new Map(readEvents(path.join(folder, directory, "events")).map((event) => [event.id, event]));
      return { name: `${version}/${scenario}`, scenario, events: (branch ?? []).flatMap((id) => events.get(id) ?? []), open: open ?? [] };
    });
  });
}

function readEvents(folder) {
  // Some have never run.
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder)
    .filter((name) => name.startsWith("event-"))
    .sort();
  return names.flatMap((name) => {
    try {
      return [JSON.parse(readFileSync(path.join(folder, name), "utf8"))];
    } catch {
      // Some are damaged on purpose.
      return [];
    }
  });
}
