// Brings up the wasm: once, when first needed, from wherever the bundler or server put it.
//
// Nothing else of the library may be called before `load()` resolved. A failed load is forgotten, so that the
// next call tries again (a page that was offline comes back).
import initialize from "../pkg/threadkeep.js";

/** Where the wasm may come from when the host chooses it. */
export type WasmSource = URL | Response | BufferSource | WebAssembly.Module;

let loading: Promise<void> | undefined;

/**
 * Loads the wasm. Only needed to choose where it comes from, or to load it ahead of time: the first asynchronous
 * call of the API loads it otherwise. Once a load succeeded, or while one is under way, `source` is ignored.
 */
export function load(source?: WasmSource): Promise<void> {
  loading ??= bringUp(source).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function bringUp(source: WasmSource | undefined): Promise<void> {
  const module = source === undefined ? await findModule() : await compile(source);
  await initialize({ module_or_path: module });
}

/**
 * The file beside this module, or else the copy that travels as JavaScript: esbuild does not carry the file along,
 * and Vite's development server moves this module away from it.
 */
async function findModule(): Promise<WebAssembly.Module> {
  let notFound: unknown;
  try {
    // Written in one expression, because that is the form in which Vite and webpack recognise and emit the file.
    return await compile(new URL("./threadkeep_bg.wasm", import.meta.url));
  } catch (error) {
    notFound = error;
  }
  try {
    const { default: base64 } = await import("./wasm-inline.js");
    return await WebAssembly.compile(await gunzip(base64));
  } catch (error) {
    throw new Error(
      `threadkeep could not load its wasm: ${text(notFound)}; nor the copy inside JavaScript: ${text(error)}. ` +
        "Serve threadkeep_bg.wasm beside the module, or pass its location to load()",
      { cause: notFound },
    );
  }
}

async function compile(source: WasmSource): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof URL) return compile(await readUrl(source));
  if (source instanceof Response) return compileResponse(source);
  if (!(source instanceof ArrayBuffer) && !ArrayBuffer.isView(source)) {
    throw new TypeError("load() takes a URL, a Response, the bytes of the wasm, or a WebAssembly.Module");
  }
  return compileBytes(source, "the bytes passed to load()");
}

/** Node's fetch does not read files; its file system module is asked for by name so that no bundler looks for it. */
async function readUrl(url: URL): Promise<Response | BufferSource> {
  if (url.protocol !== "file:") return fetch(url);
  const { process } = globalThis as { process?: { getBuiltinModule?(id: string): { readFile(url: URL): Promise<Uint8Array<ArrayBuffer>> } } };
  const files = process?.getBuiltinModule?.("node:fs/promises");
  return files ? files.readFile(url) : fetch(url);
}

async function compileResponse(response: Response): Promise<WebAssembly.Module> {
  const name = response.url || "the response passed to load()";
  if (!response.ok) throw new Error(`${name} answered ${response.status} ${response.statusText}`.trim());
  const type = response.headers.get("content-type")?.split(";")[0]?.trim();
  if (type === "application/wasm") return WebAssembly.compileStreaming(response);
  return compileBytes(await response.arrayBuffer(), `${name} (${type ?? "no content type"})`);
}

async function compileBytes(bytes: BufferSource, name: string): Promise<WebAssembly.Module> {
  const view = ArrayBuffer.isView(bytes) ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : new Uint8Array(bytes);
  // A server that answers every unknown path with its start page says 200 and sends HTML.
  const magic = [0x00, 0x61, 0x73, 0x6d];
  if (!magic.every((byte, i) => view[i] === byte)) throw new Error(`${name} is not WebAssembly`);
  return WebAssembly.compile(bytes);
}

async function gunzip(base64: string): Promise<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(plain).arrayBuffer();
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
