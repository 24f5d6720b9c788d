// The filter of an agent's tools: a regular expression of Python, as in the SDK.
import { invalidOptions, textOf } from "../input/errors.js";
import { pythonStart } from "../python-regex/translate.js";

export type Filter = (name: string) => boolean;

/** The SDK's default tools are exempt. @throws ThreadkeepError `invalid_options` */
export function filterOf(pattern: string | undefined): Filter {
  if (pattern === undefined) return () => true;
  if (typeof pattern !== "string") throw invalidOptions("filterToolsRegex must be a string");
  try {
    const start = pythonStart(pattern);
    return (name) => start.test(name);
  } catch (error) {
    throw invalidOptions(`filterToolsRegex is not a regular expression of Python: ${textOf(error)}`);
  }
}
