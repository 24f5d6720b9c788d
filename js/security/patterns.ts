// The SDK's PatternSecurityAnalyzer (`security/defense_in_depth/pattern.py`) for the patterns that it is given.
//
// A pattern that cannot be read here counts as found, in each action: what it was to hold back is not let through
// because of a dialect. The SDK also parses deeds as shell commands, to find a deletion of everything under names that
// are quoted or have a path; here a pattern without a parser looks for it, and finds it in plain talk as well.
import type { SecurityRisk } from "../events.js";
import type { SecurityPattern } from "../security.js";
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

/** Compiles the patterns, and says of which it cannot. */
export function scanner(lists: PatternLists): { scan: Scan; unreadable: string[] } {
  const unreadable: string[] = [];
  const compile = (rows: readonly SecurityPattern[]) =>
    rows.map(([pattern, , detector]) => {
      try {
        return pythonRegExp(pattern);
      } catch (error) {
        if (!(error instanceof UnreadablePattern)) throw error;
        unreadable.push(`${detector} (${error.message})`);
        return /(?:)/;
      }
    });
  const high = compile(lists.high_patterns);
  const injectionHigh = compile(lists.injection_high_patterns);
  const medium = compile(lists.medium_patterns);
  const injectionMedium = compile(lists.injection_medium_patterns);
  const removes = pythonRegExp(removal);
  const isIn = (text: string) => (pattern: RegExp) => pattern.test(text);
  const scan: Scan = (deeds, everything) => {
    if (high.some(isIn(deeds)) || injectionHigh.some(isIn(everything))) return "HIGH";
    if (removes.test(deeds.replace(/["'\\]/g, ""))) return "HIGH";
    if (medium.some(isIn(deeds)) || injectionMedium.some(isIn(everything))) return "MEDIUM";
    return "LOW";
  };
  return { scan, unreadable };
}
