// A module that is loaded when it is first needed, and then used without waiting.

export interface Lazy<Module> {
  /** Calls `act` with the module: at once if it is loaded, otherwise later. Without a network nothing happens, and the next call tries again. */
  use(act: (module: Module) => void): void;
}

export function lazy<Module>(load: () => Promise<Module>): Lazy<Module> {
  let module: Module | undefined;
  let loading: Promise<Module> | undefined;
  const use = (act: (module: Module) => void): void => {
    if (module !== undefined) return act(module);
    loading ??= load();
    loading.then(
      (loaded) => {
        module = loaded;
        act(loaded);
      },
      () => void (loading = undefined),
    );
  };
  return { use };
}
