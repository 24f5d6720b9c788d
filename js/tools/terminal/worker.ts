// The shell in a worker, so that a command that computes for long cannot block the page, and can be stopped. Built as a file
// of its own; where there are no workers, the page imports it.
import { type FromWorker, type Page, type Shell, type ShellOptions, type ToWorker, fileMethods } from "./protocol.js";
import { createShell } from "./run.js";

export { createShell };

/** The name with which the page starts the worker. */
const workerName = "threadkeep terminal";

interface WorkerScope {
  readonly name?: string;
  postMessage(message: FromWorker): void;
  addEventListener(type: "message", listener: (event: { data: ToWorker }) => void): void;
}

const scope = globalThis as unknown as WorkerScope;
if ("WorkerGlobalScope" in globalThis && scope.name === workerName) serve();

function serve(): void {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let lastCall = 0;
  let shell: Shell | undefined;
  let running: AbortController | undefined;

  const call = (method: keyof Page, ...args: unknown[]) =>
    new Promise<never>((resolve, reject) => {
      const id = ++lastCall;
      waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      scope.postMessage({ type: "call", id, method, args });
    });

  const start = (options: ShellOptions) => {
    const files = Object.fromEntries(fileMethods.map((method) => [method, (...args: unknown[]) => call(method, ...args)]));
    shell = createShell({ ...(files as unknown as Page), fetch: (request) => call("fetch", request) }, options);
    scope.postMessage({ type: "ready" });
  };

  scope.addEventListener("message", ({ data: message }) => {
    if (message.type === "start") start(message.options);
    else if (message.type === "abort") running?.abort();
    else if (message.type === "run") {
      running = new AbortController();
      shell!.run(message.command, running.signal).then(
        (result) => scope.postMessage({ type: "result", result }),
        (error: unknown) => scope.postMessage({ type: "failure", message: String(error) }),
      );
    } else {
      const { resolve, reject } = waiting.get(message.id)!;
      waiting.delete(message.id);
      if (message.type === "answer") resolve(message.value);
      else reject(Object.assign(new Error(message.message), { code: message.code }));
    }
  });
}
