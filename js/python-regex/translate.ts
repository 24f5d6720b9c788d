// Converts regular expressions from Python's syntax (`re.compile(p, re.IGNORECASE)`), in which they are stored, to JavaScript.
//
// The result has Python's meaning: letters, digits and word boundaries of every script, `.`, `^` and `$` as in Python,
// flags in the pattern, named groups. Features that JavaScript does not have (possessive and atomic quantifiers,
// conditionals, character names, look-behind to a later group number) throw; the caller decides what that means.

/** A pattern that JavaScript cannot express, or that Python refuses too. */
export class UnreadablePattern extends Error {}

/**
 * Compiles a pattern for texts that went through `foldDotted()`.
 * @throws UnreadablePattern
 */
export function pythonRegExp(pattern: string): RegExp {
  const source = new Translator(foldDotted(pattern)).translate();
  try {
    return new RegExp(source, "iu");
  } catch (error) {
    throw new UnreadablePattern(error instanceof Error ? error.message : String(error));
  }
}

/**
 * Compiles a pattern that a text has to begin with, as for Python's `re.match`; case counts.
 * @throws UnreadablePattern
 */
export function pythonStart(pattern: string): RegExp {
  const source = new Translator(pattern).translate();
  try {
    return new RegExp(`^(?:${source})`, "u");
  } catch (error) {
    throw new UnreadablePattern(error instanceof Error ? error.message : String(error));
  }
}

/** Ignoring case, Python treats the Turkish dotted and dotless i as an i; JavaScript does not. */
export function foldDotted(text: string): string {
  return text.replace(/[\u0130\u0131]/g, "i");
}

interface Flags {
  ascii: boolean;
  dotAll: boolean;
  multiline: boolean;
  verbose: boolean;
}

const digits = { ascii: "0-9", unicode: "\\p{Nd}" };
const words = { ascii: "a-zA-Z0-9_", unicode: "\\p{L}\\p{N}_" };
/** Python's white space; JavaScript's includes U+FEFF and excludes some control characters. */
const spaces = {
  ascii: "\\t-\\r ",
  unicode: "\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000",
};
const simpleEscapes: { [letter: string]: string } = {
  a: "\\x07",
  f: "\\f",
  n: "\\n",
  r: "\\r",
  t: "\\t",
  v: "\\v",
};

class Translator {
  #at = 0;
  #out = "";
  #flags: Flags = { ascii: false, dotAll: false, multiline: false, verbose: false };
  /** The flags outside of each open group. */
  readonly #outer: Flags[] = [];

  constructor(readonly pattern: string) {}

  translate(): string {
    // Handles one character or one escape at a time.
    while (this.#at < this.pattern.length) this.#piece();
    return this.#out;
  }

  #piece(): void {
    const c = this.#next();
    if (c === "\\") this.#out += this.#escape();
    else if (c === "[") this.#out += this.#set();
    else if (c === "(") this.#group();
    else if (c === ")") {
      this.#flags = this.#outer.pop() ?? this.#flags;
      this.#out += c;
    } else if (c === ".") this.#out += this.#flags.dotAll ? "[^]" : "[^\\n]";
    else if (c === "^") this.#out += this.#flags.multiline ? "(?<![^\\n])" : start;
    else if (c === "$") this.#out += this.#flags.multiline ? "(?![^\\n])" : `(?=\\n?${end})`;
    else if (c === "*" || c === "+" || c === "?") this.#repeat(c);
    else if (c === "{") this.#braces();
    else if (this.#flags.verbose && /[ \t\n\r\f\v]/.test(c)) return;
    else if (this.#flags.verbose && c === "#") this.#skipTo("\n");
    else this.#out += c === "|" ? c : literal(c);
  }

  #repeat(quantifier: string): void {
    this.#out += quantifier;
    if (this.#skip("+")) throw new UnreadablePattern(`${quantifier}+ is a possessive repeat`);
    if (this.#skip("?")) this.#out += "?";
  }

  /** A brace that is not a quantifier is a literal in Python, and an error in JavaScript. */
  #braces(): void {
    const repeat = /^(\d*)(,?)(\d*)\}/.exec(this.pattern.slice(this.#at));
    if (!repeat || (!repeat[1] && !repeat[2])) {
      this.#out += "\\{";
      return;
    }
    this.#at += repeat[0].length;
    this.#repeat(`{${repeat[1] || "0"}${repeat[2]}${repeat[3]}}`);
  }

  #group(): void {
    if (!this.#skip("?")) return this.#open("(");
    const rest = this.pattern.slice(this.#at);
    const name = /^P?<([\p{ID_Start}_][\p{ID_Continue}]*)>/u.exec(rest);
    const same = /^P=([\p{ID_Start}_][\p{ID_Continue}]*)\)/u.exec(rest);
    const plain = /^(?::|=|!|<=|<!)/.exec(rest);
    const flags = /^([aimsux]*)(?:-([imsx]+))?([:)])/.exec(rest);
    if (rest.startsWith("#")) this.#skipTo(")");
    else if (rest.startsWith("P<") && name) this.#open(`(?<${name[1]}>`, name[0]);
    else if (same) {
      this.#at += same[0].length;
      this.#out += `\\k<${same[1]}>`;
    } else if (plain) this.#open(`(?${plain[0]}`, plain[0]);
    else if (flags && (flags[1] || flags[2])) this.#flagged(flags[0], flags[1]!, flags[2] ?? "", flags[3] === ")");
    else throw new UnreadablePattern(`(?${rest.slice(0, 3)} begins a group that JavaScript does not have`);
  }

  #flagged(text: string, on: string, off: string, isGlobal: boolean): void {
    if (off.includes("i")) throw new UnreadablePattern("(?-i: heeds case in a part of the pattern");
    // Python allows flags for the whole pattern only at its beginning.
    if (isGlobal && this.#out + this.#outer.length !== "0") throw new UnreadablePattern("flags for the whole pattern stand inside it");
    if (isGlobal) this.#at += text.length;
    else this.#open("(?:", text);
    this.#flags = {
      ascii: on.includes("a") || (this.#flags.ascii && !on.includes("u")),
      dotAll: on.includes("s") || (this.#flags.dotAll && !off.includes("s")),
      multiline: on.includes("m") || (this.#flags.multiline && !off.includes("m")),
      verbose: on.includes("x") || (this.#flags.verbose && !off.includes("x")),
    };
  }

  #open(out: string, read = ""): void {
    this.#at += read.length;
    this.#out += out;
    this.#outer.push(this.#flags);
  }

  /** An escape outside of a character class. */
  #escape(): string {
    const c = this.#next();
    const word = this.#class(words);
    // Most patterns begin with a word boundary, which is tested at every position: one look-behind instead of four.
    if (c === "b" && beginsWord(this.pattern.slice(this.#at))) return `(?<![${word}])`;
    if (c === "b") return `(?:(?<=[${word}])(?![${word}])|(?<![${word}])(?=[${word}]))`;
    if (c === "B") return `(?:(?<=[${word}])(?=[${word}])|(?<![${word}])(?![${word}]))`;
    if (c === "A") return start;
    if (c === "Z" || c === "z") return end;
    const set = this.#named(c);
    if (set) return `[${set.isNegative ? "^" : ""}${set.content}]`;
    // A number refers to a group; with a leading 0 or three octal digits it is a character.
    const group = /^[1-9]\d?/.exec(c + this.pattern.slice(this.#at));
    if (group && !/^[0-3][0-7]{2}/.test(c + this.pattern.slice(this.#at))) {
      this.#at += group[0].length - 1;
      return `(?:\\${group[0]})`;
    }
    return this.#character(c);
  }

  /** A class `[…]`, after its opening bracket. */
  #set(): string {
    const isNegated = this.#skip("^");
    let content = "";
    const negatives: string[] = [];
    for (let isFirst = true; isFirst || !this.#skip("]"); isFirst = false) {
      const from = this.#member();
      if (typeof from !== "string") {
        if (from.isNegative) negatives.push(`[^${from.content}]`);
        else content += from.content;
      } else if (this.pattern[this.#at] === "-" && this.pattern[this.#at + 1] !== "]") {
        this.#at += 1;
        const to = this.#member();
        if (typeof to !== "string") throw new UnreadablePattern("a range in […] ends with a class");
        content += `${from}-${to}`;
      } else content += from;
    }
    if (negatives.length === 0) return `[${isNegated ? "^" : ""}${content}]`;
    // JavaScript's classes cannot contain the complement of one of several classes.
    const any = [...(content ? [`[${content}]`] : []), ...negatives].join("|");
    return isNegated ? `(?:(?!${any})[^])` : `(?:${any})`;
  }

  #member(): string | NamedSet {
    const c = this.#next();
    if (c !== "\\") return literal(c);
    const escaped = this.#next();
    if (escaped === "b") return "\\x08";
    return this.#named(escaped) ?? this.#character(escaped);
  }

  #named(letter: string): NamedSet | undefined {
    const classes: { [letter: string]: typeof digits } = { d: digits, w: words, s: spaces };
    const found = classes[letter.toLowerCase()];
    return found && { content: this.#class(found), isNegative: letter !== letter.toLowerCase() };
  }

  #class(named: typeof digits): string {
    return this.#flags.ascii ? named.ascii : named.unicode;
  }

  /** An escape that is one character. */
  #character(c: string): string {
    const simple = simpleEscapes[c];
    if (simple) return simple;
    const rest = c + this.pattern.slice(this.#at);
    const hex = /^(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8}))/.exec(rest);
    const octal = /^(?:0[0-7]{0,2}|[1-3][0-7]{2})/.exec(rest);
    const code = hex ? Number.parseInt(hex[1] ?? hex[2] ?? hex[3]!, 16) : octal ? Number.parseInt(octal[0], 8) : undefined;
    if (code !== undefined) {
      this.#at += (hex ?? octal)![0].length - 1;
      return `\\u{${code.toString(16)}}`;
    }
    if (/[a-z0-9]/i.test(c)) throw new UnreadablePattern(`\\${c} means nothing in JavaScript`);
    return literal(c);
  }

  /** The next character, a full code point. */
  #next(): string {
    const c = this.pattern.codePointAt(this.#at);
    if (c === undefined) throw new UnreadablePattern("it ends in the middle");
    const character = String.fromCodePoint(c);
    this.#at += character.length;
    return character;
  }

  #skip(c: string): boolean {
    const isThere = this.pattern[this.#at] === c;
    if (isThere) this.#at += 1;
    return isThere;
  }

  #skipTo(c: string): void {
    const found = this.pattern.indexOf(c, this.#at);
    this.#at = found < 0 ? this.pattern.length : found + 1;
  }
}

/** Whether every match begins with a letter, a digit or an underscore; false if that is not obvious. */
function beginsWord(pattern: string): boolean {
  const character = /^(?:[a-z0-9_]|\\[wd])(?![*?{])/i;
  if (!pattern.startsWith("(?:")) return character.test(pattern);
  // An alternation of simple branches.
  const inside = /^\(\?:((?:[^()[\]\\]|\\.|\[[^\][\\]*\]|\((?:[^()[\]\\]|\\.)*\))*)\)(?![*?{])/.exec(pattern)?.[1];
  if (inside === undefined) return false;
  const branches = inside.replace(/\\[^wd]|\[[^\]]*\]|\([^)]*\)/g, "-").split("|");
  return branches.every((branch) => character.test(branch));
}

interface NamedSet {
  content: string;
  isNegative: boolean;
}

const start = "(?<![^])";
const end = "(?![^])";

/** A literal character, in a class or outside. */
function literal(c: string): string {
  return /[\^$\\.*+?()[\]{}|/-]/.test(c) ? `\\u{${c.codePointAt(0)!.toString(16)}}` : c;
}
