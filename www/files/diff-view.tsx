/** @jsxImportSource preact */
// The differences between two versions of a file, for views that are no components.

import { render } from "preact";
import { Diff } from "threadkeep/preact";
import { el } from "../shell/dom.ts";

/** A version is null if there is no file. */
export function diffView(before: string | null, after: string | null): HTMLElement {
  const element = el("div");
  render(<Diff before={before} after={after} />, element);
  return element;
}
