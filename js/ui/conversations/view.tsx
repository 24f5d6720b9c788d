/** @jsxImportSource preact */
// The list of stored conversations, with its search, its menus and its notices.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import type { ConversationChanges, ConversationInfo, ImportedConversation, Store } from "threadkeep";
import { Announcer } from "../chat/announcer.js";
import { type ConversationList, conversationList } from "../thread/index.js";
import { Acts, serverOf, titleOf } from "./acts.js";
import { ListContext, type ListContextValue } from "./context.js";
import { focusOf, focusRow, restoreFocus, rove, stopsOf } from "./focus.js";
import { folderOf, foldersOf } from "./groups.js";
import { Icon } from "./icons.js";
import { type Importable, importAll } from "./importing.js";
import { type ConversationsLabels, defaultConversationsLabels } from "./labels.js";
import { Menu, type MenuItem, type MenuOptions, Question, type QuestionOptions } from "./menu.js";
import { NoticeList } from "./notice-list.js";
import { Notices } from "./notices.js";
import { Parts } from "./parts.js";
import type { RowActs } from "./row.js";
import { useFound } from "./search.js";
import { markSelected, SelectionBar } from "./selection-bar.js";

export interface Selection {
  /** `null` for a new conversation. */
  conversationId: string | null;
  /** The event to show, of a message that was found. */
  eventId: string | null;
}

export interface ConversationsHandle {
  /** Moves the focus to the search field. */
  search(): void;
  /** What the key Delete does in its row: into the trash, or for good, after a question, what is there or is a server's. */
  deleteConversation(conversationId: string): Promise<void>;
  /** Imports archives, files of other programs and folders, and shows the progress. Resolves when that is over; a failure is shown. */
  importFiles(files: readonly Importable[]): Promise<void>;
}

export interface ConversationsViewProps {
  /** Default: `indexedDBStore()`. */
  store?: Store | undefined;
  /** The conversation that is open; `null` if it is a new one. */
  conversationId?: string | null | undefined;
  /** The user has chosen a conversation. With `false` the link of `linkOf` is followed, as it is without this function. */
  onSelect?: ((selection: Selection) => boolean | void) | undefined;
  /** The address of a conversation or of an event in it, and with `null` of a new conversation. With it the rows are links. */
  linkOf?: ((conversationId: string | null, eventId?: string) => string) | undefined;
  /** Closes a conversation that the page has open, before it is deleted for ever. */
  beforeDelete?: ((conversationId: string) => unknown) | undefined;
  /** Called after the user has changed these, with what `updateConversations()` was given. */
  onUpdate?: ((conversationIds: readonly string[], changes: ConversationChanges) => void) | undefined;
  /** Called after these were deleted for ever. */
  onDelete?: ((conversationIds: readonly string[]) => void) | undefined;
  /** Called after an import, before the conversation of this id is selected. With `false` it is not. */
  onImport?: ((imported: readonly ImportedConversation[], shown: string) => boolean | void) | undefined;
  /** What has been in the trash for so many days is deleted when a page starts. Without it nothing is deleted by itself. */
  trashDays?: number | undefined;
  /** Texts in place of the English ones. */
  labels?: Partial<ConversationsLabels> | undefined;
  handle?: { current: ConversationsHandle | null } | undefined;
  /** Shown below the list. */
  children?: ComponentChildren;
}

/** How many rows of a part are drawn at first, and with each “Show more”; of a folder fewer at first. */
const portion = 100;
const portionOfFolder = 5;

type Dialog = { key: number } & ({ menu: MenuOptions } | { question: QuestionOptions });

export function ConversationsView(props: ConversationsViewProps) {
  const { store, conversationId = null, trashDays } = props;
  const labels = useMemo(() => ({ ...defaultConversationsLabels, ...props.labels }), [props.labels]);
  const [, render] = useReducer<number, void>((count) => count + 1, 0);
  const notices = useMemo(() => new Notices(render), []);
  const announcer = useMemo(() => new Announcer(), []);
  const acts = useMemo(() => new Acts(), []);
  const stored = useList(store, false);
  const trash = useList(store, true);
  const [text, setText] = useState("");
  const sought = text.trim().toLocaleLowerCase();
  const { found, showMore: showMoreMessages } = useFound(sought, store);
  const [selected, setSelected] = useState<ReadonlySet<string> | null>(null);
  /** The parts that are not as they are at first, without and with a search. */
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [most, setMost] = useState<Readonly<Record<string, number>>>({});
  const [renamingId, setRenamingId] = useState<string | null>(null);
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const [isDropping, setDropping] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const begin = useRef<HTMLElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const file = useRef<HTMLInputElement>(null);
  const more = useRef<HTMLButtonElement>(null);
  /** The row that was clicked last: a click with Shift selects from there. */
  const anchor = useRef<string | null>(null);
  /** Moves the focus once the list is drawn. */
  const afterDrawing = useRef<(() => void) | null>(null);

  // While a title is edited in a row, the list stays as it is.
  const shown = useRef({ conversations: stored.conversations, trashed: trash.conversations });
  if (renamingId === null) shown.current = { conversations: stored.conversations, trashed: trash.conversations };
  const { conversations, trashed } = shown.current;
  const isNothing = conversations.length + trashed.length === 0;

  const announce = (sentence: string): void => announcer.announce(sentence, "…");
  const open = (dialog: { menu: MenuOptions } | { question: QuestionOptions }): void =>
    setDialog((before) => ({ key: (before?.key ?? 0) + 1, ...dialog }));
  const close = (key: number): void => setDialog((now) => (now?.key === key ? null : now));
  const select = (id: string | null): void => {
    const isTaken = props.onSelect?.({ conversationId: id, eventId: null });
    if ((isTaken === false || props.onSelect === undefined) && props.linkOf) location.assign(props.linkOf(id));
  };
  const drawThen = (act: () => void): void => {
    afterDrawing.current = act;
    render();
  };
  acts.host = {
    labels,
    store,
    conversationId,
    notices,
    announce,
    refresh: () => Promise.all([stored.refresh(), trash.refresh()]),
    select,
    focus: (id) => drawThen(() => focusRow(list.current!, id)),
    beforeDelete: async (id) => props.beforeDelete?.(id),
    onUpdate: (ids, changes) => props.onUpdate?.(ids, changes),
    onDelete: (ids) => props.onDelete?.(ids),
  };

  const importFiles = (files: readonly Importable[]): Promise<void> =>
    files.length === 0
      ? Promise.resolve()
      : importAll(files, acts, (imported, id) => {
          if (props.onImport?.(imported, id) !== false) select(id);
        });
  if (props.handle)
    props.handle.current = {
      search: () => {
        field.current?.focus();
        field.current?.select();
      },
      deleteConversation: async (id) => {
        const find = () => [...stored.list(), ...trash.list()].find((info) => info.id === id);
        // One that has just begun may not be in the list yet.
        if (find() === undefined) await acts.host.refresh();
        const info = find();
        if (info) remove(info);
      },
      importFiles,
    };

  useEffect(() => {
    if (stored.phase === "failed") acts.report(stored.error, labels.notListed, () => void stored.refresh());
    else notices.remove(labels.notListed);
  }, [stored.phase]);
  // One that is just open must not be deleted under its view.
  const isOldTrashDue = useRef(true);
  useEffect(() => {
    if (trash.phase !== "ready" || !isOldTrashDue.current) return;
    isOldTrashDue.current = false;
    if (trashDays !== undefined && trashed.length > 0 && trashed.every(({ id }) => id !== conversationId))
      void acts.emptyOldTrash(trashDays);
  }, [trash.phase]);
  // A part that has become empty begins folded again.
  const hasArchived = conversations.some(({ archivedAt }) => archivedAt !== null);
  useEffect(() => {
    const empty = [trashed.length === 0 && "trash", !hasArchived && "archived"];
    setToggled((before) =>
      empty.some((part) => part && before.has(part)) ? new Set([...before].filter((each) => !empty.includes(each))) : before,
    );
  }, [trashed.length === 0, hasArchived]);
  // Nothing is left to select.
  useEffect(() => {
    if (conversations.length === 0) setSelected(null);
  }, [conversations.length]);
  // The times in it are relative.
  useEffect(() => {
    const draw = (): void => {
      if (!document.hidden) render();
    };
    document.addEventListener("visibilitychange", draw);
    return () => document.removeEventListener("visibilitychange", draw);
  }, []);

  const focused = focusOf(list.current);
  useLayoutEffect(() => {
    restoreFocus(list.current!, focused, begin.current);
    afterDrawing.current?.();
    afterDrawing.current = null;
    rove(list.current!);
  });

  const rowActs = useRef({} as RowActs).current;
  Object.assign(rowActs, {
    openMenu: (info, opener) => open({ menu: { opener, name: labels.moreAbout(titleOf(info, labels)), items: itemsFor(info, opener) } }),
    choose: choose,
    restore: (info) => void acts.mark([info], "trashed", false),
    askToDelete,
    rename: (info, title) => {
      // Whoever has clicked elsewhere stays there.
      const hadFocus = focusOf(list.current) !== null;
      setRenamingId(null);
      if (hadFocus) drawThen(() => focusRow(list.current!, info.id));
      const wanted = title?.trim() ?? "";
      if (wanted !== "" && wanted !== info.title) void acts.rename(info.id, wanted);
    },
  } satisfies RowActs);

  function itemsFor(info: ConversationInfo, opener: HTMLElement): MenuItem[] {
    const { id, server, pinnedAt, archivedAt } = info;
    // The tags of a conversation that a server runs are the server's.
    if (server !== null) return [{ name: labels.delete, icon: "delete", act: () => askToDelete(info) }];
    return [
      { name: labels.rename, icon: "rename", act: () => setRenamingId(id) },
      { name: pinnedAt === null ? labels.pin : labels.unpin, icon: "pin", act: () => acts.mark([info], "pinned", pinnedAt === null) },
      { name: labels.move, icon: "folder", act: () => openFolders([info], opener) },
      {
        name: archivedAt === null ? labels.archive : labels.unarchive,
        icon: "archive",
        act: () => acts.mark([info], "archived", archivedAt === null),
      },
      { name: labels.delete, icon: "delete", act: () => acts.mark([info], "trashed", true) },
    ];
  }

  /** The folders that there are, and a new one. */
  function openFolders(infos: readonly ConversationInfo[], opener: HTMLElement): void {
    const what = infos.length === 1 ? labels.title(titleOf(infos[0]!, labels)) : labels.several(infos.length);
    const own = new Set(infos.map(folderOf));
    const move = (folder: string | null): void => {
      setSelected(null);
      void acts.move(infos, folder);
    };
    const others = foldersOf(conversations, labels).filter((name) => own.size > 1 || !own.has(name));
    const items: MenuItem[] = others.map((name) => ({ name, icon: "folder", act: () => move(name) }));
    const question = {
      heading: labels.newFolderTitle,
      field: { label: labels.folderName, value: "" },
      action: labels.create,
      act: move,
    };
    items.push({ name: labels.newFolder, icon: "begin", act: () => open({ question }) });
    if (infos.some(folderOf)) items.push({ name: labels.noFolder, icon: "close", act: () => move(null) });
    open({ menu: { opener, name: labels.folderOf(what), items } });
  }

  function openFolderMenu(folder: string, inside: readonly ConversationInfo[], opener: HTMLElement): void {
    const question = {
      heading: labels.renameFolder,
      field: { label: labels.folderName, value: folder },
      action: labels.rename,
      act: (name: string) => name !== folder && acts.move(inside, name),
    };
    const items: MenuItem[] = [
      { name: labels.renameFolder, icon: "rename", act: () => open({ question }) },
      { name: labels.removeFolder, icon: "delete", act: () => acts.move(inside, null) },
    ];
    open({ menu: { opener, name: labels.moreAboutFolder(folder), items } });
  }

  function askToDelete(info: ConversationInfo): void {
    const title = titleOf(info, labels);
    const [heading, text] =
      info.server === null
        ? [labels.deleteQuestion, labels.deleteMeans(title)]
        : [labels.deleteServerQuestion, labels.deleteServerMeans(title, serverOf(info.server))];
    open({ question: { heading, text, action: labels.delete, isDanger: true, act: () => acts.remove(info) } });
  }

  const askToEmptyTrash = (count: number): void =>
    open({
      question: {
        heading: labels.emptyQuestion,
        text: labels.emptyMeans(count),
        action: labels.emptyTrash,
        isDanger: true,
        act: () => acts.emptyTrash(),
      },
    });

  /** Selects a conversation, or no longer; with Shift all between it and the last one, too. */
  function choose({ id, server }: ConversationInfo, event: MouseEvent): void {
    // A click on the label would come again as one on its box.
    if (!(event.target instanceof HTMLInputElement)) event.preventDefault();
    if (selected === null || server !== null) return;
    const ids = stopsOf(list.current!).map((stop) => stop.closest<HTMLElement>("[data-id]")!.dataset["id"]!);
    const [from, to] = event.shiftKey ? [ids.indexOf(anchor.current ?? id), ids.indexOf(id)] : [-1, -1];
    const chosen = from < 0 || to < 0 ? [id] : ids.slice(Math.min(from, to), Math.max(from, to) + 1);
    const next = new Set(selected);
    for (const each of chosen) {
      if (selected.has(id)) next.delete(each);
      else next.add(each);
    }
    anchor.current = id;
    setSelected(next);
    drawThen(() => focusRow(list.current!, id));
  }

  const startSelecting = (): void => {
    anchor.current = null;
    setSelected(new Set());
    drawThen(() => stopsOf(list.current!)[0]?.focus());
  };
  const endSelecting = (): void => {
    const focused = focusOf(list.current);
    setSelected(null);
    // The link of a row takes the focus of its checkbox; whoever has pressed a button of the bar has none left.
    if (focused === null) drawThen(() => more.current?.focus());
  };
  const chosen = conversations.filter(({ id }) => selected?.has(id));

  const key = (part: string): string => (sought === "" ? part : `sought ${part}`);
  const isOpen = (part: string): boolean => {
    const isAtFirst = part.startsWith("folder ") || (part === "archived" && sought !== "");
    return toggled.has(key(part)) !== isAtFirst;
  };
  const toggle = (part: string): void =>
    setToggled((before) => {
      const next = new Set(before);
      if (!next.delete(key(part))) next.add(key(part));
      return next;
    });
  const mostOf = (part: string): number => most[part] ?? (part.startsWith("folder ") && sought === "" ? portionOfFolder : portion);
  /** The first of the further rows gets the focus. */
  const focusFurther = (button: HTMLElement): void => {
    const stops = stopsOf(list.current!);
    const isBefore = (stop: HTMLElement): boolean => Boolean(stop.compareDocumentPosition(button) & Node.DOCUMENT_POSITION_FOLLOWING);
    const before = stops.filter(isBefore).length;
    afterDrawing.current = () => stopsOf(list.current!)[before]?.focus();
  };
  const showMore = (part: string, button: HTMLElement): void => {
    focusFurther(button);
    setMost({ ...most, [part]: mostOf(part) + portion });
  };

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === "Escape" && selected !== null && !(event.target === field.current && text !== "")) {
      // It may close a drawer of the page, too.
      event.stopPropagation();
      return endSelecting();
    }
    const row = (event.target as Element).closest<HTMLElement>("[data-id]");
    if (row === null) return;
    const info = [...conversations, ...trashed].find(({ id }) => id === row.dataset["id"]);
    if (event.key === "F2" && info && info.server === null && info.trashedAt === null && selected === null) {
      event.preventDefault();
      setRenamingId(info.id);
    } else if (info && (event.key === "Delete" || (event.key === "Backspace" && event.metaKey))) {
      event.preventDefault();
      removeSelected(info);
    } else moveFocus(event);
  }

  /** The key Delete means those that are selected, or this one. */
  function removeSelected(info: ConversationInfo): void {
    if (chosen.length === 0) return remove(info);
    endSelecting();
    markSelected(chosen, "trashed", acts);
  }

  function remove(info: ConversationInfo): void {
    if (info.server !== null || info.trashedAt !== null) askToDelete(info);
    else void acts.mark([info], "trashed", true);
  }

  function moveFocus(event: KeyboardEvent): void {
    const stops = stopsOf(list.current!);
    const at = stops.findIndex((stop) => stop.closest("[data-id]")!.contains(event.target as Node));
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: stops.length - 1 }[event.key];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    stops[Math.max(0, Math.min(next, stops.length - 1))]!.focus();
    rove(list.current!);
  }

  const openListMenu = (opener: HTMLElement): void => {
    const items: MenuItem[] = [{ name: labels.import, icon: "import", act: () => file.current?.click() }];
    if (conversations.length > 0) items.unshift({ name: labels.select, icon: "select", act: startSelecting });
    open({ menu: { opener, name: labels.moreAboutList, items } });
  };

  const current = useRef(props);
  current.current = props;
  const context = useMemo<ListContextValue>(
    () => ({
      labels,
      linkOf: (id, eventId) => current.current.linkOf?.(id, eventId),
      open: (event, id, eventId) => {
        // A new tab or window is the browser's.
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button > 0) return;
        const { onSelect } = current.current;
        if (onSelect && onSelect({ conversationId: id, eventId: eventId ?? null }) !== false) event.preventDefault();
      },
    }),
    [labels, props.linkOf],
  );
  const beginning = {
    class: "button primary conversations-begin",
    onClick: (event: MouseEvent) => context.open(event, null),
  };
  const beginningText = (
    <>
      <Icon name="begin" />
      {labels.begin}
    </>
  );
  const carriesFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
  const onDrop = (event: DragEvent): void => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    setDropping(false);
    void importFiles(droppedIn(event.dataTransfer!));
  };

  return (
    <ListContext.Provider value={context}>
      <nav
        class="conversations"
        aria-label={labels.conversations}
        onKeyDown={onKeyDown}
        onDragOver={(event) => carriesFiles(event) && (event.preventDefault(), setDropping(true))}
        onDragLeave={({ currentTarget, relatedTarget }) => currentTarget.contains(relatedTarget as Node | null) || setDropping(false)}
        onDrop={onDrop}
      >
        <h2 class="visually-hidden">{labels.conversations}</h2>
        {props.linkOf ? (
          <a ref={begin as never} href={props.linkOf(null)} {...beginning}>
            {beginningText}
          </a>
        ) : (
          <button ref={begin as never} type="button" {...beginning}>
            {beginningText}
          </button>
        )}
        <div class="conversations-head">
          <input
            ref={field}
            type="search"
            class="conversations-search"
            placeholder={labels.search}
            aria-label={labels.searchName}
            autocomplete="off"
            value={text}
            hidden={isNothing && text === ""}
            onInput={({ currentTarget }) => {
              setText(currentTarget.value);
              setMost({});
            }}
            onKeyDown={(event) => {
              if (event.key !== "Enter" && event.key !== "ArrowDown") return;
              // Otherwise the key would also follow the link.
              event.preventDefault();
              stopsOf(list.current!)[0]?.focus();
              rove(list.current!);
            }}
          />
          {selected === null ? (
            <button
              ref={more}
              type="button"
              class="icon-button"
              title={labels.more}
              aria-label={labels.moreAboutList}
              aria-haspopup="dialog"
              onClick={({ currentTarget }) => openListMenu(currentTarget)}
            >
              <Icon name="more" />
            </button>
          ) : (
            <button type="button" class="button plain small" onClick={endSelecting}>
              {labels.done}
            </button>
          )}
        </div>
        <input
          ref={file}
          type="file"
          accept=".zip,.json,.jsonl,application/zip,application/json"
          multiple
          hidden
          aria-label={labels.filesToImport}
          onChange={({ currentTarget }) => {
            const files = [...(currentTarget.files ?? [])];
            // Choosing the same file again would be no change otherwise.
            currentTarget.value = "";
            void importFiles(files);
          }}
        />
        <div ref={list} class="conversations-list" onFocusIn={() => rove(list.current!)}>
          <Parts
            conversations={conversations}
            trashed={trashed}
            trashDays={trashDays}
            sought={sought}
            found={found}
            showMoreMessages={(button) => (focusFurther(button), showMoreMessages())}
            conversationId={conversationId}
            selected={selected}
            renamingId={renamingId}
            isOpen={isOpen}
            toggle={toggle}
            mostOf={mostOf}
            showMore={showMore}
            openFolderMenu={openFolderMenu}
            askToEmptyTrash={askToEmptyTrash}
            announce={announce}
            acts={rowActs}
          />
          {isNothing && stored.phase !== "loading" && trash.phase !== "loading" && <p class="quiet">{labels.empty}</p>}
        </div>
        {selected !== null && <SelectionBar chosen={chosen} acts={acts} move={openFolders} done={endSelecting} />}
        <NoticeList notices={notices} leave={() => (stopsOf(list.current!)[0] ?? begin.current)?.focus()} />
        {props.children}
        {isDropping && <p class="conversations-drop">{labels.dropHere}</p>}
        {dialog !== null &&
          ("menu" in dialog ? (
            <Menu key={dialog.key} {...dialog.menu} close={() => close(dialog.key)} />
          ) : (
            <Question key={dialog.key} {...dialog.question} close={() => close(dialog.key)} />
          ))}
        <div class="visually-hidden" role="status" aria-live="polite" ref={announcer.setRegion} />
      </nav>
    </ListContext.Provider>
  );
}

/** The list of a store, which is drawn anew when it changes. That of the trash is read later: it is at the end, and folded. */
function useList(store: Store | undefined, trashed: boolean) {
  const list = useMemo<ConversationList>(() => conversationList({ store, trashed }), [store]);
  const [, render] = useReducer<number, void>((count) => count + 1, 0);
  useEffect(() => {
    let stop = (): void => undefined;
    const start = (): void => void (stop = list.subscribe(() => render()));
    const timer = trashed ? setTimeout(start, later) : (start(), undefined);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [list]);
  return { ...list.getSnapshot(), list: () => list.getSnapshot().conversations, refresh: list.refresh };
}

/** In milliseconds. */
const later = 300;

/** The files and folders of a drop, whose entries are gone once its event is over. */
function droppedIn({ items, files }: DataTransfer): Importable[] {
  const entries = [...items].map((item) => item.webkitGetAsEntry());
  const folders = entries.filter((entry): entry is FileSystemDirectoryEntry => entry?.isDirectory === true);
  const all = [...files];
  return [...folders, ...all.filter((_, place) => entries.length !== all.length || entries[place]?.isDirectory !== true)];
}
