// The text of a web page, with its headings, lists and links as in Markdown. Works without a DOM, and takes time in proportion to the
// length of the page.

/** Elements whose content is no text of the page. */
const hidden = new Set(["script", "style", "noscript", "template", "svg", "head", "iframe", "object", "canvas", "select", "textarea"]);
const blocks = new Set([
  "p",
  "div",
  "section",
  "article",
  "main",
  "header",
  "footer",
  "nav",
  "aside",
  "ul",
  "ol",
  "dl",
  "dt",
  "dd",
  "table",
  "tr",
  "form",
  "figure",
  "figcaption",
  "blockquote",
  "address",
  "details",
  "summary",
  "hr",
]);
const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  copy: "©",
  reg: "®",
  laquo: "«",
  raquo: "»",
  bull: "•",
  middot: "·",
  euro: "€",
};

/** A space at the beginning of a preformatted line, which stays; a character that no page uses. */
const indent = "\uf8ff";

/** The title of the page, if it has one, and its text. */
export function textOfHTML(html: string, base: string): string {
  const parts: string[] = [];
  const links: Array<string | undefined> = [];
  let preformatted = 0;
  const add = (text: string) =>
    parts.push(preformatted > 0 ? text.replace(/^[ \t]+/gm, (spaces) => indent.repeat(spaces.length)) : text.replace(/\s+/g, " "));
  const title = /<title[^>]{0,200}>([^<]{0,500})/i.exec(html)?.[1]?.trim();
  if (title) parts.push(`# ${decoded(title)}\n\n`);
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf("<", at);
    if (open === -1 || open > at) add(decoded(html.slice(at, open === -1 ? undefined : open)));
    if (open === -1) break;
    if (html.startsWith("<!--", open)) {
      at = after(html, "-->", open);
      continue;
    }
    if (!/[a-zA-Z!?/]/.test(html[open + 1] ?? "")) {
      add("<");
      at = open + 1;
      continue;
    }
    const end = after(html, ">", open);
    const [, slash, letters] = /^<(\/?)([a-zA-Z][a-zA-Z0-9]*)/.exec(html.slice(open, open + 40)) ?? [];
    at = end;
    if (letters === undefined) continue;
    const name = letters.toLowerCase();
    const isEnd = slash === "/";
    if (hidden.has(name)) {
      if (!isEnd && !html.slice(open, end).endsWith("/>")) at = afterElement(html, name, end);
    } else if (/^h[1-6]$/.test(name)) parts.push(isEnd ? "\n\n" : `\n\n${"#".repeat(Number(name[1]))} `);
    else if (name === "li") parts.push(isEnd ? "" : "\n- ");
    else if (name === "br") parts.push("\n");
    else if (name === "pre") {
      preformatted = Math.max(0, preformatted + (isEnd ? -1 : 1));
      parts.push(isEnd ? "\n```\n\n" : "\n\n```\n");
    } else if (name === "code" && preformatted === 0) parts.push("`");
    else if (name === "td" || name === "th") parts.push(isEnd ? " | " : "");
    else if (name === "a") {
      const href = isEnd ? undefined : linkOf(html.slice(open, end), base);
      if (!isEnd) {
        links.push(href);
        if (href) parts.push("[");
      } else {
        const opened = links.pop();
        if (opened) parts.push(`](${opened})`);
      }
    } else if (blocks.has(name)) parts.push("\n\n");
  }
  return parts
    .join("")
    .replace(/[ \t]+\n/g, "\n")
    .replace(/\n[ \t]+(?=\S)/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()
    .replaceAll(indent, " ");
}

/** The place after the next occurrence of a text. */
function after(html: string, text: string, from: number): number {
  const at = html.indexOf(text, from);
  return at === -1 ? html.length : at + text.length;
}

function afterElement(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}\\b`, "gi");
  end.lastIndex = from;
  const found = end.exec(html);
  return found ? after(html, ">", found.index) : html.length;
}

function linkOf(tag: string, base: string): string | undefined {
  const [, quoted, single, bare] = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(tag.slice(0, 4000)) ?? [];
  const href = quoted ?? single ?? bare;
  if (href === undefined || href.startsWith("#")) return undefined;
  try {
    const url = new URL(decoded(href), base);
    return /^https?:$/.test(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}

function decoded(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (all, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return entities[name.toLowerCase()] ?? all;
    const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : all;
  });
}
