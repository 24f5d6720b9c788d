// A workspace in memory: the same as the files of a conversation, over a map instead of a store.
import { invalidOptions, reading } from "../input/errors.js";
import { ConversationWorkspace } from "./conversation.js";
import type { Workspace } from "./types.js";

/** @internal */
export async function memoryFiles(given: Readonly<Record<string, string | Uint8Array>>, workingDir: string): Promise<Workspace> {
  const files = reading("the files of memoryWorkspace()", () => {
    if (typeof given === "object" && given !== null && !Array.isArray(given)) return Object.entries(given);
    throw invalidOptions("memoryWorkspace() takes an object of texts or Uint8Arrays by path");
  });
  const contents = new Map<string, Uint8Array>();
  const { workspace } = new ConversationWorkspace(
    {
      files: async () => [...contents.keys()],
      readFile: async (path) => contents.get(path)?.slice(),
      async writeFiles(changes) {
        for (const { path, content } of changes) {
          if (content === null) contents.delete(path);
          else contents.set(path, content);
        }
      },
    },
    workingDir,
  );
  for (const [path, content] of files) await workspace.write(path, content);
  return workspace;
}
