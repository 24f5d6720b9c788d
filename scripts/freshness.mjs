// Records the inputs of each build output, so that a step whose inputs have not changed is skipped.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "./process.mjs";

const record = path.join(root, ".cache/build.json");

/** One hash of the contents of files and folders (walked in order) and of strings given as `{ text }`. */
export function fingerprint(inputs) {
  const hash = createHash("sha256");
  for (const input of inputs) {
    if (typeof input === "string") for (const file of filesUnder(input)) hash.update(`${file}\0`).update(readFileSync(file));
    else hash.update(input.text);
    hash.update("\0");
  }
  return hash.digest("hex");
}

/** Whether `outputs` exist and were made from the same `print`. */
export function isFresh(step, print, outputs) {
  return recorded()[step] === print && outputs.every((file) => existsSync(file));
}

/** Runs `make` unless `outputs` exist and were made from the same `print`. Returns whether it ran. */
export async function unlessFresh(step, print, outputs, make) {
  if (isFresh(step, print, outputs)) return false;
  await make();
  mkdirSync(path.dirname(record), { recursive: true });
  writeFileSync(record, JSON.stringify({ ...recorded(), [step]: print }, null, 2));
  return true;
}

function recorded() {
  return existsSync(record) ? JSON.parse(readFileSync(record, "utf8")) : {};
}

function filesUnder(name) {
  if (!existsSync(name)) return [];
  if (!statSync(name).isDirectory()) return [name];
  return readdirSync(name)
    .sort()
    .flatMap((entry) => filesUnder(path.join(name, entry)));
}
