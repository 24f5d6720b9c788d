// `threadkeep/testing`: a model that follows a script, for tests of apps, and the conformance suite for stores of one's own.
//
// The library's own stores pass the same suite. It has a wasm of its own, so that pages do not download it.
import initialize, { conformanceCases, runConformanceCase } from "../../pkg/threadkeep_testing.js";
import type { Store } from "threadkeep";
import { optionsOf } from "./options.js";

export * from "./scripted-model.js";

/** The result of one case. */
export interface CaseReport {
  /** The requirement, as words joined by underscores. */
  name: string;
  /** The requirement that did not hold; absent if the case passed. */
  failure?: string;
  /** If values were compared, the expected one, as lines around the first that differs. */
  expected?: string;
  /** The same lines of the value that the store returned. */
  actual?: string;
}

export interface CheckOptions {
  /** The names of the cases to run. Default: all. */
  only?: string[] | undefined;
  /** Called after each case. */
  onReport?: ((report: CaseReport) => void) | undefined;
}

/**
 * Runs the suite on a store.
 *
 * `open(place)` opens a handle on the store called `place`, which must be empty when it is first opened; opening it again
 * returns another handle on the same conversations. A store without names can create an empty one for each new name.
 *
 * Failures of the store are in the reports; the promise does not reject because of them.
 */
export async function checkStore(open: (place: string) => Store | Promise<Store>, options: CheckOptions = {}): Promise<CaseReport[]> {
  const { only, onReport } = optionsOf("checkStore()", options, "only onReport");
  await load();
  const reports: CaseReport[] = [];
  for (const name of only ?? conformanceCases()) {
    const failure = (await runConformanceCase(name, open)) as { message: string; expected?: string; actual?: string } | undefined;
    const { message, ...values } = failure ?? {};
    const report: CaseReport = message === undefined ? { name } : { name, failure: message, ...values };
    reports.push(report);
    onReport?.(report);
  }
  return reports;
}

let loading: Promise<unknown> | undefined;

function load(): Promise<unknown> {
  loading ??= wasm().then((module_or_path) => initialize({ module_or_path }));
  return loading;
}

/** Node's fetch cannot read files. */
async function wasm(): Promise<URL | BufferSource> {
  const url = new URL("./threadkeep_testing_bg.wasm", import.meta.url);
  const { process } = globalThis as { process?: { getBuiltinModule?(id: string): { readFile(url: URL): Promise<BufferSource> } } };
  const files = url.protocol === "file:" ? process?.getBuiltinModule?.("node:fs/promises") : undefined;
  return files ? files.readFile(url) : url;
}
