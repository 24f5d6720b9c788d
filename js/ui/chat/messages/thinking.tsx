/** @jsxImportSource preact */
// How long the model has thought: as this page has seen it, because no stored event says it.
import { useEffect, useState } from "preact/hooks";
import type { ReasoningPart, UIMessage } from "../../thread/index.js";
import { useChat } from "../context.js";

interface Thinking {
  /** In milliseconds since the page was opened. */
  since: number;
  /** In seconds; `null` while the model thinks. */
  seconds: number | null;
}

/** By the keys of their rows, which a stored answer keeps. */
const known = new Map<string, Thinking>();

/** Less is not worth a word. In seconds. */
const shortest = 1;

/** Notes the reasoning that is under way in the last message, or has just ended. Called before each rendering. */
export function noteThinking(messages: readonly UIMessage[]): void {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return;
  last.parts.forEach((part, index) => {
    const key = `${last.id}/${index}`;
    const found = known.get(key);
    // An answer that begins anew after a failure has something else in its place for a moment.
    if (part.type !== "reasoning") known.delete(key);
    else if (part.state === "streaming") {
      if (found?.seconds !== null) known.set(key, { since: performance.now(), seconds: null });
    } else if (found?.seconds === null) found.seconds = secondsSince(found);
  });
}

const secondsSince = ({ since }: Thinking): number => Math.floor((performance.now() - since) / 1000);

/** The line over the reasoning: it is one line while the model thinks, and after. */
export function ThoughtsLine({ id, part }: { id: string; part: ReasoningPart }) {
  const { labels } = useChat();
  const [, tick] = useState(0);
  const isLive = part.state === "streaming";
  useEffect(() => {
    if (!isLive) return;
    const timer = setInterval(() => tick((count) => count + 1), 1000);
    return () => clearInterval(timer);
  }, [isLive]);
  const thinking = known.get(id);
  const seconds = thinking === undefined ? 0 : (thinking.seconds ?? secondsSince(thinking));
  const time = seconds < shortest ? null : labels.thoughtFor(seconds);
  return (
    <span class={isLive ? "thoughts thinking" : "thoughts"}>
      {isLive ? labels.thinking : labels.thoughts}
      {time !== null && <span class="thought-time">{time}</span>}
    </span>
  );
}
