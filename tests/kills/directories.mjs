// Checks the directories that a kill has left, before the library has looked at them: an import accepts each, and so does the SDK where
// other tests have installed it.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Conversation, memoryStore } from "../../dist/index.js";
import { Sdk } from "../interop/session.mjs";
import { python, sdkVersion } from "../interop/setup.mjs";
import { packed, write } from "../support/files.mjs";
import { caches } from "../support/made-once.mjs";

/** The SDK; `undefined` where it is not installed. */
export async function installedSdk() {
  if (!existsSync(path.join(caches, `threadkeep-sdk-${sdkVersion}`, "launcher.json"))) return undefined;
  const { argv, env } = await python();
  return Sdk.start(argv, env);
}

/** Looks at the directories that one test has after its kills, and counts them. */
export class Directories {
  counts = { looks: 0, directories: 0, "seen by the SDK": 0, "begun and not yet there": 0, "whose base state was emptied": 0 };
  /** Sentences on what was wrong. */
  problems = [];
  #sdk;
  /** The conversations that were there. */
  #known = new Set();
  #place = mkdtempSync(path.join(tmpdir(), "threadkeep-left-"));

  constructor(sdk) {
    this.#sdk = sdk;
  }

  /** Looks at all conversations among these files, texts or bytes by path. `when` names the moment. */
  async look(files, when) {
    this.counts.looks++;
    for (const [hex, own] of conversationsAmong(files)) {
      // It exists once it has a base state; before that nothing of it was reported.
      if (!own.get("base_state.json")?.length) {
        this.counts[this.#known.has(hex) ? "whose base state was emptied" : "begun and not yet there"]++;
        continue;
      }
      this.#known.add(hex);
      this.counts.directories++;
      const events = [...own.keys()].filter((name) => name.startsWith("events/event-"));
      const [imported] = await Conversation.importZip(packed(hex, own), { store: memoryStore() });
      if (imported.eventCount < events.length - 1) {
        const sizes = events.map((name) => own.get(name).length);
        this.problems.push(`${when}: of ${events.length} events ${imported.eventCount} are read: ${sizes}`);
      }
      if (!this.#sdk) continue;
      const directory = path.join(this.#place, hex);
      write(directory, own);
      const read = await this.#sdk.check(directory);
      this.counts["seen by the SDK"]++;
      if (!read.ok) this.problems.push(`${when}: the SDK refuses it: ${JSON.stringify(read.refused)}`);
      rmSync(directory, { recursive: true });
    }
  }

  close() {
    rmSync(this.#place, { recursive: true, force: true });
  }
}

/** The files of each conversation by their path in its folder, without what stores keep beside the layout. */
function conversationsAmong(files) {
  const conversations = new Map();
  for (const [name, content] of files) {
    const [hex, ...rest] = name.split("/");
    if (hex.startsWith(".") || rest[0] === ".threadkeep") continue;
    if (!conversations.has(hex)) conversations.set(hex, new Map());
    conversations.get(hex).set(rest.join("/"), Buffer.from(content));
  }
  return conversations;
}
