/** @jsxImportSource preact */
// Elements that other code makes, and plain text, as components.
import { useLayoutEffect, useRef } from "preact/hooks";
import { useLabels } from "../context.js";
import { plainText } from "../plain-text.js";

/** A node in an element of its own; `node` is called again when one of `of` has changed. */
export function Foreign({ node, of, class: className }: { node: () => Node | string; of: readonly unknown[]; class?: string }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => place.current!.replaceChildren(node()), [...of]);
  return <div ref={place} class={className} />;
}

/** Text with its line breaks; a long one is shown in parts. Without an element of its own in the layout. */
export function PlainText({ text }: { text: string }) {
  const labels = useLabels();
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => place.current!.replaceChildren(plainText(text, labels)), [text]);
  return <span ref={place} />;
}
