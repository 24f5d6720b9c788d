// Actions for failures, other than trying again. The owner of an action registers it when the page starts.

import type { Way } from "./failures.ts";

const owners = new Map<Way, () => unknown>([["reload", () => location.reload()]]);

export function ownWay(way: Way, act: () => unknown): void {
  owners.set(way, act);
}

export function takeWay(way: Way): void {
  void owners.get(way)?.();
}
