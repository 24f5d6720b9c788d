// Runs work in a thread of its own. The test runner follows every promise of its own thread, which makes streams many
// times slower there; what is asserted in the thread fails the test all the same.
import { once } from "node:events";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";

/**
 * Calls the function `name` of a module (a URL) with values that can be cloned, and resolves to what it resolves to.
 * The module must not import `node:test`, which is not made for threads.
 */
export async function apart(module, name, ...args) {
  const worker = new Worker(new URL(import.meta.url), { workerData: { apart: { module, name, args } } });
  const [[result]] = await Promise.all([once(worker, "message"), once(worker, "exit")]);
  return result;
}

if (!isMainThread && workerData?.apart) {
  const { module, name, args } = workerData.apart;
  parentPort.postMessage(await (await import(module))[name](...args));
}
