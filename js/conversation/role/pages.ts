// Tools that run in a page, for a writer that is in a worker: which page runs a call, and what became of it.
import { ThreadkeepError } from "../../input/errors.js";
import type { ToolContext } from "../../tool/types.js";
import { type FromFollower, type FromWriter, lockOfPage, type PageContext, type Unsigned } from "./channel.js";

/** A call of a tool that runs in a page. */
export interface PageCall {
  tool: string;
  /** The JSON of the arguments. */
  args: string;
  context: PageContext & Pick<ToolContext, "signal" | "progress">;
}

export interface Pages {
  /** Takes what a follower says about its tools. */
  hear(message: FromFollower): void;
  /** Runs a call in the page that the user looks at. Waits for one. Resolves to the JSON of the result. */
  run(call: PageCall): Promise<string>;
  /** No call is answered any more. */
  end(): void;
}

/** A page that can run tools. */
interface Page {
  tools: readonly string[];
  /** Since when the user looks at it; `null` while it is hidden. */
  looked: number | null;
}

/** A call that a page runs. */
interface Running {
  page: string;
  says(text: string): void;
  ran(json: string): void;
  failed(error: Error): void;
}

export function pagesFor(post: (message: Unsigned<FromWriter, "by">) => void): Pages {
  const pages = new Map<string, Page>();
  const running = new Map<number, Running>();
  /** Calls that wait for a page. */
  const waiting = new Set<() => void>();
  const end = new AbortController();
  let last = 0;

  const lost = (name: string) => {
    pages.delete(name);
    const error = new ThreadkeepError(
      "aborted",
      "the page that ran the tool was closed before it had a result; nobody knows whether the call has taken effect",
    );
    for (const call of running.values()) if (call.page === name) call.failed(error);
  };
  const heed = (name: string, page: Page) => {
    // The lock is free when the page is gone, even without a word.
    if (!pages.has(name)) globalThis.navigator?.locks?.request(lockOfPage(name), { signal: end.signal }, () => lost(name)).catch(() => {});
    pages.set(name, page);
    for (const look of waiting) look();
  };

  /** The page with this tool that the user has looked at last. */
  const pageFor = (tool: string): string | undefined => {
    const able = [...pages].filter(([, { tools, looked }]) => looked !== null && tools.includes(tool));
    return able.sort(([, one], [, other]) => other.looked! - one.looked!)[0]?.[0];
  };
  const somePage = async ({ tool, context }: PageCall): Promise<string> => {
    const found = pageFor(tool);
    if (found !== undefined) return found;
    context.progress("waits until a page of this app is looked at");
    return new Promise((resolve, reject) => {
      const look = () => {
        const page = pageFor(tool);
        if (page === undefined) return;
        over();
        resolve(page);
      };
      const stop = () => {
        over();
        reject(new ThreadkeepError("aborted", "the call was stopped before a page could run it"));
      };
      const over = () => {
        waiting.delete(look);
        context.signal.removeEventListener("abort", stop);
      };
      waiting.add(look);
      context.signal.addEventListener("abort", stop);
      if (context.signal.aborted) stop();
    });
  };

  return {
    hear(message) {
      const { from } = message;
      if ("tools" in message) heed(from, { tools: message.tools, looked: message.looked });
      else if ("gone" in message) lost(from);
      else if ("says" in message) running.get(message.about)?.says(message.says);
      else if ("ran" in message) {
        const call = running.get(message.ran);
        if (call?.page !== from) return;
        if ("json" in message) call.ran(message.json);
        else call.failed(new Error(message.failed));
      }
    },
    async run(call) {
      const page = await somePage(call);
      const { signal, progress, toolCallId, conversationId, idempotencyKey } = call.context;
      const number = ++last;
      const stop = () => post({ to: page, stop: number });
      try {
        return await new Promise<string>((ran, failed) => {
          running.set(number, { page, ran, failed, says: progress });
          signal.addEventListener("abort", stop);
          post({ to: page, perform: number, tool: call.tool, args: call.args, context: { toolCallId, conversationId, idempotencyKey } });
          if (signal.aborted) stop();
        });
      } finally {
        signal.removeEventListener("abort", stop);
        running.delete(number);
      }
    },
    end() {
      end.abort();
    },
  };
}
