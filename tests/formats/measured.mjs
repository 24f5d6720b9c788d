// Imports and exports in a process of their own, whose memory is measured.
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { openAsBlob, createWriteStream } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const script = fileURLToPath(import.meta.url);

/**
 * Imports the archive in `file`, and exports the conversation `id` of it into the file `to`, with a heap for JavaScript
 * of 64 MB. Resolves to `peak` and `held`: the most bytes that the process had, and those of its wasm, where the memory
 * store keeps what was imported; or to `refused`, the error's message, and `peak`.
 */
export async function measuredImport(file, id, to) {
  const args = ["--max-old-space-size=64", script, file, ...(id ? [id, to] : [])];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 390_000 });
  return JSON.parse(stdout);
}

/** Calls `use` with a folder that is removed afterwards. */
export async function withTemporaryFolder(use) {
  const directory = await mkdtemp(path.join(tmpdir(), "threadkeep-archive-"));
  try {
    return await use(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

if (process.argv[1] === script) await main(...process.argv.slice(2));

async function main(file, id, to) {
  const { archiveLibrary } = await import("./library.mjs");
  const { importZip, exportZipStream, memoryStore, memory } = await archiveLibrary();
  const store = memoryStore();
  const result = {};
  try {
    result.imported = await importZip(await openAsBlob(file), store);
    if (id) await exportZipStream(store, id).pipeTo(Writable.toWeb(createWriteStream(to)));
  } catch (error) {
    result.refused = error.message;
  }
  console.log(JSON.stringify({ ...result, peak: process.resourceUsage().maxRSS * 1024, held: memory.buffer.byteLength }));
}
