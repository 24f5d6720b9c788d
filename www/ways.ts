// The ways on from a failure, other than trying again. Whoever owns one of them registers it at start.

import type { Way } from "./failures.ts";

const owners = new Map<Way, () => unknown>([["reload", () => location.reload()]]);

export function ownWay(way: Way, act: () => unknown): void {
  owners.set(way, act);
}

export function takeWay(way: Way): void {
  void owners.get(way)?.();
}
