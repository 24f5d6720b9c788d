// Starts the shell: in a worker, or in this thread where there are none.
import { fromFileOrCopy } from "../../wasm/copies.js";
import { textOf } from "../../input/errors.js";
import { part } from "../../wasm/wasm.js";
import {
  type FromWorker,
  type Page,
  type Shell,
  type ShellCommand,
  type ShellOptions,
  type ShellResult,
  type ToWorker,
  fileMethods,
} from "./protocol.js";
import type { createShell } from "./run.js";

/** A shell that can be ended, even while it computes. */
export interface RunningShell extends Shell {
  /** Ends the worker with the command that is running, and with the files outside of the workspace. */
  end(): void;
}

/** How long a command that was told to stop may take to return its output, in milliseconds. */
const gracePeriod = 300;

/** Starts a shell. @param page The functions of the page, which may change from command to command */
export async function startShell(page: () => Page, options: Omit<ShellOptions, "isInPage">): Promise<RunningShell> {
  const inPage = async (url: string) => shellInPage(await loaded(url), page, options);
  // A worker of Bun is not told its name, so the file would not know that it is one.
  const hasWorkers = typeof Worker === "function" && !("Bun" in globalThis);
  const inWorker = async (url: string) => (hasWorkers ? startWorker(url, page, options) : inPage(url));
  // In this form Vite and webpack recognise and emit the file.
  const file = new URL("./terminal-worker.js", import.meta.url).href;
  const fromCopy = async (content: ArrayBuffer) => {
    // Node imports no blobs, and has no policy against data. Some bundlers give pages a `process`, which is of no version of Node.
    const { process } = globalThis as { process?: { versions?: { node?: string } } };
    if (process?.versions?.node) return inPage(`data:text/javascript,${encodeURIComponent(new TextDecoder().decode(content))}`);
    const url = URL.createObjectURL(new Blob([content], { type: "text/javascript" }));
    try {
      return await inWorker(url).catch(() => inPage(url));
    } finally {
      URL.revokeObjectURL(url);
    }
  };
  const advice = "serve terminal-worker.js beside the module";
  const source = { name: "terminal-worker.js", what: "shell", advice, tellsOfOthers: false, fromFile: () => inWorker(file), fromCopy };
  return fromFileOrCopy(source).catch((error: unknown) =>
    // Without a copy, and where a Content-Security-Policy forbids the worker.
    inPage(file).catch(() => {
      throw error;
    }),
  );
}

async function startWorker(url: string, page: () => Page, options: Omit<ShellOptions, "isInPage">): Promise<RunningShell> {
  const worker = new Worker(url, { type: "module", name: "threadkeep terminal" });
  const send = (message: ToWorker, transfer: Transferable[] = []) => worker.postMessage(message, transfer);
  let settled: { resolve(result: ShellResult): void; reject(error: Error): void } | undefined;
  let hasEnded = false;

  const answer = async (id: number, method: keyof Page, args: unknown[]) => {
    try {
      const served = method === "fetch" || (fileMethods as readonly string[]).includes(method) ? page()[method] : undefined;
      if (!served) throw new Error(`the shell may not call ${method}`);
      const value = await (served as (...args: unknown[]) => Promise<unknown>)(...args);
      if (!hasEnded) send({ type: "answer", id, value });
    } catch (error) {
      const code = String((error as { code?: unknown } | null)?.code ?? "");
      if (!hasEnded) send({ type: "refusal", id, code, message: textOf(error) });
    }
  };

  await new Promise<void>((resolve, reject) => {
    worker.onerror = (event) => {
      event.preventDefault();
      const error = new Error(event.message || "the worker of the terminal did not start");
      reject(error);
      settled?.reject(error);
    };
    worker.onmessage = ({ data: message }: { data: FromWorker }) => {
      if (message.type === "ready") resolve();
      else if (message.type === "call") void answer(message.id, message.method, message.args);
      else if (message.type === "result") settled?.resolve(message.result);
      else settled?.reject(new Error(message.message));
    };
    send({ type: "start", options: { ...options, isInPage: false } });
  }).catch((error: unknown) => {
    worker.terminate();
    throw error;
  });

  const end = () => {
    if (hasEnded) return;
    hasEnded = true;
    worker.terminate();
    settled?.reject(new Error("the shell was ended"));
  };
  const run = async (command: ShellCommand, signal: AbortSignal): Promise<ShellResult> => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const abort = () => {
      send({ type: "abort" });
      // A worker that computes receives no messages.
      timer = setTimeout(end, gracePeriod);
    };
    signal.addEventListener("abort", abort);
    try {
      return await new Promise<ShellResult>((resolve, reject) => {
        settled = { resolve, reject };
        send({ type: "run", command });
        if (signal.aborted) abort();
      });
    } finally {
      signal.removeEventListener("abort", abort);
      clearTimeout(timer);
      settled = undefined;
    }
  };
  return { run, end };
}

async function loaded(url: string): Promise<typeof createShell> {
  // Bundlers must not look for the file.
  const module = (await part(import(/* @vite-ignore */ /* webpackIgnore: true */ url))) as { createShell: typeof createShell };
  return module.createShell;
}

function shellInPage(create: typeof createShell, page: () => Page, options: Omit<ShellOptions, "isInPage">): RunningShell {
  const files = Object.fromEntries(
    fileMethods.map((method) => [method, (...args: never[]) => (page()[method] as (...args: never[]) => unknown)(...args)]),
  );
  const shell = create({ ...(files as unknown as Page), fetch: (request) => page().fetch!(request) }, { ...options, isInPage: true });
  return { ...shell, end() {} };
}
