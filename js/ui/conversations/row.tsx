/** @jsxImportSource preact */
// A row of the list: a link to the conversation with its menu, a checkbox while several are selected, or an entry of the trash.
import type { ComponentChildren } from "preact";
import type { ConversationInfo } from "threadkeep";
import { useLayoutEffect, useRef } from "preact/hooks";
import { isOfComposition } from "../chat/composition.js";
import { memo } from "../chat/messages/memo.js";
import { serverOf, titleOf } from "./acts.js";
import { useListContext } from "./context.js";
import { Icon } from "./icons.js";

export type RowKind = "link" | "check" | "trash";

/** What a row asks for. The object stays the same, so that rows are drawn only when they change. */
export interface RowActs {
  openMenu(info: ConversationInfo, opener: HTMLElement): void;
  choose(info: ConversationInfo, event: MouseEvent): void;
  restore(info: ConversationInfo): void;
  askToDelete(info: ConversationInfo): void;
  /** `null`: the user gave up. */
  rename(info: ConversationInfo, title: string | null): void;
}

export interface RowProps {
  info: ConversationInfo;
  kind: RowKind;
  /** Its time and its state, in words. */
  about: string;
  isCurrent: boolean;
  isSelected: boolean;
  isRenaming: boolean;
  acts: RowActs;
}

/**
 * The row has `data-id`, and what the arrows lead to has `data-stop`. Everything that takes the focus has a `data-focus`, by which
 * it is found again.
 */
export const Row = memo(({ info, kind, about, isCurrent, isSelected, isRenaming, acts }: RowProps) => {
  const { labels } = useListContext();
  const { id, server } = info;
  const title = titleOf(info, labels);
  if (isRenaming) return <Renaming info={info} acts={acts} />;
  const text = (
    <>
      <span class="conversation-title" dir="auto">
        {title}
      </span>
      <span class="conversation-about">
        {server !== null && <ServerMark server={server} />}
        {about}
      </span>
    </>
  );
  const button = (key: string, name: string, look: "more" | "restore" | "delete", title: string, act: (opener: HTMLElement) => void) => (
    <button
      type="button"
      class="icon-button"
      title={title}
      aria-label={name}
      aria-haspopup={key === "restore" ? undefined : "dialog"}
      data-focus={`${id} ${key}`}
      onClick={({ currentTarget }) => act(currentTarget)}
    >
      <Icon name={look} />
    </button>
  );
  return (
    <li class={`conversation-row of-${kind}`} data-id={id}>
      {kind === "check" ? (
        // A click beside the box counts as one on it. Firefox ignores one on a label with Shift.
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the box
        <label class="conversation" onClick={(event) => acts.choose(info, event)}>
          {/* The list of a server's conversations is the server's. */}
          <input type="checkbox" checked={isSelected} disabled={server !== null} data-stop data-focus={`${id} stop`} />
          <span class="conversation-text">{text}</span>
        </label>
      ) : (
        <Opener conversationId={id} isCurrent={isCurrent}>
          {text}
        </Opener>
      )}
      {kind === "link" && (
        <span class="conversation-tools">
          {button("menu", labels.moreAbout(title), "more", labels.more, (opener) => acts.openMenu(info, opener))}
        </span>
      )}
      {kind === "trash" && (
        <span class="conversation-tools">
          {button("restore", labels.restoreTitle(title), "restore", labels.restore, () => acts.restore(info))}
          {button("forever", labels.deleteForEverTitle(title), "delete", labels.deleteForEver, () => acts.askToDelete(info))}
        </span>
      )}
    </li>
  );
});

interface OpenerProps {
  conversationId: string;
  eventId?: string;
  isCurrent?: boolean;
  children: ComponentChildren;
}

/** A link where the page has addresses for conversations, and a button elsewhere. */
export function Opener({ conversationId, eventId, isCurrent = false, children }: OpenerProps) {
  const { linkOf, open } = useListContext();
  const href = linkOf(conversationId, eventId);
  const id = eventId === undefined ? conversationId : `${conversationId}/${eventId}`;
  const shared = {
    class: "conversation",
    "data-stop": true,
    "data-focus": `${id} stop`,
    onClick: (event: MouseEvent) => open(event, conversationId, eventId),
  };
  return href === undefined ? (
    <button type="button" aria-current={isCurrent ? "true" : undefined} {...shared}>
      {children}
    </button>
  ) : (
    <a href={href} aria-current={isCurrent ? "page" : undefined} {...shared}>
      {children}
    </a>
  );
}

/** Of a copy of a conversation on an agent server. */
function ServerMark({ server }: { server: string }) {
  const { labels } = useListContext();
  const text = labels.onServer(serverOf(server));
  return (
    <span class="conversation-server" title={text}>
      <Icon name="server" />
      <span class="visually-hidden">{text}, </span>
    </span>
  );
}

/** The title is edited in its row. */
function Renaming({ info, acts }: Pick<RowProps, "info" | "acts">) {
  const { labels } = useListContext();
  const input = useRef<HTMLInputElement>(null);
  const isOver = useRef(false);
  const end = (title: string | null): void => {
    if (isOver.current) return;
    isOver.current = true;
    acts.rename(info, title);
  };
  useLayoutEffect(() => {
    input.current!.focus();
    input.current!.select();
  }, []);
  const onKeyDown = (event: KeyboardEvent): void => {
    // Nobody else hears of the keys: Escape may close a drawer, too, and an arrow lead to another row.
    event.stopPropagation();
    if (isOfComposition(event)) return;
    if (event.key === "Enter") end(input.current!.value);
    else if (event.key === "Escape") end(null);
    else return;
    event.preventDefault();
  };
  return (
    <li class="conversation-row renaming" data-id={info.id}>
      <input
        ref={input}
        type="text"
        class="conversation-rename"
        aria-label={labels.newTitle(titleOf(info, labels))}
        defaultValue={info.title ?? ""}
        maxLength={200}
        autocomplete="off"
        data-focus={`${info.id} stop`}
        onKeyDown={onKeyDown}
        onBlur={({ currentTarget }) => end(currentTarget.value)}
      />
    </li>
  );
}
