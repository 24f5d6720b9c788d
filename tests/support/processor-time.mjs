// How long this process has worked: what else the machine does makes no difference to it.

/** In milliseconds. */
export function processorTime() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
