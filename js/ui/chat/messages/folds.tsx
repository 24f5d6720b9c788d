/** @jsxImportSource preact */
// Details that the user has unfolded. A row that is scrolled away loses its elements, so the list remembers what is open.
import { type ComponentChildren, createContext } from "preact";
import { useContext, useState } from "preact/hooks";

/** The unfolded details by their key. */
export const Folds = createContext<Set<string>>(new Set());

interface FoldProps {
  /** Unique in the list. */
  id: string;
  class: string;
  summary: ComponentChildren;
  /** Drawn only while they are shown, since most never are. */
  children: () => ComponentChildren;
  "data-state"?: string;
  part?: string;
}

export function Fold({ id, summary, children, ...attributes }: FoldProps) {
  const open = useContext(Folds);
  const [isOpen, setOpen] = useState(open.has(id));
  const toggle = (event: Event): void => {
    const now = (event.currentTarget as HTMLDetailsElement).open;
    if (now) open.add(id);
    else open.delete(id);
    setOpen(now);
  };
  return (
    <details {...attributes} open={isOpen} onToggle={toggle}>
      <summary>{summary}</summary>
      {isOpen ? children() : null}
    </details>
  );
}
