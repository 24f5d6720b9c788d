// The way from a page to its index: a worker, or this page where there is none.
import { ThreadkeepError } from "../../input/errors.js";
import { fromDatabase } from "../../store/database.js";
import { fromFileOrCopy } from "../../wasm/copies.js";
import { part } from "../../wasm/wasm.js";
import { type FromWorker, type SearchIndex, type ToWorker, lost, methods, workerName } from "./protocol.js";

/** How many milliseconds a worker has to begin. */
const patience = 10_000;

/** A way to an index that a page has. */
export interface Connection {
  index: SearchIndex;
  /** Ends it, with all that it holds in memory: then every call rejects with `IndexGone`. */
  end(): void;
}

/** For an index that was emptied, because it could not be read, or that has ended: it can be asked for again. */
export class IndexGone extends ThreadkeepError {
  constructor() {
    super("store_corrupt", "the index of the search has gone while it was read; search again");
  }
}

/** The index in the database of this name; with a key, the one that is sealed with it. */
export async function connect(name: string, key: CryptoKey | undefined): Promise<Connection> {
  const worker = await started(name, key);
  if (worker) return overWorker(worker);
  // Slower, and what it does is done in pieces as short as its pages.
  const { StoredIndex } = await part(import("./stored-index.js"));
  const index = new StoredIndex(name, key);
  return endable(index, () => index.close());
}

/** The worker; `undefined` where there are none, where its file is not served, and where a content security policy forbids it. */
async function started(name: string, key: CryptoKey | undefined): Promise<Worker | undefined> {
  if (typeof Worker !== "function") return undefined;
  // In this form Vite and webpack recognise and emit the file.
  const file = new URL("./search-worker.js", import.meta.url).href;
  const fromCopy = async (content: ArrayBuffer) => {
    const url = URL.createObjectURL(new Blob([content], { type: "text/javascript" }));
    try {
      return await start(url, name, key);
    } finally {
      URL.revokeObjectURL(url);
    }
  };
  const source = { name: "search-worker.js", what: "worker of the search", advice: "serve search-worker.js beside the module" };
  return fromFileOrCopy({ ...source, tellsOfOthers: false, fromFile: () => start(file, name, key), fromCopy }).catch(() => undefined);
}

async function start(url: string, name: string, key: CryptoKey | undefined): Promise<Worker> {
  const worker = new Worker(url, { type: "module", name: workerName });
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      timer = setTimeout(() => reject(new Error("the worker did not answer")), patience);
      worker.onmessage = () => resolve();
      worker.onerror = (event) => {
        event.preventDefault();
        reject(new Error(event.message || "the worker did not start"));
      };
      worker.postMessage({ open: name, key } satisfies ToWorker);
    });
    return worker;
  } catch (error) {
    worker.terminate();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function overWorker(worker: Worker): Connection {
  let last = 0;
  const waiting = new Map<number, { resolve(value: never): void; reject(error: unknown): void }>();
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    if ("ready" in data) return;
    const call = waiting.get(data.result);
    waiting.delete(data.result);
    if ("error" in data) call?.reject(new DOMException(data.error.message, data.error.name));
    else call?.resolve(data.value as never);
  };
  const ask =
    (method: (typeof methods)[number]) =>
    (...args: unknown[]) =>
      new Promise<never>((resolve, reject) => {
        waiting.set(++last, { resolve, reject });
        worker.postMessage({ call: last, method, args } satisfies ToWorker);
      });
  return endable(Object.fromEntries(methods.map((method) => [method, ask(method)])) as unknown as SearchIndex, () => {
    worker.terminate();
    for (const { reject } of waiting.values()) reject(new IndexGone());
  });
}

/** Errors of the database become those of the library. */
function endable(index: SearchIndex, end: () => void): Connection {
  let hasEnded = false;
  const call =
    (method: (typeof methods)[number]) =>
    async (...args: unknown[]) => {
      if (hasEnded) throw new IndexGone();
      try {
        return await (index[method] as (...args: unknown[]) => Promise<unknown>)(...args);
      } catch (error) {
        if (hasEnded || (error as Error).name === lost) throw new IndexGone();
        throw fromDatabase("the index of the search", error);
      }
    };
  return {
    index: Object.fromEntries(methods.map((method) => [method, call(method)])) as unknown as SearchIndex,
    end() {
      hasEnded = true;
      end();
    },
  };
}
