// The plugins of tests/fixtures/plugins.
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

const folder = path.join(import.meta.dirname, "../fixtures/plugins");

/** Their names, in order. */
export const names = readdirSync(folder).sort();

/** The files of one, by path. */
export function filesOf(name) {
  const root = path.join(folder, name);
  const files = readdirSync(root, { recursive: true }).filter((file) => statSync(path.join(root, file)).isFile());
  return Object.fromEntries(files.sort().map((file) => [file, new Uint8Array(readFileSync(path.join(root, file)))]));
}
