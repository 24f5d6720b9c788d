/** @jsxImportSource preact */
// The messages that were found, as a part of the list.
import type { ComponentChildren } from "preact";
import type { SearchHit } from "threadkeep";
import { useId, useLayoutEffect } from "preact/hooks";
import { sentence } from "../chat/controls/failures.js";
import { visibleText } from "../thread/index.js";
import { messageOf, titleOf } from "./acts.js";
import { useListContext } from "./context.js";
import { Opener } from "./row.js";
import type { Found } from "./search.js";
import { More } from "./sections.js";
import { howLongAgo } from "./when.js";

interface FoundMessagesProps {
  found: Found;
  showMore: (button: HTMLElement) => void;
  announce: (sentence: string) => void;
}

export function FoundMessages({ found: { hits, more, pending, error }, showMore, announce }: FoundMessagesProps) {
  const { labels } = useListContext();
  const id = useId();
  useLayoutEffect(() => {
    if (error === null) announce(labels.found(hits.length));
  }, [hits.length, error]);
  const about =
    error !== null
      ? labels.notSearched(sentence(messageOf(error)))
      : pending > 0
        ? labels.reading(Number.isFinite(pending) ? pending : null)
        : "";
  // Without a message, it says something only while older ones are being read.
  if (hits.length === 0 && about === "") return null;
  return (
    <div class="conversation-group" data-part="messages">
      <h3 id={id} class="eyebrow">
        {labels.inMessages}
      </h3>
      <ul aria-labelledby={id}>
        {hits.map((hit) => (
          <Hit key={`${hit.conversationId}/${hit.eventId}`} hit={hit} />
        ))}
      </ul>
      {more && <More part="messages" hidden={Infinity} show={showMore} />}
      {about !== "" && <p class="quiet">{about}</p>}
    </div>
  );
}

/** Its id is that of no conversation: the keys that act on one do nothing here. */
function Hit({ hit }: { hit: SearchHit }) {
  const { labels } = useListContext();
  const { conversationId, timestamp, updatedAt, archivedAt } = hit;
  const eventId = hit.eventId!;
  const when = [howLongAgo(timestamp === null ? updatedAt : new Date(timestamp), labels), archivedAt !== null && labels.inArchive];
  return (
    <li class="conversation-row of-hit" data-id={`${conversationId}/${eventId}`}>
      <Opener conversationId={conversationId} eventId={eventId}>
        <span class="conversation-title" dir="auto">
          {titleOf(hit, labels)}
        </span>
        <span class="conversation-excerpt" dir="auto">
          {excerptOf(hit)}
        </span>
        <span class="conversation-about">{when.filter(Boolean).join(" · ")}</span>
      </Opener>
    </li>
  );
}

/** A model or a web page may have written it, so it stays text. */
function excerptOf({ excerpt, ranges }: SearchHit): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const [from, to] of ranges) {
    parts.push(visibleText(excerpt.slice(end, from)), <mark>{visibleText(excerpt.slice(from, to))}</mark>);
    end = to;
  }
  return [...parts, visibleText(excerpt.slice(end))];
}
