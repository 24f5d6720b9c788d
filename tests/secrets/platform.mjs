// The platform's spellings of a value, by each of its URL, form, JSON, base64 and markup interfaces. Runs in Node and in pages.
import { randomFrom } from "../support/random.mjs";

const pieces = [
  ..."abcXYZ0189-_.~!*'();:@&=+$,/?#[]%<>{}|\\^`\" ",
  "\n",
  "\r\n",
  "\t",
  "\u0001",
  "\u007f",
  "\u00a0",
  "ä",
  "ÿ",
  "ж",
  "€",
  "🔑",
  "%41",
  "%2f",
  "%zz",
  "\\u0041",
  "\ud800",
  "key",
  "token",
  "Secret",
  "9f86d081",
  "sk-live-",
  '{"a":1}',
];
const named = [
  "tilde~only~x",
  "star*and'(quote)!",
  "it's-in-an-address",
  "o'brien's <\"&amp;\"> token",
  "user:pass@host/path",
  "fade/cafe+beef==",
  "100% sure; a&b=c",
  "päss wörd",
  "line 1\nline 2\r\nline 3",
];

/** Values in odd shapes, none of which is a part of a usual text. */
export function values(seed, count) {
  const random = randomFrom(seed);
  const made = Array.from({ length: count }, () => `q${Array.from({ length: random.between(5, 12) }, () => random.of(pieces)).join("")}z`);
  return [...named, ...made];
}

/** Every spelling of a value, by the interface that makes it, without its surroundings. */
export async function spelled(value, seed) {
  const random = randomFrom(seed);
  const bytes = new TextEncoder().encode(value);
  const binary = String.fromCharCode(...bytes);
  const isText = !/\p{Surrogate}/u.test(value);
  const component = isText ? encodeURIComponent(value) : "";
  const found = {
    value,
    "JSON.stringify": JSON.stringify(value).slice(1, -1),
    "JSON in JSON": JSON.stringify(JSON.stringify(value)).slice(3, -3),
    encodeURIComponent: component,
    encodeURI: isText && encodeURI(value),
    escape: escape(value),
    URLSearchParams: new URLSearchParams([["q", value]]).toString().slice(2),
    "name in URLSearchParams": new URLSearchParams([[value, ""]]).toString().slice(0, -1),
    "JSON in URLSearchParams": new URLSearchParams([["q", JSON.stringify([value])]]).toString().slice("q=%5B%22".length, -"%22%5D".length),
    "a component in URLSearchParams": new URLSearchParams([["q", component]]).toString().slice(2),
    btoa: btoa(binary),
    "btoa of JSON": inside(btoa(`{"key":"${JSON.stringify(binary).slice(1, -1)}"}`), 8, JSON.stringify(binary).length - 2),
    "btoa of user and password": inside(btoa(`user:${binary}!`), 5, bytes.length),
    "base64 as a parameter": encodeURIComponent(btoa(binary)),
    "base64 in a form": new URLSearchParams([["q", btoa(binary)]]).toString().slice(2),
    "toBase64 for addresses": bytes.toBase64?.({ alphabet: "base64url", omitPadding: true }),
    "btoa of a text": /^[\0-\xff]*$/.test(value) && btoa(value),
    "a form's body": (await new Response(new URLSearchParams({ q: value })).text()).slice(2),
    "a form's body in parts": await inForm((form) => form.set("q", value), /\r\n\r\n([^]*)\r\n--/),
    "a name in a form's body": await inForm((form) => form.set(value, "x"), /; name="([^]*)"\r\n/),
    "a file's name in a form's body": await inForm((form) => form.set("q", new File(["x"], value)), /; filename="([^]*)"\r\n/),
  };
  // A path is walked, and what is behind a slash is no user: then the address has another value.
  const isPlainPath = !/(^|[/\\?#])(\.|%2e){1,2}([/\\?#]|$)/i.test(value);
  const isUser = !/[/\\?#]/.test(value);
  for (const scheme of ["https:", "x:"]) {
    for (const name of ["username", "password", "pathname", "search", "hash"]) {
      const url = new URL(`${scheme}//u:p@h/`);
      url[name] = `-${value}-`;
      found[`${scheme} ${name}`] = (name !== "pathname" || isPlainPath) && url[name].replace(/^[/?#]?-/, "").slice(0, -1);
    }
    for (const [before, behind] of [
      ["//h/?q=", "&x"],
      ["//h/#", ""],
      ...(isPlainPath ? [["//h/", ""]] : []),
      ...(isUser
        ? [
            ["//", "@h/"],
            ["//u:", "@h/"],
          ]
        : []),
    ]) {
      const start = scheme + before;
      found[`${start}…${behind}`] = new URL(start + value + behind).href.slice(start.length).slice(0, -behind.length || undefined);
    }
  }
  // An address is put together from a text that is escaped already, and escapes what is left of it in its own way.
  for (const [escaper, escaped] of [
    ["encodeURIComponent", component],
    ["encodeURI", found.encodeURI],
    ["escape", escape(value)],
    ["URLSearchParams", found.URLSearchParams],
  ]) {
    if (!escaped) continue;
    for (const scheme of ["https:", "x:"]) {
      const isPath = isPlainPath && !/[?#]/.test(escaped) && !/(^|[/\\])(\.|%2e){1,2}([/\\]|$)/i.test(escaped);
      for (const [before, behind] of [["//h/?q=", "&x"], ["//h/#", ""], ...(isPath ? [["//h/-", "-"]] : [])]) {
        if (before.includes("?") && escaped.includes("#")) continue;
        const start = scheme + before;
        found[`${start}…${behind} of ${escaper}`] = new URL(start + escaped + behind).href
          .slice(start.length)
          .slice(0, -behind.length || undefined);
      }
    }
  }
  Object.assign(found, inMarkup(value));
  for (const [way, text] of Object.entries(found)) {
    if (!text || !/%[0-9A-F]*[A-F]/i.test(text)) continue;
    found[`${way}, small letters`] = text.replace(escapes, (escape) => escape.toLowerCase());
    found[`${way}, mixed letters`] = text.replace(escapes, (escape) =>
      [...escape].map((digit) => (random.chance(0.5) ? digit.toLowerCase() : digit)).join(""),
    );
  }
  return Object.entries(found).filter(([, text]) => text && text.length >= 6);
}

const escapes = /%[0-9A-F]{2}/g;

/** As the DOM writes it, where there is one, and as templates and writers of other languages do. */
function inMarkup(value) {
  const written = (quotation, apostrophe, more = {}) =>
    value.replace(
      /[&<>"'/`=\u00a0]/g,
      (character) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': quotation, "'": apostrophe, ...more })[character] ?? character,
    );
  const found = {
    "a text": written(),
    "an attribute": written("&quot;"),
    "html.escape of Python": written("&quot;", "&#x27;"),
    "html/template of Go": written("&#34;", "&#39;"),
    "htmlspecialchars of PHP": written("&quot;", "&#039;"),
    "an attribute of XML": written("&quot;", "&apos;"),
    Lodash: written("&quot;", "&#39;"),
    Mustache: written("&quot;", "&#39;", { "/": "&#x2F;", "`": "&#x60;", "=": "&#x3D;" }),
    "JSON in an attribute": JSON.stringify(value)
      .slice(1, -1)
      .replaceAll("&", "&amp;")
      .replaceAll('"', "&quot;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;"),
  };
  if (typeof document === "undefined" || /[\0\r]|\p{Surrogate}/u.test(value)) return found;
  const element = document.createElement("p");
  element.textContent = value;
  element.title = value;
  const link = document.createElement("a");
  link.href = `/?q=${encodeURIComponent(value)}`;
  link.setAttribute("href", link.href);
  return {
    ...found,
    innerHTML: element.innerHTML,
    outerHTML: element.outerHTML.slice('<p title="'.length, -`">${element.innerHTML}</p>`.length),
    "an address in HTML": link.outerHTML.slice(link.outerHTML.indexOf("?q=") + 3, -'"></a>'.length),
  };
}

/** The part of a text's base64 that depends only on these bytes. */
function inside(base64, from, length) {
  return base64.slice(Math.ceil((from * 8) / 6), Math.floor(((from + length) * 8) / 6));
}

async function inForm(fill, pattern) {
  const form = new FormData();
  fill(form);
  return pattern.exec(await new Response(form).text())[1];
}
