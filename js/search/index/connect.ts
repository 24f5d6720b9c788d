// The way from a page to its index: a worker, or this page where there is none.
import { fromDatabase } from "../../store/database.js";
import { fromFileOrCopy } from "../../wasm/copies.js";
import { part } from "../../wasm/wasm.js";
import { type FromWorker, type SearchIndex, type ToWorker, methods, workerName } from "./protocol.js";

/** How many milliseconds a worker has to begin. */
const patience = 10_000;

/** The index in the database of this name. */
export async function connect(name: string): Promise<SearchIndex> {
  const worker = await started(name);
  if (worker) return overWorker(worker);
  // Slower, and what it does is done in pieces as short as its pages.
  const { StoredIndex } = await part(import("./stored-index.js"));
  return withErrors(new StoredIndex(name));
}

/** The worker; `undefined` where there are none, where its file is not served, and where a content security policy forbids it. */
async function started(name: string): Promise<Worker | undefined> {
  if (typeof Worker !== "function") return undefined;
  // In this form Vite and webpack recognise and emit the file.
  const file = new URL("./search-worker.js", import.meta.url).href;
  const fromCopy = async (content: ArrayBuffer) => {
    const url = URL.createObjectURL(new Blob([content], { type: "text/javascript" }));
    try {
      return await start(url, name);
    } finally {
      URL.revokeObjectURL(url);
    }
  };
  const source = { name: "search-worker.js", what: "worker of the search", advice: "serve search-worker.js beside the module" };
  return fromFileOrCopy({ ...source, tellsOfOthers: false, fromFile: () => start(file, name), fromCopy }).catch(() => undefined);
}

async function start(url: string, name: string): Promise<Worker> {
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
      worker.postMessage({ open: name } satisfies ToWorker);
    });
    return worker;
  } catch (error) {
    worker.terminate();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function overWorker(worker: Worker): SearchIndex {
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
  return withErrors(Object.fromEntries(methods.map((method) => [method, ask(method)])) as unknown as SearchIndex);
}

/** Errors of the database become those of the library. */
function withErrors(index: SearchIndex): SearchIndex {
  const call =
    (method: (typeof methods)[number]) =>
    async (...args: unknown[]) => {
      try {
        return await (index[method] as (...args: unknown[]) => Promise<unknown>)(...args);
      } catch (error) {
        throw fromDatabase("the index of the search", error as DOMException);
      }
    };
  return Object.fromEntries(methods.map((method) => [method, call(method)])) as unknown as SearchIndex;
}
