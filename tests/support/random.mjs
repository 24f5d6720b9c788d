// Chance that can be repeated: the same seed gives the same numbers. Runs in Node and in pages.

/** Returns a generator of numbers from 0 up to 1, with what is usually wanted of them. */
export function randomFrom(seed) {
  let state = seed >>> 0;
  // mulberry32
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    /** A whole number from `low` to `high`, both included. */
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    /** One of these. */
    of: (list) => list[Math.floor(next() * list.length)],
    /** True so often. */
    chance: (share) => next() < share,
  };
}
