/** @jsxImportSource preact */
// Markdown of a model as a component.
import { useLayoutEffect, useRef } from "preact/hooks";
import { useChat } from "../context.js";
import { MarkdownView } from "./view.js";

export function Markdown({ text, class: className = "prose", label }: { text: string; class?: string; label?: string }) {
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
