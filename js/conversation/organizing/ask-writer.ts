// Asks the handle that writes a conversation to change its tags, as a follower does, but without opening the conversation.
import { newId } from "../../input/arguments.js";
import { ThreadkeepError } from "../../input/errors.js";
import { join } from "../../store/changes.js";
import type { Store } from "../../store/store.js";
import { type FromFollower, type FromWriter, type Unsigned, channelOf } from "../role/channel.js";
import type { TagChanges } from "../types.js";

/** How many milliseconds a writer has to greet, and again to answer. A page that is hidden may be slow. */
const patience = 3_000;

/**
 * Resolves to whether the writer has done it; `false` if none has answered. The same change twice does no harm.
 * @param greetsWithin How many milliseconds it has to greet.
 */
export async function askWriter(store: Store, id: string, tags: TagChanges, greetsWithin = patience): Promise<boolean> {
  const channel = channelOf(store, id);
  if (!channel) return false;
  const client = newId();
  const post = (message: Unsigned<FromFollower, "from">) => channel.postMessage({ ...message, from: client });
  const member = join(store);
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    return await new Promise<boolean>((resolve, reject) => {
      const wait = (milliseconds: number) => {
        clearTimeout(timer);
        timer = setTimeout(() => resolve(false), milliseconds);
      };
      let writer: string | undefined;
      channel.addEventListener("message", ({ data }: MessageEvent<FromWriter | FromFollower>) => {
        if (!("by" in data)) return;
        // It has just begun to answer others.
        if ("here" in data) post({ hello: true });
        else if (!("to" in data) || data.to !== client) return;
        else if ("welcome" in data && data.by !== writer) {
          writer = data.by;
          wait(patience);
          post({ to: writer, call: 1, verb: "changeTags", args: [tags], isAgain: false, settled: 0, signal: "none" });
        } else if ("result" in data) {
          if (!("error" in data)) return resolve(true);
          const { code, message, retryable, status } = data.error;
          // Another handle is about to write, or none.
          if (code === "locked_elsewhere" || code === "invalid_state") resolve(false);
          else reject(new ThreadkeepError(code, message, { retryable, ...(status !== undefined && { status }) }));
        }
      });
      wait(greetsWithin);
      post({ hello: true });
      member.tell({ id, isListed: false, word: "asking" });
    });
  } finally {
    clearTimeout(timer);
    post({ gone: true });
    member.leave();
    channel.close();
  }
}
