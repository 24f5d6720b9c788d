// Loads the wasm and its chunks, each once, when it is first needed.
//
// Nothing else of the library may be called before `load()` has resolved. After a failed load, the next call tries
// again, because the page may have been offline.
import { instantiate, loadChunksWith } from "../../pkg/threadkeep.js";
import { invalidOptions, textOf, ThreadkeepError } from "../input/errors.js";
import { loadChunk as loadChunkBeside } from "./chunks.js";
import { chunks } from "./generated/chunks.js";
import { whenIdle } from "./idle.js";
import { loader, type WasmSource } from "./loader.js";

const loadMain = loader({
  name: "threadkeep_bg.wasm",
  advice: "serve threadkeep_bg.wasm beside the module, or pass its location to load()",
  file: () => new URL("./threadkeep_bg.wasm", import.meta.url),
  instantiate: async (module) => {
    main = await instantiate(module);
    loadChunksWith((name: string, isAhead?: boolean) => {
      if (loaded.has(name)) return undefined;
      return isAhead ? loadAhead(name).catch(() => {}) : loadChunk(name);
    });
  },
});

/** The exports of the main wasm. */
let main: object;

/** The chunks that are there. */
const loaded = new Set<string>();

/** Loads a chunk of the wasm. @internal */
export async function loadChunk(name: string): Promise<void> {
  await loadChunkBeside(name, main);
  loaded.add(name);
}

/** Loads a chunk when there is time, after those that it is loaded with, which are needed sooner. */
async function loadAhead(name: string): Promise<void> {
  await whenIdle();
  for (const each of [...chunks[name]!.loadedWith, name]) await loadChunk(each);
}

/**
 * Loads the wasm. Only needed to choose its source, or to load it early: otherwise the first asynchronous call of the API
 * loads it. `source` is ignored if the wasm is loaded or being loaded.
 */
export function load(source?: WasmSource): Promise<void> {
  return loadMain(source);
}

/** Awaits the dynamic import of a part of the library. Firefox never repeats a failed import within a page. @internal */
export async function part<T>(module: Promise<T>): Promise<T> {
  try {
    return await module;
  } catch (error) {
    if ("ServiceWorkerGlobalScope" in globalThis)
      throw invalidOptions('a service worker may not load parts of the library: import "threadkeep/static" there');
    throw new ThreadkeepError("network", `a part of the library did not load: ${textOf(error)}; try again, or reload the page`, {
      cause: error,
    });
  }
}
