// Matches a regular expression in a limited number of steps.
//
// JavaScript's own search backtracks, and takes exponential time for patterns such as `(a+)+$`. This one simulates a
// nondeterministic automaton: it enters no state twice at one position of the text, so a search takes at most the number
// of states times the length of the text. Both agree on whether there is a match; its position is not needed.

/** The search would take too long, or the pattern is too large. */
export class TooLong extends Error {}

/** A budget of steps for several searches. */
export class Steps {
  constructor(private left: number) {}

  take(steps = 1): void {
    this.left -= steps;
    if (this.left < 0) throw new TooLong("it would take too long");
  }
}

/** Whether the pattern matches somewhere in the characters of a text. @throws TooLong */
export type Search = (text: Uint32Array, steps: Steps) => boolean;

/**
 * A search for a `RegExp` of this source with these flags. `building` limits the size of the automaton.
 * @throws TooLong also for a reference to a group, which an automaton cannot match
 */
export function automaton(source: string, building: Steps, flags: "iu" | "u" = "iu"): Search {
  const machine = new Machine(new Parser(source, flags).all(), false, building);
  return (text, steps) => machine.isIn(text, steps);
}

/** The characters of a text, as code points. */
export function characters(text: string): Uint32Array {
  const codes = new Uint32Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; length += 1) {
    const code = text.codePointAt(at)!;
    codes[length] = code;
    at += code > 0xffff ? 2 : 1;
  }
  return codes.subarray(0, length);
}

type Part =
  | { is: "atom"; atom: Atom }
  | { is: "sequence"; parts: Part[] }
  | { is: "choice"; parts: Part[] }
  | { is: "repeat"; part: Part; min: number; max: number }
  | { is: "look"; part: Part; isBehind: boolean; isNegated: boolean };

/** A set of characters. */
class Atom {
  readonly #pattern: RegExp;
  /** Cached results by character. */
  readonly #known: Array<boolean | undefined> = [];

  constructor(source: string, flags: string) {
    this.#pattern = new RegExp(`^${source}$`, flags);
  }

  has(character: number): boolean {
    // Only ASCII is cached, so that a text cannot make the cache large.
    if (character > 127) return this.#pattern.test(String.fromCodePoint(character));
    return (this.#known[character] ??= this.#pattern.test(String.fromCodePoint(character)));
  }
}

/** One character: a class, an escape, or itself. Two escapes are one where they are the halves of a pair. */
const atoms =
  /\[(?:[^\]\\]|\\[^])*\]|\\u\{[^}]*\}|\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[\da-fA-F]{4}|\\x..|\\[pP]\{[^}]*\}|\\c[a-zA-Z]|\\?[^]/uy;

/** Parses what is valid for `RegExp` with the flag `u`, and without `m`. */
class Parser {
  #at = 0;

  constructor(
    readonly source: string,
    readonly flags: string,
  ) {}

  all(): Part {
    const parts = [this.#sequence()];
    while (this.#take(/\|/y)) parts.push(this.#sequence());
    return parts.length === 1 ? parts[0]! : { is: "choice", parts };
  }

  #sequence(): Part {
    const parts: Part[] = [];
    while (this.#at < this.source.length && !/[|)]/.test(this.source[this.#at]!)) parts.push(this.#repeated(this.#one()));
    return { is: "sequence", parts };
  }

  #repeated(part: Part): Part {
    const repeat = this.#take(/([*+?]|\{(\d+)(,?)(\d*)\})\??/y);
    if (!repeat) return part;
    const [, sign, from, comma, to] = repeat;
    if (from === undefined) return { is: "repeat", part, min: sign === "+" ? 1 : 0, max: sign === "?" ? 1 : Infinity };
    return { is: "repeat", part, min: Number(from), max: comma ? (to ? Number(to) : Infinity) : Number(from) };
  }

  #one(): Part {
    const look = this.#take(/\(\?(<?)([=!])/y);
    if (look) return { is: "look", part: this.#group(), isBehind: look[1] === "<", isNegated: look[2] === "!" };
    if (this.#take(/\(\?(?![:<])/y)) throw new TooLong("it has flags for a part of it");
    if (this.#take(/\((?:\?(?::|<[^>]*>))?/y)) return this.#group();
    if (this.#take(/\\[1-9k]/y)) throw new TooLong("it refers to a group");
    if (this.#take(/\^/y)) return this.#look("[^]", true, true);
    if (this.#take(/\$/y)) return this.#look("[^]", false, true);
    const edge = this.#take(/\\[bB]/y);
    if (edge) return this.#edge(edge[0] === "\\B");
    return this.#atom(this.#take(atoms)![0]);
  }

  #atom(source: string): Part {
    return { is: "atom", atom: new Atom(source, this.flags) };
  }

  #look(source: string, isBehind: boolean, isNegated: boolean): Part {
    return { is: "look", part: this.#atom(source), isBehind, isNegated };
  }

  /** A place with a letter, digit or underscore on one side, or with `isInside` one where both sides are the same. */
  #edge(isInside: boolean): Part {
    const between = (isBefore: boolean): Part => ({
      is: "sequence",
      parts: [this.#look("\\w", true, !isBefore), this.#look("\\w", false, isBefore !== isInside)],
    });
    return { is: "choice", parts: [between(true), between(false)] };
  }

  #group(): Part {
    const part = this.all();
    this.#at += 1;
    return part;
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.source);
    if (found) this.#at = pattern.lastIndex;
    return found;
  }
}

type State =
  | { is: "found" }
  | { is: "atom"; atom: Atom; next: number }
  | { is: "fork"; next: number[] }
  | { is: "look"; machine: Machine; isNegated: boolean; next: number };

class Machine {
  readonly #states: State[] = [{ is: "found" }];
  readonly #start: number;
  readonly #isBackwards: boolean;
  /** The position at which each state was entered last. */
  readonly #entered: Float64Array;
  #place = 0;
  /** Whether a match can begin with a character, cached: 1 or 2 (it cannot) for ASCII. */
  readonly #beginsAscii = new Uint8Array(128);
  readonly #begins = new Map<number, boolean>();

  constructor(part: Part, isBackwards: boolean, building: Steps) {
    this.#isBackwards = isBackwards;
    this.#start = this.#make(part, 0, building);
    this.#entered = new Float64Array(this.#states.length);
  }

  isIn(text: Uint32Array, steps: Steps): boolean {
    let states: number[] = [];
    for (let at = 0; at <= text.length; at += 1) {
      steps.take();
      if (states.length === 0 && at < text.length && !this.#canBegin(text[at]!, steps)) continue;
      states.push(this.#start);
      const next = this.#step(states, text, at, steps);
      if (next === "found") return true;
      states = next;
    }
    return false;
  }

  /** Whether it matches at this position, forwards or backwards. */
  isAt(text: Uint32Array, at: number, steps: Steps): boolean {
    let states = [this.#start];
    for (let place = at; states.length > 0; place += this.#isBackwards ? -1 : 1) {
      const next = this.#step(states, text, place, steps);
      if (next === "found") return true;
      states = next;
    }
    return false;
  }

  /** Follows one character, from the states at one position to those at the next. */
  #step(states: number[], text: Uint32Array, at: number, steps: Steps): number[] | "found" {
    this.#place += 1;
    const next: number[] = [];
    const character = text[this.#isBackwards ? at - 1 : at];
    while (states.length > 0) {
      const index = states.pop()!;
      if (this.#entered[index] === this.#place) continue;
      this.#entered[index] = this.#place;
      steps.take();
      const state = this.#states[index]!;
      if (state.is === "found") return "found";
      if (state.is === "fork") states.push(...state.next);
      else if (state.is === "look") {
        if (state.machine.isAt(text, at, steps) !== state.isNegated) states.push(state.next);
      } else if (character !== undefined && state.atom.has(character)) next.push(state.next);
    }
    return next;
  }

  #canBegin(character: number, steps: Steps): boolean {
    if (character < 128) return (this.#beginsAscii[character] ||= this.#beginsWith(character, steps) ? 1 : 2) === 1;
    let can = this.#begins.get(character);
    if (can === undefined) this.#begins.set(character, (can = this.#beginsWith(character, steps)));
    return can;
  }

  /** Whether a match can begin with this character, assuming that all look-arounds match. */
  #beginsWith(character: number, steps: Steps): boolean {
    const open = [this.#start];
    const seen = new Set<number>();
    while (open.length > 0) {
      const index = open.pop()!;
      if (seen.has(index)) continue;
      seen.add(index);
      steps.take();
      const state = this.#states[index]!;
      if (state.is === "found" || (state.is === "atom" && state.atom.has(character))) return true;
      if (state.is === "fork") open.push(...state.next);
      else if (state.is === "look") open.push(state.next);
    }
    return false;
  }

  /** Adds the states of this part, which lead to `next`; returns the first. */
  #make(part: Part, next: number, building: Steps): number {
    building.take();
    switch (part.is) {
      case "atom":
        return this.#states.push({ is: "atom", atom: part.atom, next }) - 1;
      case "look":
        return (
          this.#states.push({ is: "look", machine: new Machine(part.part, part.isBehind, building), isNegated: part.isNegated, next }) - 1
        );
      case "sequence": {
        const parts = this.#isBackwards ? part.parts : [...part.parts].reverse();
        return parts.reduce((at, each) => this.#make(each, at, building), next);
      }
      case "choice":
        return this.#fork(part.parts.map((each) => this.#make(each, next, building)));
      case "repeat": {
        let at = next;
        if (part.max === Infinity) {
          at = this.#fork([next]);
          (this.#states[at] as { next: number[] }).next.push(this.#make(part.part, at, building));
        } else for (let n = part.min; n < part.max; n += 1) at = this.#fork([next, this.#make(part.part, at, building)]);
        for (let n = 0; n < part.min; n += 1) at = this.#make(part.part, at, building);
        return at;
      }
    }
  }

  #fork(next: number[]): number {
    return this.#states.push({ is: "fork", next }) - 1;
  }
}
