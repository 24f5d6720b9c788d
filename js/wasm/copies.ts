// Files that the library fetches when it needs them, and copies of them inside JavaScript modules (gzipped, in base64), for where
// the files are not served. Only `threadkeep` offers copies (`with-copies.ts`); `threadkeep/slim` has none.
import { ThreadkeepError, textOf } from "../input/errors.js";

/** A module whose default export is a file, gzipped, in base64. */
type Copy = () => Promise<{ default: string }>;

/** A file, and how it becomes a `T`. */
interface Source<T> {
  /** The name of the file, by which its copy is found. */
  name: string;
  /** All that it is, and what to do if it does not load, for the error. */
  what: string;
  advice: string;
  /** Whether other files are missing as well if this one does not load; a worker may fail though its file is there. */
  tellsOfOthers: boolean;
  fromFile(): Promise<T>;
  fromCopy(content: ArrayBuffer): Promise<T>;
}

const copies: Record<string, Copy> = {};

/** Whether a copy had to take the place of a file that tells of others: from then on copies are tried first. */
let filesAreMissing = false;

/** Makes copies available, by the names of their files. */
export function offerCopies(offered: Record<string, Copy>): void {
  Object.assign(copies, offered);
}

/**
 * Loads the file, or else its copy: esbuild and Rollup do not emit the file, and Vite's development server moves the module
 * away from it.
 *
 * @throws ThreadkeepError `network` if neither can be used
 */
export async function fromFileOrCopy<T>({ name, what, advice, tellsOfOthers, fromFile, fromCopy }: Source<T>): Promise<T> {
  const copied = async () => fromCopy(await contentOfCopy(name));
  if (filesAreMissing) return copied().catch(fromFile);
  let notFound: unknown;
  try {
    return await fromFile();
  } catch (error) {
    notFound = error;
  }
  try {
    const loaded = await copied();
    filesAreMissing = tellsOfOthers;
    return loaded;
  } catch (error) {
    const message = `the ${what} did not load: ${textOf(notFound)}; nor did the copy inside JavaScript: ${textOf(error)}; ${advice}`;
    throw new ThreadkeepError("network", message, { cause: notFound });
  }
}

async function contentOfCopy(name: string): Promise<ArrayBuffer> {
  const copy = copies[name];
  if (!copy) throw new Error('"threadkeep/slim" has none');
  const { default: base64 } = await copy();
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}
