/** @jsxImportSource preact */
// The files of a conversation: a tree of them, what has changed since the conversation began, and adding by a button or by dropping.
import { useEffect, useId, useMemo, useReducer, useRef, useState } from "preact/hooks";
import type { Conversation, FileDifference, Workspace, WorkspaceEntry } from "threadkeep";
import { sentence } from "../chat/controls/failures.js";
import { sizeText } from "../chat/file-size.js";
import { visibleText } from "../thread/visible-text.js";
import { FileDialog } from "./file-dialog.js";
import { Icon } from "./icons.js";
import { defaultFilesLabels, type FilesLabels } from "./labels.js";

export interface FilesViewProps {
  /** The conversation whose files are shown: its own, or those of the workspace that it was opened with. */
  conversation: Conversation;
  /** Texts in place of the English ones. */
  labels?: Partial<FilesLabels> | undefined;
}

/** A directory with more entries shows only the first ones. */
const mostEntries = 500;
/** Many files may change at once. In milliseconds. */
const together = 50;

interface Changes {
  /** The files as they were when the conversation began; `null` where nobody keeps them. */
  beginning: Workspace | null;
  differences: readonly FileDifference[];
}

const nothing: Changes = { beginning: null, differences: [] };

/** The files of a conversation, which can be looked at, added and removed. */
export function FilesView({ conversation, labels }: FilesViewProps) {
  const { workspace, home } = conversation;
  const texts = useMemo<FilesLabels>(() => ({ ...defaultFilesLabels, ...labels }), [labels]);
  const elsewhere = texts.elsewhere[home];
  const [, redraw] = useReducer<number, void>((count) => count + 1, 0);
  const [version, setVersion] = useState(0);
  const [{ beginning, differences }, setChanges] = useState(nothing);
  const [open, setOpen] = useState<string | null>(null);
  const [said, setSaid] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const read = (): void => setVersion((last) => last + 1);

  useEffect(() => {
    let timer = 0;
    const soon = (): void => {
      clearTimeout(timer);
      timer = window.setTimeout(read, together);
    };
    soon();
    const stopWatching = workspace.watch(soon);
    const unsubscribe = conversation.subscribe((event) => {
      // Where the agent runs decides who may change files.
      if (event.kind === "ConversationStateUpdateEvent" && event.key === "home") redraw();
      // Of a conversation that another tab runs only the events tell of changes.
      if ("id" in event) soon();
    });
    return () => {
      stopWatching();
      unsubscribe();
      clearTimeout(timer);
    };
  }, [conversation, workspace]);
  useEffect(() => {
    let isCurrent = true;
    void changesOf(conversation).then((found) => isCurrent && setChanges(found));
    return () => void (isCurrent = false);
  }, [workspace, version]);

  const add = async (files: readonly File[]): Promise<void> => {
    if (elsewhere) return;
    try {
      for (const file of files) {
        if (await workspace.stat(file.name)) throw new Error(texts.isThere(file.name));
        await workspace.write(file.name, new Uint8Array(await file.arrayBuffer()));
      }
      setSaid(texts.added(files.length));
    } catch (error) {
      setSaid(textOf(error));
    }
    read();
  };
  const removed = differences.filter(({ type }) => type === "removed").map(({ path }) => path);
  return (
    <section
      class="files"
      aria-labelledby={id}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void add([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <h3 id={id}>{texts.files}</h3>
      <Folder path="" {...{ workspace, version, differences }} labels={texts} open={setOpen} />
      {removed.length > 0 && <p class="quiet">{visibleText(texts.removed(removed))}</p>}
      {elsewhere ? (
        <p class="quiet">{elsewhere}</p>
      ) : (
        <>
          <button type="button" class="button small" onClick={() => input.current!.click()}>
            {texts.add}
          </button>
          <input
            ref={input}
            type="file"
            multiple
            hidden
            aria-label={texts.filesToAdd}
            onChange={({ currentTarget }) => {
              void add([...(currentTarget.files ?? [])]);
              currentTarget.value = ""; // or choosing the same file again would be no change
            }}
          />
          <p class="quiet">{texts.dropHere}</p>
        </>
      )}
      <p class="quiet" role="status">
        {said}
      </p>
      {open !== null && (
        <FileDialog
          path={open}
          workspace={workspace}
          version={version}
          before={differences.some(({ path }) => path === open) ? beginning : null}
          canRemove={!elsewhere}
          labels={texts}
          onClose={(what) => {
            setOpen(null);
            if (what !== undefined) setSaid(what);
            read();
          }}
        />
      )}
    </section>
  );
}

const textOf = (error: unknown): string => sentence(error instanceof Error ? error.message : String(error));

/** A conversation keeps versions of its own files; nobody keeps those of a server. */
async function changesOf(conversation: Conversation): Promise<Changes> {
  const { workspace, events } = conversation;
  try {
    const [first, [last]] = await Promise.all([events.getId(0), conversation.activeBranch({ limit: 1 })]);
    const [beginning, differences] = await Promise.all([workspace.at(first), workspace.changes(first, last!.id)]);
    return { beginning, differences };
  } catch {
    return nothing;
  }
}

interface Shown {
  workspace: Workspace;
  /** The directory is listed again with each. */
  version: number;
  differences: readonly FileDifference[];
  labels: FilesLabels;
  open: (path: string) => void;
}

function Folder({ path, ...shown }: Shown & { path: string }) {
  const { workspace, version, labels } = shown;
  const [listed, setListed] = useState<WorkspaceEntry[] | string | null>(null);
  useEffect(() => {
    let isCurrent = true;
    workspace.list(path).then(
      (entries) => isCurrent && setListed(entries.sort(inOrder)),
      (error: unknown) => isCurrent && setListed(textOf(error)),
    );
    return () => void (isCurrent = false);
  }, [workspace, version, path]);
  if (!Array.isArray(listed)) return <p class="quiet">{listed}</p>;
  if (path === "" && listed.length === 0) return <p class="quiet">{labels.none}</p>;
  const left = listed.length - mostEntries;
  return (
    <ul class="tree" aria-label={visibleText(nameOf(path)) || labels.files}>
      {listed.slice(0, mostEntries).map((entry) => (
        <li key={entry.path}>{entry.type === "file" ? <FileRow {...entry} {...shown} /> : <Subfolder path={entry.path} {...shown} />}</li>
      ))}
      {left > 0 && <li class="quiet">{labels.more(left)}</li>}
    </ul>
  );
}

const inOrder = (a: WorkspaceEntry, b: WorkspaceEntry): number =>
  a.type === b.type ? a.path.localeCompare(b.path) : a.type === "directory" ? -1 : 1;

function FileRow({ path, size, differences, labels, open }: Shown & { path: string; size: number }) {
  const difference = differences.find((each) => each.path === path);
  return (
    <button type="button" class="tree-row" data-path={path} onClick={() => open(path)}>
      <Icon name="file" />
      <span class="tree-name">{visibleText(nameOf(path))}</span>
      {difference && <span class="badge">{labels.changes[difference.type]}</span>}
      <span class="quiet">{sizeText(size)}</span>
    </button>
  );
}

/** Its entries are listed while it is open. */
function Subfolder({ path, ...shown }: Shown & { path: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary class="tree-row" data-path={path}>
        <Icon name="folder" />
        <span class="tree-name">{visibleText(nameOf(path))}</span>
      </summary>
      {isOpen && <Folder path={path} {...shown} />}
    </details>
  );
}

const nameOf = (path: string): string => path.split("/").at(-1)!;
