/** @jsxImportSource preact */
// The arguments of a call as somebody has to read them who decides about it: texts with their line breaks, and nothing hidden.
import { useState } from "preact/hooks";
import type { JSONValue } from "../../index.js";
import { useChat } from "../context.js";

/** In characters; laying out a megabyte takes seconds. */
const longest = 5000;

export interface ArgumentsViewProps {
  args: JSONValue | undefined;
  /** The arguments as the model wrote them, for those that are no JSON. */
  raw: string;
  /** The name of the call. */
  name: string;
}

export function ArgumentsView({ args, raw, name }: ArgumentsViewProps) {
  const { labels } = useChat();
  const isObject = typeof args === "object" && args !== null && !Array.isArray(args);
  const entries = isObject ? Object.entries(args) : [];
  return (
    <div class="ask-arguments" tabIndex={0} role="group" aria-label={labels.argumentsOf(name)}>
      {!isObject ? (
        <LongText text={args === undefined ? raw : JSON.stringify(args, null, 2)} />
      ) : entries.length === 0 ? (
        <p class="quiet">{labels.noArguments}</p>
      ) : (
        <dl class="arguments">
          {entries.map(([name, value]) => [
            <dt key={`${name}-name`}>{visible(name)}</dt>,
            <dd key={name}>
              <LongText text={typeof value === "string" ? value : JSON.stringify(value, null, 2)} />
            </dd>,
          ])}
        </dl>
      )}
    </div>
  );
}

function LongText({ text }: { text: string }) {
  const { labels } = useChat();
  const [isWhole, showWhole] = useState(false);
  const left = text.length - longest;
  if (isWhole || left <= 0) return <>{visible(text)}</>;
  return (
    <>
      {visible(text.slice(0, longest))}…{" "}
      <button type="button" class="button small more-text" onClick={() => showWhole(true)}>
        {labels.showAll(left)}
      </button>
    </>
  );
}

/** Characters that are not seen, or that change the order of others, as their numbers: a call must not look like another one. */
const visible = (text: string): string =>
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, (character) =>
    character === "\r" ? "" : `⟨U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
  );
