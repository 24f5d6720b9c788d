// What is dangerous only together, such as a download that is handed to a shell: the PolicyRailSecurityAnalyzer, which the
// SDK has in `security/defense_in_depth/policy_rails.py`. Looked for in one argument at a time, so that two harmless
// arguments do not make a danger.
//
// Written for texts that `normalize()` went over: all white space is one space.
import { pythonRegExp } from "./python-regex.js";

const r = String.raw;

/** The names of programs. */
const program = (names: string[]) => r`\b(?:${names.join("|")})\b`;

const downloads = pythonRegExp(program(["wget", "curl"]));
const intoInterpreter = pythonRegExp(r`\| ?(?:bash|perl|python[23]?|ruby|sh)\b`);
const formats = pythonRegExp(r`\bmkfs\.`);
const copies = pythonRegExp(program(["dd"]));
const ontoDevice = pythonRegExp(r`of=/dev/`);
const removes = pythonRegExp(program(["rm"]));
/** A flag for "and everything below", by its letter among others or by its name, behind any others; or more than one "do not ask". */
const recursively = pythonRegExp(r`\brm(?: -\S{1,20}){0,9} -(?:\w*r\w*|ff+|-recursive)\b`);
/** The root, the user's home, or a folder without which the system does not start. */
const vital = pythonRegExp(r` (?:[/~]/?(?: |$)|/\*|/(?:boot|etc|home|usr|var)\b)`);

/** Whether one of these segments must not be run unasked. */
export function isRailed(segments: string[]): boolean {
  return segments.some((text) => {
    if (downloads.test(text) && intoInterpreter.test(text)) return true;
    if (formats.test(text) || follows(text, copies, ontoDevice)) return true;
    return recursively.test(text) && follows(text, removes, vital);
  });
}

/** Whether the second is found behind the first. */
function follows(text: string, first: RegExp, second: RegExp): boolean {
  const at = text.search(first);
  return at >= 0 && second.test(text.slice(at));
}
