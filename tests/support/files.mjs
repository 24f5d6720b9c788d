// Conversations as files: a directory, a zip archive, and the files of an export.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { inflateRawSync } from "node:zlib";
import { zip } from "./zip-bytes.mjs";

/** The files below a directory by their path in it. */
export function filesOf(directory) {
  const found = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = found.map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name))).sort();
  return new Map(names.map((name) => [name, readFileSync(path.join(directory, name))]));
}

/** Writes these files into a directory, which is made if it is not there. */
export function write(directory, files) {
  for (const [name, content] of files) {
    const file = path.join(directory, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

/** A zip of these files in the folder `id`, as the agent server packs a conversation; `method` 0 is quicker and larger. */
export function packed(id, files, { method = 0 } = {}) {
  const folder = id.replaceAll("-", "");
  return zip([...files].map(([name, content]) => ({ name: `${folder}/${name}`, content, method })));
}

/** The files of an export by their path in the conversation's folder. The SDK reads the same bytes with Python's own library. */
export function unpacked(bytes) {
  const files = new Map();
  const end = bytes.lastIndexOf("PK\x05\x06");
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset));
    const name = bytes.toString("utf8", at + 46, at + 46 + nameLength);
    const local = bytes.readUInt32LE(at + 42);
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const content = bytes.subarray(start, start + bytes.readUInt32LE(at + 20));
    const isDeflated = bytes.readUInt16LE(at + 10) === 8;
    if (!name.endsWith("/")) files.set(name.slice(name.indexOf("/") + 1), isDeflated ? inflateRawSync(content) : Buffer.from(content));
    at += 46 + nameLength + extraLength + commentLength;
  }
  return files;
}

/** The bytes of a conversation's export. */
export const exported = async (conversation, options) => Buffer.from(await (await conversation.exportZip(options)).arrayBuffer());

/** The event files among these, in the order of the log. */
export const eventsAmong = (files) => new Map([...files].filter(([name]) => /^events\/event-\d+-.*\.json$/.test(name)).sort());

/** The members of a JSON object as they are written: the text of each value by its name. */
export function membersOf(json) {
  const text = String(json);
  const members = new Map();
  for (let at = next(text, text.indexOf("{") + 1); text[at] === '"'; ) {
    const colon = endOfValue(text, at);
    const start = next(text, text.indexOf(":", colon) + 1);
    const end = endOfValue(text, start);
    members.set(JSON.parse(text.slice(at, colon)), text.slice(start, end).trimEnd());
    at = next(text, text[end] === "," ? end + 1 : end);
  }
  return members;
}

/** The first place from `at` on that is no white space. */
const next = (text, at) => at + /^\s*/.exec(text.slice(at))[0].length;

/** Where the value that begins at `at` ends, white space behind it included. */
function endOfValue(text, at) {
  const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^"{}[\],:]+/gy;
  for (let depth = 0; at < text.length; ) {
    token.lastIndex = at;
    const [found] = token.exec(text);
    if ("}],:".includes(found) && depth === 0) return at;
    if (found === "{" || found === "[") depth++;
    if (found === "}" || found === "]") depth--;
    at += found.length;
  }
  return at;
}
