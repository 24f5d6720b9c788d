/** @jsxImportSource preact */
// The parts of the list: rows under a heading, and those that can be folded.
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { useListContext } from "./context.js";
import { Icon } from "./icons.js";

export function Section({ name, children }: { name: string; children: ComponentChildren }) {
  const id = useId();
  return (
    <div class="conversation-group">
      <h3 id={id} class="eyebrow">
        {name}
      </h3>
      <ul aria-labelledby={id}>{children}</ul>
    </div>
  );
}

interface FoldedSectionProps {
  name: string;
  /** By which its controls are found again. */
  part: string;
  /** Of all its conversations, of which some rows may not be drawn. */
  count: number;
  isOpen: boolean;
  toggle: () => void;
  /** Above the rows. */
  before?: ComponentChildren;
  /** Beside the heading. */
  tools?: ComponentChildren;
  /** Below the rows. */
  after?: ComponentChildren;
  children: ComponentChildren;
}

export function FoldedSection({ name, part, count, isOpen, toggle, before, tools, after, children }: FoldedSectionProps) {
  const id = useId();
  return (
    <div class="conversation-group folded" data-part={part}>
      <h3 class="eyebrow">
        <button
          type="button"
          class="conversation-fold"
          aria-expanded={isOpen}
          aria-controls={`${id}-content`}
          data-focus={`${part} fold`}
          onClick={toggle}
        >
          <Icon name="fold" />
          <span id={id} class="conversation-part" dir="auto">
            {name}
          </span>
          <span class="conversation-count">{count}</span>
        </button>
        {tools}
      </h3>
      <div id={`${id}-content`} hidden={!isOpen}>
        {isOpen && (
          <>
            {before}
            <ul aria-labelledby={id}>{children}</ul>
            {after}
          </>
        )}
      </div>
    </div>
  );
}

/** The button that shows more rows. */
export function More({ part, hidden, show }: { part: string; hidden: number; show: (button: HTMLElement) => void }) {
  const { labels } = useListContext();
  if (hidden <= 0) return null;
  return (
    <button
      type="button"
      class="button plain small conversation-more"
      data-focus={`${part} more`}
      onClick={({ currentTarget }) => show(currentTarget)}
    >
      {labels.showMore}
      {Number.isFinite(hidden) && <span class="visually-hidden">, {labels.hidden(hidden)}</span>}
    </button>
  );
}
