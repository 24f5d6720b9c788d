// What is dangerous only together, such as a download that is handed to a shell: the SDK's
// `security/defense_in_depth/policy_rails.py`. Looked for in one argument at a time, so that two harmless arguments
// do not make a danger.
import { pythonRegExp } from "./python-regex.js";

const fetches = pythonRegExp(String.raw`\b(?:curl|wget)\b`);
const runs = pythonRegExp(String.raw`\|\s*(?:(?:ba)?sh|python[23]?|perl|ruby)\b`);
const rawDisk = pythonRegExp(String.raw`\bdd\b.{0,100}of=/dev/|\bmkfs\.`);
const deletesAll = pythonRegExp(String.raw`\brm\s+(?:-[fr]{2,}|-r\s+-f|-f\s+-r|--recursive\s+--force|--force\s+--recursive)\b`);
const critical = pythonRegExp(String.raw`\brm\b.{0,60}\s(?:/(?:\s|$|\*)|~/?(?:\s|$)|/(?:etc|usr|var|home|boot)\b)`);

/** Whether one of these normalised segments must not be run unasked. */
export function isRailed(segments: string[]): boolean {
  return segments.some(
    (text) => (fetches.test(text) && runs.test(text)) || rawDisk.test(text) || (deletesAll.test(text) && critical.test(text)),
  );
}
