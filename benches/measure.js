// Compares two functions by alternating between them, so that noise affects both.

/**
 * Runs `first` and `second` alternately, each a block of operations at a time, and compares neighbouring blocks.
 *
 * Each function takes the number of operations. Returns the medians per operation in milliseconds, and the median ratio
 * of the second to the first.
 */
export async function compare(first, second, { rounds, block }) {
  // Not measured: what is compiled or cached by the first uses. An engine optimizes a wasm only after it has run for a
  // while.
  await first(block * 100);
  await second(block * 100);
  const times = { first: [], second: [], ratios: [] };
  for (let round = 0; round < rounds; round++) {
    const isFirstFirst = round % 2 === 0;
    const one = await time(isFirstFirst ? first : second, block);
    const other = await time(isFirstFirst ? second : first, block);
    const [a, b] = isFirstFirst ? [one, other] : [other, one];
    times.first.push(a);
    times.second.push(b);
    times.ratios.push(b / a);
  }
  return { first: median(times.first), second: median(times.second), ratio: median(times.ratios) };
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Milliseconds for each of `block` operations. */
export async function time(operations, block = 1) {
  const begun = performance.now();
  await operations(block);
  return (performance.now() - begun) / block;
}
