// The patterns of a JSON Schema. The arguments come from a model, and `^(a+)+$` would stop the page for years at forty letters.
import { Steps, TooLong, type Search, automaton, characters } from "./automaton.js";

/** How many characters and states a pattern may have. */
const maxSize = 50_000;
/** How many steps a text may take, and more for each of its characters: about a second, and only look-arounds need more. */
const maxSteps = 5_000_000;
const maxStepsPerCharacter = 50;

/** A pattern that cannot be tried in a limited number of steps. */
export class UntriedPattern extends Error {}

const known = new Map<string, Search>();
const mostKnown = 1000;

/** In the validator, in place of `RegExp`: see scripts/bundle.mjs. */
export class SchemaPattern {
  readonly #source: string;
  readonly #search: Search;

  /** @throws SyntaxError, UntriedPattern */
  constructor(source: string, flags: "u") {
    this.#source = source;
    this.#search = known.get(source) ?? this.#limited(() => searchFor(source, flags));
    if (known.size >= mostKnown) known.clear();
    known.set(source, this.#search);
  }

  /** @throws UntriedPattern */
  test(text: string): boolean {
    const steps = new Steps(maxSteps + maxStepsPerCharacter * text.length);
    return this.#limited(() => this.#search(characters(text), steps));
  }

  #limited<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof TooLong || error instanceof RangeError)) throw error;
      // A RangeError means that the pattern is nested too deep for the stack.
      throw new UntriedPattern(`The pattern ${this.#source} of the schema cannot be tried: ${error.message}.`);
    }
  }
}

function searchFor(source: string, flags: "u"): Search {
  const building = new Steps(maxSize);
  building.take(source.length);
  return automaton(new RegExp(source, flags).source, building, flags);
}
