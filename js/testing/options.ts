// The options of this entry's functions, checked as the library checks its own.
import { ThreadkeepError } from "threadkeep";

export const invalidOptions = (message: string): ThreadkeepError => new ThreadkeepError("invalid_options", message);

/** A copy of the options. @throws ThreadkeepError `invalid_options` for one that is not among the allowed names */
export function optionsOf<T extends object>(name: string, options: T, allowed: string): T {
  if (typeof options !== "object" || options === null) throw invalidOptions(`${name} takes an object of options`);
  const unknown = Object.keys(options).find((key) => !allowed.split(" ").includes(key));
  if (unknown !== undefined)
    throw invalidOptions(`${name} has no option ${JSON.stringify(unknown)}; there are ${allowed.split(" ").join(", ")}`);
  return { ...options };
}
