// The index in a worker, so that reading texts and writing words never holds up the page. Built as a file of its own.
import { type FromWorker, type SearchIndex, type ToWorker, workerName } from "./protocol.js";
import { StoredIndex } from "./stored-index.js";

interface WorkerScope {
  readonly name?: string;
  postMessage(message: FromWorker): void;
  addEventListener(type: "message", listener: (event: { data: ToWorker }) => void): void;
}

const scope = globalThis as unknown as WorkerScope;
if (scope.name === workerName) serve();

function serve(): void {
  let index: StoredIndex;
  /** One call after the other, as they come. */
  let last: Promise<unknown> = Promise.resolve();
  const answer = async (call: number, method: keyof SearchIndex, args: unknown[]) => {
    try {
      scope.postMessage({ result: call, value: await (index[method] as (...args: unknown[]) => unknown)(...args) });
    } catch (error) {
      const { name, message } = error as Error;
      scope.postMessage({ result: call, error: { name, message } });
    }
  };
  scope.addEventListener("message", ({ data }) => {
    if ("open" in data) {
      index = new StoredIndex(data.open, data.key);
      return scope.postMessage({ ready: true });
    }
    const { call, method, args } = data;
    const isQuery = method === "find" || method === "indexed";
    // A query need not wait for what is being written.
    if (isQuery) void answer(call, method, args);
    else last = last.then(() => answer(call, method, args));
  });
}
