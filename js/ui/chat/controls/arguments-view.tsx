/** @jsxImportSource preact */
// The arguments of a call as somebody has to read them who decides about it: texts with their line breaks, and nothing hidden.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { JSONValue } from "threadkeep";
import { visibleText } from "../../thread/index.js";
import { useChat } from "../context.js";

/** In characters; laying out a megabyte takes seconds. */
const longest = 5000;

export interface ArgumentsViewProps {
  args: JSONValue | undefined;
  /** The arguments as the model wrote them, for those that are no JSON. */
  raw: string;
  /** The name of the call. */
  name: string;
  /** Called when their end has been in sight. */
  onSeen: () => void;
}

/** In pixels: positions in a scrolled box are fractions. */
const tolerance = 2;

export function ArgumentsView({ args, raw, name, onSeen }: ArgumentsViewProps) {
  const { labels } = useChat();
  const [isWhole, showWhole] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const isObject = typeof args === "object" && args !== null && !Array.isArray(args);
  const entries = isObject ? Object.entries(args).map(([name, value]) => [visibleText(name), textOf(value)] as const) : [];
  const alone = visibleText(args === undefined ? raw : JSON.stringify(args, null, 2));
  const isCut = !isWhole && (isObject ? entries.map(([, text]) => text) : [alone]).some((text) => text.length > longest);
  const look = (): void => {
    const { scrollTop, clientHeight, scrollHeight } = box.current!;
    // Without a height it is not shown at all.
    if (!isCut && clientHeight > 0 && scrollTop + clientHeight >= scrollHeight - tolerance) onSeen();
  };
  useLayoutEffect(() => {
    look();
    // The box may be shown later, or become larger than its text.
    const observer = new ResizeObserver(() => requestAnimationFrame(() => box.current && look()));
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, [isCut, alone]);
  const shown = (text: string) => <LongText text={text} isWhole={isWhole} showWhole={() => showWhole(true)} />;
  return (
    <div ref={box} class="ask-arguments" tabIndex={0} role="group" aria-label={labels.argumentsOf(name)} onScroll={look}>
      {!isObject ? (
        shown(alone)
      ) : entries.length === 0 ? (
        <p class="quiet">{labels.noArguments}</p>
      ) : (
        <dl class="arguments">
          {entries.map(([name, text]) => [<dt key={`${name}-name`}>{name}</dt>, <dd key={name}>{shown(text)}</dd>])}
        </dl>
      )}
    </div>
  );
}

const textOf = (value: JSONValue): string => visibleText(typeof value === "string" ? value : JSON.stringify(value, null, 2));

function LongText({ text, isWhole, showWhole }: { text: string; isWhole: boolean; showWhole: () => void }) {
  const { labels } = useChat();
  const left = text.length - longest;
  if (isWhole || left <= 0) return <>{text}</>;
  return (
    <>
      {text.slice(0, longest)}…{" "}
      <button type="button" class="button small more-text" onClick={showWhole}>
        {labels.showAll(left)}
      </button>
    </>
  );
}
