// Chromium has the names of all files of OPFS in a log of blocks. A browser that dies in the middle of a write may leave half a record at
// its end; the next browser writes on behind that half (`reuse_logs` of LevelDB), and the one after it skips the rest of the block, with
// every file that was made there. So what a page writes first is longer than a block, and nothing that anybody needs.

/** A record has the name twice, so it is longer than a block, which has 32 KiB. */
const waste = ".threadkeep-".padEnd(20_000, "0");

let passed: Promise<void> | undefined;

/** Resolves when a page may write files of OPFS that last; takes about 4 ms, once in the life of the page. @internal */
export function passTornBlock(): Promise<void> {
  return (passed ??= pass());
}

async function pass(): Promise<void> {
  // Only Chromium tells this, and only Chromium has such a log.
  if (!("userAgentData" in navigator)) return;
  try {
    const root = await navigator.storage.getDirectory();
    await root.getFileHandle(waste, { create: true });
    await root.removeEntry(waste);
  } catch {
    // Where there is no room, the write that follows says so.
  }
}
