// A value that components follow. What this page knows beside its conversations is a few of these.

import { useLayoutEffect, useReducer } from "preact/hooks";

type Subscribe = (listener: () => void) => () => void;

export class Value<T> {
  #value: T;
  #listeners = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get(): T {
    return this.#value;
  }

  set(value: T): void {
    this.#value = value;
    for (const listener of [...this.#listeners]) listener();
  }

  readonly subscribe: Subscribe = (listener) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };
}

export function useValue<T>(value: Value<T>): T {
  useChanges(value.subscribe);
  return value.get();
}

/** Draws the component again after each change. */
export function useChanges(subscribe: Subscribe): void {
  const [, draw] = useReducer<number, void>((count) => count + 1, 0);
  useLayoutEffect(() => subscribe(() => draw()), [subscribe]);
}

/** Whether the window is as this query says. */
export function mediaValue(query: string): Value<boolean> {
  const media = matchMedia(query);
  const value = new Value(media.matches);
  media.addEventListener("change", () => value.set(media.matches));
  return value;
}
