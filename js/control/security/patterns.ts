// The SDK's PatternSecurityAnalyzer (`security/defense_in_depth/pattern.py`).
//
// A pattern that cannot be converted to JavaScript counts as found in each action, so that nothing slips through because
// of a syntax difference. A pattern of a stored analyzer also counts as found if its search takes too long. The SDK parses
// arguments as shell commands too, to find `rm -rf` with quotes or a path; here a pattern without a parser finds it, also in prose.
import type { SecurityRisk } from "../../events/events.js";
import { Steps, TooLong, type Search, automaton, characters } from "../../input/automaton.js";
import { UnreadablePattern, pythonRegExp } from "../../python-regex/translate.js";
import type { PatternLists, SecurityPattern } from "../types.js";

/** Rates a call by the text of its arguments and names, and by that text together with its thoughts; both normalized. */
export type Scan = (calls: string, everything: string) => SecurityRisk;

/** `rm` with the flags "recursive" and "force", together or apart, in any order and among others. */
export const removal = (() => {
  const others = String.raw`\brm(?:\s+-[\w-]{1,20}){0,3}\s+`;
  const [all, unasked] = [String.raw`-(?:-recursive\b|\w{0,8}r\w{0,8}\b)`, String.raw`-(?:-force\b|\w{0,8}f\w{0,8}\b)`];
  const between = String.raw`(?:\s+-[\w-]{1,20}){0,3}\s+`;
  const together = String.raw`-(?:\w{0,8}r\w{0,8}f|\w{0,8}f\w{0,8}r)\w{0,8}\b`;
  return `${others}(?:${together}|${all}${between}${unasked}|${unasked}${between}${all})`;
})();

/** How many steps all patterns of a stored analyzer may take in one call: about a second. */
const maxSteps = 5_000_000;
/** How many characters and states they may have in total. */
const maxSize = 50_000;

/** A text, and its characters when they are needed. */
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

const alwaysFound: Pattern = { test: () => true };

/** A search that counts as found if it takes too long. */
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

/** Compiles the patterns, and lists those that cannot be compiled. Only those for which `isTrusted` is true are searched without a limit. */
export function scanner(lists: PatternLists, isTrusted: (pattern: string) => boolean): { scan: Scan; unreadable: string[] } {
  const unreadable: string[] = [];
  const building = new Steps(maxSize);
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
        // A RangeError means that the pattern is nested too deep for the stack.
        if (!(error instanceof UnreadablePattern || error instanceof TooLong || error instanceof RangeError)) throw error;
        unreadable.push(`${detector} (${error.message})`);
        return alwaysFound;
      }
    });
  const high = compile(lists.high_patterns);
  const injectionHigh = compile(lists.injection_high_patterns);
  const medium = compile(lists.medium_patterns);
  const injectionMedium = compile(lists.injection_medium_patterns);
  const removes = pythonRegExp(removal);
  const isIn = (text: Text) => (pattern: Pattern) => pattern.test(text);
  const scan: Scan = (calls, everything) => {
    const steps = new Steps(maxSteps);
    const [callText, allText] = [new Text(calls, steps), new Text(everything, steps)];
    if (high.some(isIn(callText)) || injectionHigh.some(isIn(allText))) return "HIGH";
    if (removes.test(calls.replace(/["'\\]/g, ""))) return "HIGH";
    if (medium.some(isIn(callText)) || injectionMedium.some(isIn(allText))) return "MEDIUM";
    return "LOW";
  };
  return { scan, unreadable };
}
