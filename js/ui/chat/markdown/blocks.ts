// Turns Markdown of a model into blocks of DOM. Of a text that grows only its end is parsed again, so that a long answer does not
// become slower with each of its pieces.
import type { Token, Tokens, TokensList } from "marked";
import { plainParagraph } from "../plain-text.js";
import { addControls } from "./controls.js";
import type { MarkdownHost } from "./host.js";
import { Limits } from "./limits.js";
import { blocksOf, marked } from "./parser.js";
import { sanitize } from "./sanitize.js";

export interface Block {
  /** Tells whether the block has changed: its Markdown, and what else it depends on. */
  key: string;
  /** Costs much more than `key`. */
  render(): Node;
}

type Links = TokensList["links"];

/** A block of the text, with what its rendering depends on. */
interface Parsed {
  token: Token;
  /** Where it begins in the text. */
  start: number;
  /** The headings in it, with their depths as written. */
  headings: ReadonlyArray<readonly [Tokens.Heading, number]>;
  /** Where the links go that it explains. */
  links: readonly Tokens.Def[];
}

const TOP_HEADING = 3;
/**
 * How many blocks at the end of a text may still change when it grows: the last one does, and what it becomes can join the one
 * before it, as a `1` that becomes an item of a list.
 */
const OPEN_BLOCKS = 2;

export class GrowingMarkdown {
  readonly #host: MarkdownHost;
  readonly #limits = new Limits();
  #text = "";
  #blocks: Parsed[] = [];
  #links: Links = {};
  #linksKey = "{}";
  /** Whether the blocks together are the text, so that some of them can be kept. */
  #isExact = false;

  constructor(host: MarkdownHost) {
    this.#host = host;
  }

  /** The top-level blocks of a text, which is usually the one before with more at its end. */
  blocks(text: string): Block[] {
    const { labels } = this.#host;
    const asOne = [{ key: text, render: () => plainParagraph(text, labels) }];
    if (this.#limits.isTooMuch(text)) return asOne;
    try {
      // As the parser does first; so places in its blocks are those in the text.
      this.#parse(text.replace(/\r\n?/g, "\n"));
    } catch {
      // The parser gave up.
      this.#forget();
      return asOne;
    }
    const highest = Math.min(...this.#blocks.flatMap(({ headings }) => headings.map(([, depth]) => depth)));
    return this.#blocks
      .filter(({ token }) => token.type !== "space")
      .map((block) => ({ key: this.#keyOf(block, highest), render: () => this.#render(block, highest) }));
  }

  #forget(): void {
    this.#text = "";
    this.#blocks = [];
  }

  #parse(text: string): void {
    const places = this.#blocks.flatMap(({ token }, place) => (token.type === "space" ? [] : [place]));
    const first = places.at(-OPEN_BLOCKS);
    const isMore = this.#isExact && first !== undefined && first > 0 && text.startsWith(this.#text);
    if (!isMore || !this.#parseFrom(text, first)) this.#parseFrom(text, 0);
    this.#text = text;
  }

  /** Parses the text again from this block on. Returns whether the blocks before it stay as they are. */
  #parseFrom(text: string, first: number): boolean {
    const kept = this.#blocks.slice(0, first);
    const start = this.#blocks[first]?.start ?? 0;
    const links: Links = {};
    // Of two explanations of a link the first holds.
    for (const { tag, href, title } of kept.flatMap(({ links }) => links)) links[tag] ??= { href, title };
    const tokens = blocksOf(text.slice(start), links);
    const linksKey = JSON.stringify(tokens.links);
    // A link that is explained at the end may be in any block.
    if (first > 0 && linksKey !== this.#linksKey) return false;
    let at = start;
    for (const token of tokens) {
      kept.push({ token, start: at, ...contentsOf(token) });
      at += token.raw.length;
    }
    this.#blocks = kept;
    [this.#links, this.#linksKey] = [tokens.links, linksKey];
    this.#isExact = at === text.length;
    return true;
  }

  #keyOf({ token, headings }: Parsed, highest: number): string {
    const levels = headings.length > 0 ? highest : "";
    return `${token.raw}\0${levels}\0${token.raw.includes("[") ? this.#linksKey : ""}`;
  }

  #render({ token, headings }: Parsed, highest: number): Node {
    // The highest of a message is one level below the page's own.
    for (const [heading, depth] of headings) heading.depth = Math.min(depth - highest + TOP_HEADING, 6);
    try {
      return addControls(sanitize(marked.parser(Object.assign([token], { links: this.#links }))), this.#host);
    } catch {
      return plainParagraph(token.raw, this.#host.labels);
    }
  }
}

function contentsOf(token: Token): Pick<Parsed, "headings" | "links"> {
  const headings: Array<readonly [Tokens.Heading, number]> = [];
  const links: Tokens.Def[] = [];
  marked.walkTokens([token], (inner) => {
    if (inner.type === "heading") headings.push([inner as Tokens.Heading, (inner as Tokens.Heading).depth]);
    if (inner.type === "def") links.push(inner as Tokens.Def);
  });
  return { headings, links };
}
