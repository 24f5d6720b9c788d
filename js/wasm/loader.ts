// Loads a file of wasm, each once, when it is first needed. After a failed load the next call tries again, because the page may
// have been offline.
import { build } from "../../pkg/threadkeep.js";
import { fromCore, invalidOptions, textOf, ThreadkeepError } from "../input/errors.js";
import { fromFileOrCopy } from "./copies.js";

/** A source of the wasm that the host chooses. */
export type WasmSource = URL | Response | BufferSource | WebAssembly.Module;

/** @internal */
export interface Wasm {
  /** The name of the file, by which its copy is found. */
  name: string;
  /** Advice for the error if neither the file nor the copy can be loaded. */
  advice: string;
  /** The URL of the file beside this module, in the form in which Vite and webpack recognise and emit the file. */
  file(): URL;
  instantiate(module: WebAssembly.Module): Promise<unknown>;
}

/** A function that loads a wasm file once. @internal */
export function loader(wasm: Wasm): (source?: WasmSource) => Promise<void> {
  let loading: Promise<void> | undefined;
  return (source) => {
    loading ??= bringUp(wasm, source).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

async function bringUp(wasm: Wasm, source: WasmSource | undefined): Promise<void> {
  const module = source === undefined ? await findModule(wasm) : await moduleFrom(source);
  await wasm.instantiate(module).catch((error: unknown) => {
    expectAllowed();
    throw fromCore(error);
  });
}

/**
 * Throws if the browser or a Content-Security-Policy forbids WebAssembly, which it tests with the smallest module. WebKit compiles
 * what it then refuses to instantiate.
 */
function expectAllowed(): void {
  try {
    new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)));
  } catch (cause) {
    const message =
      "WebAssembly is not allowed here: add 'wasm-unsafe-eval' to script-src of the page's Content-Security-Policy, or switch it on in the browser";
    throw new ThreadkeepError("wasm_blocked", message, { cause });
  }
}

/** If the source that the host chose cannot be used, this is an error; no other source is tried. */
async function moduleFrom(source: WasmSource): Promise<WebAssembly.Module> {
  try {
    return ofThisBuild(await compile(source));
  } catch (error) {
    expectAllowed();
    if (error instanceof ThreadkeepError) throw error;
    const code = error instanceof WebAssembly.CompileError ? "invalid_options" : "network";
    throw new ThreadkeepError(code, `the wasm passed to load() cannot be used: ${textOf(error)}`, { cause: error });
  }
}

async function findModule({ name, advice, file }: Wasm): Promise<WebAssembly.Module> {
  expectAllowed();
  return fromFileOrCopy({
    name,
    what: "wasm",
    advice,
    tellsOfOthers: true,
    fromFile: async () => ofThisBuild(await compile(file())),
    fromCopy: async (content) => ofThisBuild(await WebAssembly.compile(content)),
  });
}

/**
 * The files of one build share names, memory and function indexes, which differ in every other build. If a server gets a
 * new version while a page is open, the page would mix two builds.
 */
function ofThisBuild(module: WebAssembly.Module): WebAssembly.Module {
  const [stamp] = WebAssembly.Module.customSections(module, "build");
  if (stamp && new TextDecoder().decode(stamp) === build) return module;
  throw invalidOptions("the wasm is of another build of threadkeep than this page; reload the page, or serve the files of one build");
}

async function compile(source: WasmSource): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof URL) return compile(await readUrl(source));
  if (source instanceof Response) return compileResponse(source);
  if (!(source instanceof ArrayBuffer) && !ArrayBuffer.isView(source)) {
    throw invalidOptions("load() takes a URL, a Response, the bytes of the wasm, or a WebAssembly.Module");
  }
  return compileBytes(source, "the bytes passed to load()");
}

/** Reads files in Node, whose fetch cannot; gets the file system module in a way that bundlers do not see. */
async function readUrl(url: URL): Promise<Response | BufferSource> {
  if (url.protocol !== "file:") return fetch(url);
  const { process } = globalThis as {
    process?: { getBuiltinModule?(id: string): { readFile(url: URL): Promise<Uint8Array<ArrayBuffer>> } };
  };
  const files = process?.getBuiltinModule?.("node:fs/promises");
  return files ? files.readFile(url) : fetch(url);
}

async function compileResponse(response: Response): Promise<WebAssembly.Module> {
  const name = response.url || "the response passed to load()";
  if (!response.ok) throw new ThreadkeepError("network", `${name} answered ${response.status}`, { status: response.status });
  const type = response.headers.get("content-type")?.split(";")[0]?.trim();
  if (type === "application/wasm") return WebAssembly.compileStreaming(response);
  return compileBytes(await response.arrayBuffer(), `${name} (${type ?? "no content type"})`);
}

async function compileBytes(bytes: BufferSource, name: string): Promise<WebAssembly.Module> {
  const view = ArrayBuffer.isView(bytes) ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : new Uint8Array(bytes);
  // A server that answers every unknown path with its start page returns HTML with status 200.
  const magic = [0x00, 0x61, 0x73, 0x6d];
  if (!magic.every((byte, i) => view[i] === byte)) throw invalidOptions(`${name} is not WebAssembly`);
  return WebAssembly.compile(bytes);
}
