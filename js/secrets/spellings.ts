// The encodings in which a secret may occur in a text: literally, in JSON, in JSON inside JSON, in a URL, in base64, in HTML,
// and between quotes of a shell.

/** Shorter values occur in ordinary words, so hiding them would spoil every text. */
export const shortestHidden = 4;
/** The minimum length of the part of a base64 text that does not depend on the surroundings of the secret. */
const shortestCore = 6;

/**
 * All encodings of a value that must be hidden; none if it is too short. Escapes in URLs are matched in upper and lower
 * case: see `secret/mask.rs`.
 */
export function spellings(value: string): string[] {
  // The wasm and the network replace lone surrogates; only JSON and `escape` can express them.
  const plain = value.replace(/\p{Surrogate}/gu, "\ufffd");
  const trimmed = plain.trim();
  const found = new Set<string>([escape(value), ...jsonInOthers(value), ...inJson(value).flatMap(inMarkup)]);
  // The secret in a file that ends with a line break may be used without it; forms change line breaks.
  for (const text of new Set([
    plain,
    trimmed,
    ...respelledJson(trimmed),
    trimmed.replace(lineBreak, "\n"),
    trimmed.replace(lineBreak, "\r\n"),
  ])) {
    if (text.length < shortestHidden) continue;
    for (const json of jsonInOthers(text)) found.add(json);
    const url = inUrl(text);
    for (const each of [...[text, ...inJson(text), ...url].flatMap(inMarkup), ...quoted(text)]) found.add(each);
    const base64 = [text, ...inJson(text), encodeURIComponent(text)].flatMap(inBase64);
    for (const once of new Set([text, ...url, ...base64])) for (const each of [once, ...asParameter(once)]) found.add(each);
  }
  return [...found].filter((text) => text.length >= shortestHidden);
}

const lineBreak = /\r\n?|\n/g;

/** A secret that is a JSON object, such as a service account's key file, as JSON writers format it. */
function respelledJson(text: string): string[] {
  if (!/^[[{]/.test(text)) return [];
  try {
    const value: unknown = JSON.parse(text);
    const indented = JSON.stringify(value, null, 1);
    // The last one is the format of Python's writer.
    return [
      JSON.stringify(value),
      indented,
      JSON.stringify(value, null, 2),
      JSON.stringify(value, null, 4),
      indented.replace(/,\n */g, ", ").replace(/\n */g, ""),
    ];
  } catch {
    return [];
  }
}

/** The inside of a JSON string, as JavaScript writes it, as Python does, and with the additional escapes of PHP and Go. */
function inJson(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const ascii = json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return [
    ...new Set(
      [json, ascii].flatMap((each) => [
        each,
        each.replaceAll("/", "\\/"),
        each.replace(/[<>&]/g, (unit) => `\\u00${unit.charCodeAt(0).toString(16)}`),
      ]),
    ),
  ];
}

/** JSON encodings, and these again in JSON or in a URL. */
function jsonInOthers(text: string): string[] {
  return inJson(text).flatMap((json) => [json, ...inJson(json), ...inUrl(json)]);
}

/** Encodings in the parts of a URL, in a form, and as other languages escape it. The platform's own functions are called for its encodings. */
function inUrl(text: string): string[] {
  const [component, form] = asParameter(text) as [string, string];
  const strict = component.replace(/[!'()*]/g, (unit) => `%${unit.charCodeAt(0).toString(16)}`);
  const asFileName = text.replace(/[\r\n"]/g, encodeURIComponent);
  const others = [
    strict,
    strict.replaceAll("%2F", "/"),
    component.replaceAll("%20", "+"),
    strict.replaceAll("%20", "+"),
    asFileName,
    escape(text),
    encodeURI(text),
  ];
  const escaped = new Set([component, form, ...others]);
  // A URL that is put together from an escaped text escapes what is left of it in its own way, such as an apostrophe in a query.
  return [...new Set([...escaped, ...[text, ...escaped].flatMap(inAddress)])];
}

function asParameter(text: string): string[] {
  return [encodeURIComponent(text), new URLSearchParams([["", text]]).toString().slice(1)];
}

/** The parts of a URL: the text before and after a value between two dashes, and the property of the same part. */
const places = [
  ["//-", "-@h/", "username"],
  ["//u:-", "-@h/", "password"],
  ["//h/-", "-", "pathname"],
  ["//h/?-", "-", "search"],
  ["//h/#-", "-", "hash"],
  ["-", "-", "hash"],
] as const;

/** For `https:` and for another scheme, because other schemes escape other characters. */
function inAddress(text: string): string[] {
  const found: string[] = [];
  for (const scheme of ["https:", "x:"]) {
    for (const [before, behind, name] of places) {
      const start = scheme + before;
      // A value that cannot occur in this part changes the rest of the URL, and is skipped.
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

/** Encodings in HTML and XML. Writers differ in how they write quotation marks, and in what else they escape. */
function inMarkup(text: string): string[] {
  const escape = (characters: RegExp, names: Readonly<Record<string, string>>) =>
    text.replace(characters, (character) => names[character]!);
  const found = new Set([escape(/[&"\u00a0]/g, { "&": "&amp;", '"': "&quot;", "\u00a0": "&nbsp;" })]);
  for (const quotation of ['"', "&quot;", "&#34;"]) {
    for (const apostrophe of ["'", "&#39;", "&#039;", "&#x27;", "&apos;"]) {
      const names = {
        "&": "&amp;",
        "<": "&lt;",
        ">": "&gt;",
        '"': quotation,
        "'": apostrophe,
        "\u00a0": "&nbsp;",
        "/": "&#x2F;",
        "`": "&#x60;",
        "=": "&#x3D;",
      };
      for (const characters of [/[&<>"']/g, /[&<>"'\u00a0]/g, /[&<>"'/]/g, /[&<>"'/`=]/g]) found.add(escape(characters, names));
    }
  }
  return [...found];
}

/** Between the quotes of a shell, after backslashes, and with doubled quotes as in CSV and SQL. */
function quoted(text: string): string[] {
  const inC = text.replace(
    /[\\'\x00-\x1f\x7f]/g,
    (character) => `\\${controls[character] ?? character.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
  return [
    text.replaceAll("'", "'\\''"),
    text.replaceAll("'", `'"'"'`),
    text.replace(/["$`\\]/g, "\\$&"),
    text.replace(/["$`\\!]/g, "\\$&"),
    inC,
    inC.replaceAll("\\'", "'"),
    // The terminal's own shell, and bash, which treats a `~` and a `#` by their place.
    ...[/[^\w+,\-./:@\]^\x80-\uffff]/g, /[^\w%+\-./:=@\x80-\uffff]/g, /[^\w%+\-./:=@~#\x80-\uffff]/g].map((special) =>
      text.replace(special, "\\$&"),
    ),
    text.replaceAll("'", "\\'"),
    text.replaceAll("'", "''"),
    text.replaceAll('"', '""'),
  ];
}

/** The characters after a backslash in `$'…'` of bash. */
const controls: Readonly<Record<string, string>> = {
  "\x07": "a",
  "\b": "b",
  "\t": "t",
  "\n": "n",
  "\v": "v",
  "\f": "f",
  "\r": "r",
  "\x1b": "E",
  "'": "'",
  "\\": "\\",
};

/**
 * Base64 of the text alone, and inside a longer text at each of the three positions in a group of bytes; in the latter only
 * the characters that depend on the secret alone can be searched for.
 */
function inBase64(text: string): string[] {
  const found: string[] = [];
  let utf8 = "";
  for (const byte of new TextEncoder().encode(text)) utf8 += String.fromCharCode(byte);
  // `btoa` takes the characters of a text as bytes if they all fit.
  const binaries = /^[\0-\xff]*$/.test(text) ? new Set([utf8, text]) : [utf8];
  for (const bytes of binaries)
    for (const before of [0, 1, 2]) {
      const binary = "\0".repeat(before) + bytes;
      const base64 = btoa(binary);
      const core = base64.slice(Math.ceil((before * 8) / 6), Math.floor((binary.length * 8) / 6));
      if (before === 0) found.push(base64, base64.replace(/=+$/, ""));
      if (core.length >= shortestCore) found.push(core);
    }
  return [...new Set(found.flatMap((base64) => [base64, base64.replaceAll("+", "-").replaceAll("/", "_")]))];
}
