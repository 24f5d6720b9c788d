/** @jsxImportSource preact */
// The files of the conversation: a tree of them, what has changed since the conversation began, and adding by a button or by dropping.

import { useEffect, useRef, useState } from "preact/hooks";
import type { FileDifference, Workspace, WorkspaceEntry } from "threadkeep";
import { sizeText } from "../files/size.ts";
import { nameOf as nameOfServer } from "../settings/agent-server.ts";
import { explain } from "../shell/failures.ts";
import type { Session } from "../thread/session.ts";
import { FileDialog } from "./file-dialog.tsx";
import { Icon } from "./icon.tsx";

/** A directory with more entries shows only the first ones. */
const MOST_ENTRIES = 500;
/** Many files may change at once. In milliseconds. */
const TOGETHER = 50;

interface Changes {
  /** The files as they were when the conversation began; `null` where nobody keeps them. */
  beginning: Workspace | null;
  differences: readonly FileDifference[];
}

const NOTHING: Changes = { beginning: null, differences: [] };

export function FilesView({ session }: { session: Session }) {
  const { conversation, home, server } = session;
  const { workspace } = conversation;
  const isElsewhere = home === "tab" || home === "worker";
  const [version, setVersion] = useState(0);
  const [{ beginning, differences }, setChanges] = useState(NOTHING);
  const [open, setOpen] = useState<string | null>(null);
  const [said, setSaid] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const read = (): void => setVersion((last) => last + 1);

  useEffect(() => {
    let timer = 0;
    const soon = (): void => {
      clearTimeout(timer);
      timer = window.setTimeout(read, TOGETHER);
    };
    soon();
    const stopWatching = workspace.watch(soon);
    return () => {
      stopWatching();
      clearTimeout(timer);
    };
  }, [workspace, conversation.events.length]);
  useEffect(() => {
    let isCurrent = true;
    void changesOf(session).then((found) => isCurrent && setChanges(found));
    return () => void (isCurrent = false);
  }, [workspace, version]);

  const add = async (files: readonly File[]): Promise<void> => {
    if (isElsewhere) return;
    try {
      for (const file of files) {
        if (await workspace.stat(file.name)) throw new Error(`there is already a file ${file.name} here: remove it first`);
        await workspace.write(file.name, new Uint8Array(await file.arrayBuffer()));
      }
      setSaid(files.length === 1 ? "Added 1 file." : `Added ${files.length} files.`);
    } catch (error) {
      setSaid(explain(error).text);
    }
    read();
  };
  const removed = differences.filter(({ type }) => type === "removed").map(({ path }) => path);
  return (
    // A file that is dropped here is added, and not attached to the next message.
    <section
      class="files"
      aria-labelledby="files-heading"
      data-drop="files"
      onDrop={(event) => {
        event.preventDefault();
        void add([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <h3 id="files-heading">{server === null ? "Files of this conversation" : `Files on ${nameOfServer(server)}`}</h3>
      <Folder path="" {...{ workspace, version, differences }} open={setOpen} />
      {removed.length > 0 && <p class="quiet">Removed: {removed.join(", ")}.</p>}
      {isElsewhere ? (
        <p class="quiet">{ELSEWHERE[home]}</p>
      ) : (
        <>
          <button type="button" class="button small" onClick={() => input.current!.click()}>
            Add files…
          </button>
          <input
            ref={input}
            type="file"
            multiple
            hidden
            aria-label="Files to add"
            onChange={({ currentTarget }) => {
              void add([...(currentTarget.files ?? [])]);
              currentTarget.value = ""; // or choosing the same file again would be no change
            }}
          />
          <p class="quiet">Or drop them here. They {server === null ? "stay on this device" : "are stored on the server"}.</p>
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
          canRemove={!isElsewhere}
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

const ELSEWHERE = {
  tab: "The agent runs in another tab: there, files can be added and changed.",
  worker: "The agent runs in the background: attach files to a message to add them.",
} as const;

/** A conversation keeps versions of its own files; nobody keeps those of a server. */
async function changesOf({ conversation }: Session): Promise<Changes> {
  const { workspace, events } = conversation;
  try {
    const [first, [last]] = await Promise.all([events.getId(0), conversation.activeBranch({ limit: 1 })]);
    const [beginning, differences] = await Promise.all([workspace.at(first), workspace.changes(first, last!.id)]);
    return { beginning, differences };
  } catch {
    return NOTHING;
  }
}

interface Shown {
  workspace: Workspace;
  /** The directory is listed again with each. */
  version: number;
  differences: readonly FileDifference[];
  open: (path: string) => void;
}

function Folder({ path, ...shown }: Shown & { path: string }) {
  const { workspace, version } = shown;
  const [listed, setListed] = useState<WorkspaceEntry[] | string | null>(null);
  useEffect(() => {
    let isCurrent = true;
    workspace.list(path).then(
      (entries) => isCurrent && setListed(entries.sort(inOrder)),
      (error: unknown) => isCurrent && setListed(explain(error).text),
    );
    return () => void (isCurrent = false);
  }, [workspace, version, path]);
  if (!Array.isArray(listed)) return <p class="quiet">{listed}</p>;
  if (path === "" && listed.length === 0) return <p class="quiet">No files yet. The agent can make some, and you can add yours.</p>;
  const left = listed.length - MOST_ENTRIES;
  return (
    <ul class="tree" aria-label={nameOf(path) || "Files"}>
      {listed.slice(0, MOST_ENTRIES).map((entry) => (
        <li key={entry.path}>{entry.type === "file" ? <FileRow {...entry} {...shown} /> : <Subfolder path={entry.path} {...shown} />}</li>
      ))}
      {left > 0 && <li class="quiet">and {left.toLocaleString()} more</li>}
    </ul>
  );
}

const inOrder = (a: WorkspaceEntry, b: WorkspaceEntry): number =>
  a.type === b.type ? a.path.localeCompare(b.path) : a.type === "directory" ? -1 : 1;

function FileRow({ path, size, differences, open }: Shown & { path: string; size: number }) {
  const difference = differences.find((each) => each.path === path);
  return (
    <button type="button" class="tree-row" data-path={path} onClick={() => open(path)}>
      <Icon name="file" />
      <span class="tree-name">{nameOf(path)}</span>
      {difference && <span class="badge">{difference.type}</span>}
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
        <span class="tree-name">{nameOf(path)}</span>
      </summary>
      {isOpen && <Folder path={path} {...shown} />}
    </details>
  );
}

const nameOf = (path: string): string => path.split("/").at(-1)!;
