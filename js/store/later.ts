// Stores whose code is loaded with their first call.
import { ThreadkeepError } from "../input/errors.js";

/** Methods that wait for the object that `load` returns, and call those of the same names there: no more than are named. @internal */
export function later<T extends object, Name extends keyof T & string>(
  names: readonly Name[],
  load: () => Promise<T>,
): Pick<T, Name> & { close(): void } {
  let isOpen = true;
  let loading: Promise<T> | undefined;
  const loaded = () =>
    (loading ??= load().catch((error: unknown) => {
      // A part did not load: the next call tries again.
      loading = undefined;
      throw error;
    }));
  const method = (name: Name) => [
    name,
    async (...args: unknown[]) => {
      if (!isOpen) throw new ThreadkeepError("invalid_state", "the store is closed; open the conversation again");
      return ((await loaded())[name] as (...args: unknown[]) => unknown)(...args);
    },
  ];
  return {
    ...Object.fromEntries(names.map(method)),
    close() {
      isOpen = false;
    },
  };
}
