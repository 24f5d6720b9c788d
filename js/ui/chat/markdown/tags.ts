// Which tags in Markdown are HTML. Everything else in angle brackets is what the model has written: types (`List<String>`), places
// to fill in (`<folder>`), XML. It is shown as text, so nothing of it is lost, and no tag can hide what follows it.
import type { TokenizerObject } from "marked";

const names = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** The elements that the chat shows; the sanitiser lets no others through. */
export const SHOWN_TAGS: ReadonlySet<string> = names(
  "p br hr h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong b i u s del ins mark sub sup kbd abbr a img " +
    "table thead tbody tfoot tr th td caption details summary dl dt dd input",
);
const WITHOUT_END = names("br hr img input");

const TAG = /<(\/?)([a-z][a-z\d]*)(?=[\s/>])[^<>]*>/gi;

const FIRST_TAG = new RegExp(`^ {0,3}${TAG.source}`, "i");

/** The tags that are open where the parser is, of each parser: an end is a tag only after its beginning. */
const open = new WeakMap<object, string[]>();

export const tags: TokenizerObject = {
  /** A block of HTML is one if all that is in angle brackets are tags that are shown. */
  html(source) {
    // Most are none by their first tag, and none of their lines is looked at again and again.
    const [, , first] = FIRST_TAG.exec(source) ?? [];
    if (first === undefined || !SHOWN_TAGS.has(first.toLowerCase())) return undefined;
    // A tag that is being written at the end says nothing yet: what was text would become a block again.
    const block = (this.rules.block.html.exec(source)?.[0] ?? "").replace(/<[^<>]*$/, "");
    const found = block.match(/</g)?.length ?? 0;
    let shown = 0;
    for (const [, , name] of block.matchAll(TAG)) if (SHOWN_TAGS.has(name!.toLowerCase())) shown++;
    return found > 0 && shown === found ? false : undefined;
  },
  tag(source) {
    const match = this.rules.inline.tag.exec(source)?.[0];
    if (match === undefined) return undefined;
    const [, slash, word] = new RegExp(TAG.source, "i").exec(match) ?? [];
    const name = word?.toLowerCase();
    if (name === undefined || !SHOWN_TAGS.has(name)) return undefined;
    if (WITHOUT_END.has(name)) return slash === "" ? false : undefined;
    let opened = open.get(this.lexer);
    if (opened === undefined) open.set(this.lexer, (opened = []));
    if (slash !== "") {
      const at = opened.lastIndexOf(name);
      if (at < 0) return undefined;
      opened.length = at;
      return false;
    }
    // Without an end it would reach over all that follows.
    if (!new RegExp(`</${name}\\s*>`, "i").test(source)) return undefined;
    opened.push(name);
    return false;
  },
};
