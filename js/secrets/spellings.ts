// The spellings in which a secret may turn up in a text: as it is, in JSON, in JSON inside JSON, in a URL, in base64.

/** Shorter values are in every other word; what searches for them would hide nothing and spoil everything. */
export const shortestHidden = 4;
/** The part of a base64 text that does not depend on what stands around the secret must be this long to be telling. */
const shortestCore = 6;

/** Every spelling of a value that must not be seen; none where it is too short to be searched for. */
export function spellings(value: string): string[] {
  // What is no text for the wasm and the network is none here.
  const plain = value.replace(/\p{Surrogate}/gu, "\ufffd");
  const trimmed = plain.trim();
  const found = new Set<string>();
  // A file that ends with a line break holds the same secret without it.
  for (const text of new Set([plain, trimmed, ...respelledJson(trimmed)])) {
    if (text.length < shortestHidden) continue;
    found.add(text);
    for (const once of inJson(text)) {
      found.add(once);
      for (const twice of inJson(once)) found.add(twice);
    }
    for (const url of inUrl(text)) found.add(url);
    for (const base64 of inBase64(text)) found.add(base64);
  }
  return [...found].filter((text) => text.length >= shortestHidden);
}

/** A secret that is a JSON object, such as a service account's key file, as it comes out of a parser and a writer. */
function respelledJson(text: string): string[] {
  if (!/^[[{]/.test(text)) return [];
  try {
    const value: unknown = JSON.parse(text);
    const indented = JSON.stringify(value, null, 1);
    // As Python writes it on one line.
    return [JSON.stringify(value), indented, JSON.stringify(value, null, 2), JSON.stringify(value, null, 4), indented.replace(/,\n */g, ", ").replace(/\n */g, "")];
  } catch {
    return [];
  }
}

/** As the inside of a JSON string: as JavaScript writes it, as Python does, with PHP's and Go's further escapes. */
function inJson(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const ascii = json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return [json, ascii].flatMap((each) => [each, each.replaceAll("/", "\\/"), each.replace(/[<>&]/g, (unit) => `\\u00${unit.charCodeAt(0).toString(16)}`)]);
}

function inUrl(text: string): string[] {
  const component = encodeURIComponent(text);
  const strict = component.replace(/[!'()*]/g, (unit) => `%${unit.charCodeAt(0).toString(16).toUpperCase()}`);
  const all = [component, strict, encodeURI(text), strict.replaceAll("%2F", "/"), component.replaceAll("%20", "+"), strict.replaceAll("%20", "+")];
  return all.flatMap((url) => [url, url.replace(/%../g, (escape) => escape.toLowerCase())]);
}

/**
 * Alone, and inside of a longer text at each of the three places in a group: there only what depends on the secret
 * alone can be searched for.
 */
function inBase64(text: string): string[] {
  const bytes = new TextEncoder().encode(text);
  const found: string[] = [];
  for (const before of [0, 1, 2]) {
    let binary = "\0".repeat(before);
    for (const byte of bytes) binary += String.fromCharCode(byte);
    const base64 = btoa(binary);
    const core = base64.slice(Math.ceil((before * 8) / 6), Math.floor((binary.length * 8) / 6));
    if (before === 0) found.push(base64, base64.replace(/=+$/, ""));
    if (core.length >= shortestCore) found.push(core);
  }
  return found.flatMap((base64) => [base64, base64.replaceAll("+", "-").replaceAll("/", "_")]);
}
