// The spellings in which a secret may turn up in a text: as it is, in JSON, in JSON inside JSON, in a URL, in base64.

/** Shorter values are in every other word; what searches for them would hide nothing and spoil everything. */
export const shortestHidden = 4;
/** The part of a base64 text that does not depend on what stands around the secret must be this long to be telling. */
const shortestCore = 6;

/**
 * Every spelling of a value that must not be seen; none where it is too short to be searched for. The hexadecimal digits
 * of an escape in a URL are found in capitals and in small letters: see `secret/mask.rs`.
 */
export function spellings(value: string): string[] {
  // What is no text for the wasm and the network is none here; only JSON and `escape` can say it.
  const plain = value.replace(/\p{Surrogate}/gu, "\ufffd");
  const trimmed = plain.trim();
  const found = new Set<string>([escape(value), ...jsonInOthers(value)]);
  // A file that ends with a line break holds the same secret without it; forms change line breaks.
  for (const text of new Set([plain, trimmed, ...respelledJson(trimmed), trimmed.replace(lineBreak, "\n"), trimmed.replace(lineBreak, "\r\n")])) {
    if (text.length < shortestHidden) continue;
    for (const json of jsonInOthers(text)) found.add(json);
    const url = inUrl(text);
    const base64 = [text, ...inJson(text), encodeURIComponent(text)].flatMap(inBase64);
    for (const once of new Set([text, ...url, ...base64])) for (const each of [once, ...asParameter(once)]) found.add(each);
  }
  return [...found].filter((text) => text.length >= shortestHidden);
}

const lineBreak = /\r\n?|\n/g;

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
  return [...new Set([json, ascii].flatMap((each) => [each, each.replaceAll("/", "\\/"), each.replace(/[<>&]/g, (unit) => `\\u00${unit.charCodeAt(0).toString(16)}`)]))];
}

/** In JSON, and this in JSON again or in a URL. */
function jsonInOthers(text: string): string[] {
  return inJson(text).flatMap((json) => [json, ...inJson(json), ...inUrl(json)]);
}

/** In an address, in each place of it, in a form, and as other languages escape it. What the platform makes of it, it is asked. */
function inUrl(text: string): string[] {
  const [component, form] = asParameter(text) as [string, string];
  const strict = component.replace(/[!'()*]/g, (unit) => `%${unit.charCodeAt(0).toString(16)}`);
  const asFileName = text.replace(/[\r\n"]/g, encodeURIComponent);
  const others = [strict, strict.replaceAll("%2F", "/"), component.replaceAll("%20", "+"), strict.replaceAll("%20", "+"), asFileName, escape(text), encodeURI(text)];
  return [...new Set([component, form, ...others, ...inAddress(text)])];
}

function asParameter(text: string): string[] {
  return [encodeURIComponent(text), new URLSearchParams([["", text]]).toString().slice(1)];
}

/** Where something stands in an address, between two dashes, and the setter for the same place. */
const places = [["//-", "-@h/", "username"], ["//u:-", "-@h/", "password"], ["//h/-", "-", "pathname"], ["//h/?-", "-", "search"], ["//h/#-", "-", "hash"], ["-", "-", "hash"]] as const;

/** What is special about `https:` is more than that: other schemes escape other characters. */
function inAddress(text: string): string[] {
  const found: string[] = [];
  for (const scheme of ["https:", "x:"]) {
    for (const [before, behind, name] of places) {
      const start = scheme + before;
      // What would not fit there has another meaning, and no spelling.
      const href = URL.canParse(start + text + behind) ? new URL(start + text + behind).href : "";
      if (href.startsWith(start) && href.endsWith(behind)) found.push(href.slice(start.length, -behind.length));
      const url = new URL(`${scheme}//u:p@h/`);
      url[name] = `-${text}-`;
      const part = url[name].replace(/^[/?#]/, "");
      if (part.startsWith("-") && part.endsWith("-")) found.push(part.slice(1, -1));
    }
  }
  return found;
}

/**
 * Alone, and inside of a longer text at each of the three places in a group: there only what depends on the secret
 * alone can be searched for.
 */
function inBase64(text: string): string[] {
  const found: string[] = [];
  let utf8 = "";
  for (const byte of new TextEncoder().encode(text)) utf8 += String.fromCharCode(byte);
  // `btoa` takes a text for bytes where it can.
  const binaries = /^[\0-\xff]*$/.test(text) ? new Set([utf8, text]) : [utf8];
  for (const bytes of binaries) for (const before of [0, 1, 2]) {
    const binary = "\0".repeat(before) + bytes;
    const base64 = btoa(binary);
    const core = base64.slice(Math.ceil((before * 8) / 6), Math.floor((binary.length * 8) / 6));
    if (before === 0) found.push(base64, base64.replace(/=+$/, ""));
    if (core.length >= shortestCore) found.push(core);
  }
  return [...new Set(found.flatMap((base64) => [base64, base64.replaceAll("+", "-").replaceAll("/", "_")]))];
}
