/** @jsxImportSource preact */
// The bar below the list while conversations are selected: its buttons do something with all of them.
import type { ConversationInfo } from "threadkeep";
import { type Acts, type Flag, isMarked } from "./acts.js";
import { useListContext } from "./context.js";

interface SelectionBarProps {
  chosen: readonly ConversationInfo[];
  acts: Acts;
  move: (chosen: readonly ConversationInfo[], opener: HTMLElement) => void;
  /** Called before something is done with them. */
  done: () => void;
}

export function SelectionBar({ chosen, acts, move, done }: SelectionBarProps) {
  const { labels } = useListContext();
  const button = (name: string, act: (opener: HTMLElement) => void) => (
    <button
      type="button"
      class="button small"
      // One that is disabled could not keep the focus.
      aria-disabled={chosen.length === 0}
      onClick={({ currentTarget }) => chosen.length > 0 && act(currentTarget)}
    >
      {name}
    </button>
  );
  const flag = (which: Flag, set: string, unset: string) =>
    button(isSet(chosen, which) ? unset : set, () => {
      done();
      markSelected(chosen, which, acts);
    });
  return (
    <div class="conversations-bar" role="group" aria-label={labels.withSelected}>
      <p class="quiet" role="status">
        {labels.selected(chosen.length)}
      </p>
      <div class="buttons">
        {flag("pinned", labels.pin, labels.unpin)}
        {button(labels.move, (opener) => move(chosen, opener))}
        {flag("archived", labels.archive, labels.unarchive)}
        {flag("trashed", labels.delete, labels.delete)}
      </div>
    </div>
  );
}

/** Whether all of them are marked so; then the button takes it away. */
const isSet = (chosen: readonly ConversationInfo[], flag: Flag): boolean =>
  chosen.length > 0 && chosen.every((info) => isMarked(info, flag));

/** Does to the selected ones what the button of this flag says. */
export function markSelected(chosen: readonly ConversationInfo[], flag: Flag, acts: Acts): void {
  const value = !isSet(chosen, flag);
  void acts.mark(
    chosen.filter((info) => isMarked(info, flag) !== value),
    flag,
    value,
  );
}
