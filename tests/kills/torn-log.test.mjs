// A browser that dies in the middle of a write leaves half a record at the end of Chromium's log of OPFS. The next browser writes on
// behind it, and the one after that skips a block of the log: nothing of the library was in it.
import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { availableBrowsers, launch } from "../support/browser/driver.mjs";
import { createModel } from "../support/model.mjs";
import { startServer } from "../support/server.mjs";

const skip = !availableBrowsers.includes("chromium") && "only Chromium has such a log";

test("a torn record in the log of OPFS costs nothing that was stored after it", { skip }, async () => {
  const server = await startServer({ model: createModel([{ text: "Yes." }]) });
  const profile = mkdtempSync(path.join(tmpdir(), "threadkeep-torn-"));
  const inBrowser = async (work) => {
    const browser = await launch("chromium", { profile });
    try {
      await browser.page(`${server.origin}/pages/blank.html`);
      return await browser.evaluate(work, `${server.origin}/v1`);
    } finally {
      await browser.close();
    }
  };
  try {
    await inBrowser(async () => {
      await (await navigator.storage.getDirectory()).getDirectoryHandle("conversations", { create: true });
    });

    const logs = readdirSync(profile, { recursive: true }).filter((name) => /File System.\d+.t.Paths.\d+\.log$/.test(name));
    assert.equal(logs.length, 1);
    // A checksum, 205 as the length of what would follow, and that it is a whole record.
    appendFileSync(path.join(profile, logs[0]), Uint8Array.of(1, 2, 3, 4, 205, 0, 1));

    await inBrowser(async (baseUrl) => {
      const root = await navigator.storage.getDirectory();
      await root.getFileHandle("lost", { create: true });
      const { Agent, Conversation, LLM, directoryStore, opfsWorkspace } = await import("/threadkeep/index.js");
      const store = directoryStore(await root.getDirectoryHandle("conversations"));
      const agent = new Agent({ llm: new LLM({ model: "scripted", baseUrl }) });
      const conversation = await Conversation.open({ agent, store });
      await conversation.sendMessage("Is it kept?");
      await conversation.run();
      await conversation.close();
      const files = opfsWorkspace("files");
      await files.write("notes.md", new TextEncoder().encode("kept as well"));
    });

    const found = await inBrowser(async () => {
      const root = await navigator.storage.getDirectory();
      const names = await Array.fromAsync(root.keys());
      const { directoryStore, opfsWorkspace } = await import("/threadkeep/index.js");
      const store = directoryStore(await root.getDirectoryHandle("conversations"));
      const lengths = (await store.list()).map(({ length }) => length);
      const notes = await opfsWorkspace("files").read("notes.md");
      return { names, lengths, notes: notes && new TextDecoder().decode(notes) };
    });
    // What shows that the browser skips a block: otherwise this test, and what passes that block, is no longer needed.
    assert.deepEqual(found.names.sort(), ["conversations", "threadkeep"]);
    assert.deepEqual([found.lengths, found.notes], [[3], "kept as well"]);
  } finally {
    await server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
});
