// Starts the shell: in a worker, or in this thread where there are none.
import { textOf } from "../../errors.js";
import { part } from "../../wasm.js";
import { type FromWorker, type Page, type Shell, type ShellCommand, type ShellOptions, type ShellResult, type ToWorker, fileMethods } from "./protocol.js";
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
  const inWorker = (url: string) => (typeof Worker === "function" ? startWorker(url, page, options) : inPage(url));
  // In this form Vite and webpack recognise and emit the file.
  const file = new URL("./terminal-worker.js", import.meta.url).href;
  try {
    return await inWorker(file);
  } catch (error) {
    // esbuild does not emit the file, and Vite's development server moves this module away from it.
    const copy = URL.createObjectURL(new Blob([await copyOf(error)], { type: "text/javascript" }));
    try {
      return await inWorker(copy).catch(() => inPage(copy));
    } finally {
      URL.revokeObjectURL(copy);
    }
  }
}

/** The code of the file inside a JavaScript module: gzip in base64. */
async function copyOf(notFound: unknown): Promise<ArrayBuffer> {
  try {
    const { default: base64 } = await part(import("./terminal-worker-inline.js"));
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  } catch (error) {
    throw new Error(`the shell did not load: ${textOf(notFound)}; nor did its copy: ${textOf(error)}; serve terminal-worker.js beside the module`);
  }
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
  const files = Object.fromEntries(fileMethods.map((method) => [method, (...args: never[]) => (page()[method] as (...args: never[]) => unknown)(...args)]));
  const shell = create({ ...(files as unknown as Page), fetch: (request) => page().fetch!(request) }, { ...options, isInPage: true });
  return { ...shell, end() {} };
}
