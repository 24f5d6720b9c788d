/** @jsxImportSource preact */
// The rows of the list in their parts: pinned ones, folders, days, the archive, messages that were found, and the trash.
import type { ComponentChildren } from "preact";
import type { ConversationInfo } from "threadkeep";
import { titleOf } from "./acts.js";
import { useListContext } from "./context.js";
import { FoundMessages } from "./found.js";
import { daysOf, folderOf, foldersOf } from "./groups.js";
import { Icon } from "./icons.js";
import { Row, type RowActs, type RowKind } from "./row.js";
import type { Found } from "./search.js";
import { FoldedSection, More, Section } from "./sections.js";
import { howLongAgo } from "./when.js";

export interface PartsProps {
  conversations: readonly ConversationInfo[];
  trashed: readonly ConversationInfo[];
  /** After how many days in the trash they are deleted, if they are. */
  trashDays: number | undefined;
  /** What is sought in titles, in lower case. */
  sought: string;
  found: Found | null;
  showMoreMessages: (button: HTMLElement) => void;
  conversationId: string | null;
  /** The selected ones, while several are selected. */
  selected: ReadonlySet<string> | null;
  renamingId: string | null;
  isOpen: (part: string) => boolean;
  toggle: (part: string) => void;
  /** How many rows of a part are drawn. */
  mostOf: (part: string) => number;
  showMore: (part: string, button: HTMLElement) => void;
  openFolderMenu: (folder: string, inside: readonly ConversationInfo[], opener: HTMLElement) => void;
  askToEmptyTrash: (count: number) => void;
  announce: (sentence: string) => void;
  acts: RowActs;
}

export function Parts(props: PartsProps) {
  const { conversations, trashed, trashDays, sought, found, selected, isOpen, toggle, mostOf, showMore, acts } = props;
  const { labels } = useListContext();
  const isSought = (info: ConversationInfo): boolean => sought === "" || titleOf(info, labels).toLocaleLowerCase().includes(sought);
  const all = conversations.filter(isSought);
  const listed = all.filter(({ archivedAt }) => archivedAt === null);
  const archived = all.filter(({ archivedAt }) => archivedAt !== null);
  const pinned = listed.filter(({ pinnedAt }) => pinnedAt !== null).sort((one, other) => Number(other.pinnedAt) - Number(one.pinnedAt));
  const others = listed.filter(({ pinnedAt }) => pinnedAt === null);
  const loose = others.filter((info) => folderOf(info) === undefined);
  const deleted = selected ? [] : trashed.filter(isSought).sort((one, other) => Number(other.trashedAt) - Number(one.trashedAt));

  const rows = (infos: readonly ConversationInfo[], kind: RowKind): ComponentChildren =>
    infos.map((info) => (
      <Row
        key={info.id}
        info={info}
        kind={kind}
        about={aboutOf(info)}
        isCurrent={info.id === props.conversationId}
        isSelected={selected?.has(info.id) ?? false}
        isRenaming={info.id === props.renamingId}
        acts={acts}
      />
    ));
  const aboutOf = ({ updatedAt, trashedAt, executionStatus }: ConversationInfo): string =>
    trashedAt !== null
      ? labels.deletedAgo(howLongAgo(trashedAt, labels))
      : [howLongAgo(updatedAt, labels), labels.states[executionStatus]].filter(Boolean).join(" · ");
  const kind = selected ? "check" : "link";
  const more = (part: string, count: number): ComponentChildren => (
    <More part={part} hidden={count - mostOf(part)} show={(button) => showMore(part, button)} />
  );
  const folded = (
    part: string,
    name: string,
    infos: readonly ConversationInfo[],
    { kind: shown = kind, ...rest }: { kind?: RowKind; before?: ComponentChildren; tools?: ComponentChildren } = {},
  ): ComponentChildren =>
    infos.length > 0 && (
      <FoldedSection
        key={part}
        part={part}
        name={name}
        count={infos.length}
        isOpen={isOpen(part)}
        toggle={() => toggle(part)}
        after={more(part, infos.length)}
        {...rest}
      >
        {rows(infos.slice(0, mostOf(part)), shown as RowKind)}
      </FoldedSection>
    );
  const folder = (name: string): ComponentChildren => {
    const inside = others.filter((info) => folderOf(info) === name);
    const openMenu = (opener: HTMLElement): void =>
      props.openFolderMenu(
        name,
        conversations.filter((info) => folderOf(info) === name),
        opener,
      );
    const tools = !selected && (
      <span class="conversation-tools">
        <button
          type="button"
          class="icon-button"
          title={labels.more}
          aria-label={labels.moreAboutFolder(name)}
          aria-haspopup="dialog"
          data-focus={`folder ${name} menu`}
          onClick={({ currentTarget }) => openMenu(currentTarget)}
        >
          <Icon name="more" />
        </button>
      </span>
    );
    return folded(`folder ${name}`, name, inside, { tools });
  };

  return (
    <>
      {pinned.length > 0 && <Section name={labels.pinned}>{rows(pinned, kind)}</Section>}
      {foldersOf(others, labels).map(folder)}
      {daysOf(loose, mostOf("list"), labels).map(({ name, conversations: those }) => (
        <Section key={name} name={name}>
          {rows(those, kind)}
        </Section>
      ))}
      {more("list", loose.length)}
      {folded("archived", labels.archived, archived)}
      {found !== null && selected === null && <FoundMessages found={found} showMore={props.showMoreMessages} announce={props.announce} />}
      {folded("trash", labels.trash, deleted, {
        kind: "trash",
        before: (
          <div class="conversations-trash">
            {trashDays !== undefined && <p class="quiet">{labels.trashMeans(trashDays)}</p>}
            <button type="button" class="button small" data-focus="trash empty" onClick={() => props.askToEmptyTrash(trashed.length)}>
              {labels.emptyTrash}
            </button>
          </div>
        ),
      })}
      {sought !== "" && all.length + deleted.length === 0 && (found === null || (found.hits.length === 0 && found.pending === 0)) && (
        <p class="quiet conversations-none" role="status">
          {labels.noTitle}
        </p>
      )}
    </>
  );
}
