/** @jsxImportSource preact */
// Markdown of a model as a component.
import { useLayoutEffect, useRef } from "preact/hooks";
import { useChat } from "../context.js";
import { MarkdownView } from "./view.js";

export interface MarkdownProps {
  text: string;
  /** Default: `"prose"`. */
  class?: string;
  /** The name of a text that scrolls by itself. */
  label?: string;
}

/** The text of a model as Markdown; it is never trusted. */
export function Markdown({ text, class: className = "prose", label }: MarkdownProps) {
  const chat = useChat();
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<MarkdownView | null>(null);
  useLayoutEffect(() => {
    view.current ??= new MarkdownView(place.current!, chat);
    view.current.update(text);
  }, [text]);
  // A text with a name is one that scrolls.
  return <div ref={place} class={className} {...(label !== undefined && { role: "group", "aria-label": label, tabIndex: 0 })} />;
}
