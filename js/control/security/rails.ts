// The PolicyRailSecurityAnalyzer, in the SDK `security/defense_in_depth/policy_rails.py`: combinations that are dangerous only
// together, such as a download that is piped into a shell. Searched for within one argument, so that two harmless
// arguments are not a danger.
//
// The texts have gone through `normalize()`: each run of white space is one space.
import { pythonRegExp } from "../../python-regex/translate.js";

const r = String.raw;

/** A pattern for one of these program names. */
const program = (names: string[]) => r`\b(?:${names.join("|")})\b`;

const downloads = pythonRegExp(program(["wget", "curl"]));
const intoInterpreter = pythonRegExp(r`\| ?(?:bash|perl|python[23]?|ruby|sh)\b`);
const formats = pythonRegExp(r`\bmkfs\.`);
const copies = pythonRegExp(program(["dd"]));
const ontoDevice = pythonRegExp(r`of=/dev/`);
const removes = pythonRegExp(program(["rm"]));
/** A recursive flag, as a letter among others or by its name, after any others; or several "force" flags. */
const recursively = pythonRegExp(r`\brm(?: -\S{1,20}){0,9} -(?:\w*r\w*|ff+|-recursive)\b`);
/** The root, the user's home, or a folder that the system needs to start. */
const vital = pythonRegExp(r` (?:[/~]/?(?: |$)|/\*|/(?:boot|etc|home|usr|var)\b)`);

/** Whether one of these texts is dangerous to run. */
export function isRailed(segments: string[]): boolean {
  return segments.some((text) => {
    if (downloads.test(text) && intoInterpreter.test(text)) return true;
    if (formats.test(text) || follows(text, copies, ontoDevice)) return true;
    return recursively.test(text) && follows(text, removes, vital);
  });
}

/** Whether the second pattern matches after the first. */
function follows(text: string, first: RegExp, second: RegExp): boolean {
  const at = text.search(first);
  return at >= 0 && second.test(text.slice(at));
}
