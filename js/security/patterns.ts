// The SDK's PatternSecurityAnalyzer (`security/defense_in_depth/pattern.py`) for the patterns that it is given.
//
// A pattern that cannot be read here counts as found, in each action: what it was to hold back is not let through
// because of a dialect. One that comes with a conversation and not from the page counts as found, too, where looking for
// it takes longer than a moment. The SDK also parses deeds as shell commands, to find a deletion of everything under names that
// are quoted or have a path; here a pattern without a parser looks for it, and finds it in plain talk as well.
import type { SecurityRisk } from "../events.js";
import type { SecurityPattern } from "../security.js";
import { Steps, TooLong, type Search, automaton, characters } from "./automaton.js";
import { UnreadablePattern, pythonRegExp } from "./python-regex.js";

/** The four lists of patterns, as they are stored. */
export interface PatternLists {
  high_patterns: readonly SecurityPattern[];
  medium_patterns: readonly SecurityPattern[];
  injection_high_patterns: readonly SecurityPattern[];
  injection_medium_patterns: readonly SecurityPattern[];
}

/** Judges the text of what a call does, and that of deeds and thoughts together; both normalised. */
export type Scan = (deeds: string, everything: string) => SecurityRisk;

/** `rm` with the flags for "everything below" and "do not ask", together or apart, in any order and among others. */
export const removal = (() => {
  const others = String.raw`\brm(?:\s+-[\w-]{1,20}){0,3}\s+`;
  const [all, unasked] = [String.raw`-(?:-recursive\b|\w{0,8}r\w{0,8}\b)`, String.raw`-(?:-force\b|\w{0,8}f\w{0,8}\b)`];
  const between = String.raw`(?:\s+-[\w-]{1,20}){0,3}\s+`;
  const together = String.raw`-(?:\w{0,8}r\w{0,8}f|\w{0,8}f\w{0,8}r)\w{0,8}\b`;
  return `${others}(?:${together}|${all}${between}${unasked}|${unasked}${between}${all})`;
})();

/** How many steps the patterns of a stranger may take together in one call: about a second. */
const patience = 5_000_000;
/** How many characters and states they may have together. */
const size = 50_000;

/** A text, and its characters where they are asked for. */
class Text {
  #characters: Uint32Array | undefined;

  constructor(
    readonly text: string,
    readonly steps: Steps,
  ) {}

  get characters(): Uint32Array {
    return (this.#characters ??= characters(this.text));
  }
}

interface Pattern {
  test(text: Text): boolean;
}

const native = (pattern: RegExp): Pattern => ({ test: ({ text }) => pattern.test(text) });

const found: Pattern = { test: () => true };

/** What takes too long counts as found. */
const counted = (search: Search): Pattern => ({
  test({ characters, steps }) {
    try {
      return search(characters, steps);
    } catch (error) {
      if (error instanceof TooLong) return true;
      throw error;
    }
  },
});

/** Compiles the patterns, and says of which it cannot. Those for which `isTrusted` does not answer are searched for with a limit. */
export function scanner(lists: PatternLists, isTrusted: (pattern: string) => boolean): { scan: Scan; unreadable: string[] } {
  const unreadable: string[] = [];
  const building = new Steps(size);
  const ready = (pattern: string): Pattern => {
    if (isTrusted(pattern)) return native(pythonRegExp(pattern));
    building.take(pattern.length);
    return counted(automaton(pythonRegExp(pattern).source, building));
  };
  const compile = (rows: readonly SecurityPattern[]) =>
    rows.map(([pattern, , detector]) => {
      try {
        return ready(pattern);
      } catch (error) {
        // One that is nested too deep ends the stack.
        if (!(error instanceof UnreadablePattern || error instanceof TooLong || error instanceof RangeError)) throw error;
        unreadable.push(`${detector} (${error.message})`);
        return found;
      }
    });
  const high = compile(lists.high_patterns);
  const injectionHigh = compile(lists.injection_high_patterns);
  const medium = compile(lists.medium_patterns);
  const injectionMedium = compile(lists.injection_medium_patterns);
  const removes = pythonRegExp(removal);
  const isIn = (text: Text) => (pattern: Pattern) => pattern.test(text);
  const scan: Scan = (deeds, everything) => {
    const steps = new Steps(patience);
    const [done, all] = [new Text(deeds, steps), new Text(everything, steps)];
    if (high.some(isIn(done)) || injectionHigh.some(isIn(all))) return "HIGH";
    if (removes.test(deeds.replace(/["'\\]/g, ""))) return "HIGH";
    if (medium.some(isIn(done)) || injectionMedium.some(isIn(all))) return "MEDIUM";
    return "LOW";
  };
  return { scan, unreadable };
}
