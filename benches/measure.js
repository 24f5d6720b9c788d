// Comparing two things in turns: noise that lasts longer than a turn hits both.

/**
 * Runs `first` and `second` in turns, each a block of operations at a time, and compares turn by turn.
 *
 * Each takes how many operations to do. Returns the medians per operation in milliseconds and the median ratio of
 * the second to the first.
 */
export async function compare(first, second, { rounds, block }) {
  // What is compiled late, or cached by the first uses, is none of the comparison's business. An engine compiles a wasm
  // well only after it has run for a while.
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

async function time(operations, block) {
  const begun = performance.now();
  await operations(block);
  return (performance.now() - begun) / block;
}
