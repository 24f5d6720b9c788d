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

/** Notes how long the page's thread was busy at once: the time between two tasks that are always ready, one behind the other. */
export function beating() {
  const { port1, port2 } = new MessageChannel();
  let [longest, over50, last] = [0, 0, performance.now()];
  port1.onmessage = () => {
    const time = performance.now() - last;
    longest = Math.max(longest, time);
    if (time > 50) over50 += 1;
    last = performance.now();
    port2.postMessage(0);
  };
  port2.postMessage(0);
  return () => {
    port1.close();
    return { longest, over50 };
  };
}
