/** @jsxImportSource preact */
// A file in a dialog: what has changed in it, its content, and buttons to download and remove it. It follows the file while it is open.
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Workspace } from "threadkeep";
import { sentence } from "../chat/controls/failures.js";
import { sizeText } from "../chat/file-size.js";
import { Diff } from "../chat/messages/diff.js";
import { PlainText } from "../chat/messages/plain.js";
import { saveFile } from "../chat/save-file.js";
import { visibleText } from "../thread/visible-text.js";
import { Icon } from "./icons.js";
import type { FilesLabels } from "./labels.js";

interface FileDialogProps {
  path: string;
  workspace: Workspace;
  /** The file is read again with each. */
  version: number;
  /** The files with which it is compared; `null` if it has not changed. */
  before: Workspace | null;
  canRemove: boolean;
  labels: FilesLabels;
  /** Called with what has been done, if something was. */
  onClose: (what?: string) => void;
}

export function FileDialog({ path, workspace, version, before, canRemove, labels, onClose }: FileDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const done = useRef<string | undefined>(undefined);
  /** The content, or why there is none. */
  const [read, setRead] = useState<Uint8Array | string>("");
  const [earlier, setEarlier] = useState<Uint8Array | null>(null);
  const [isContent, showContent] = useState(false);
  const [isAsking, ask] = useState(false);
  useLayoutEffect(() => dialog.current!.showModal(), []);
  useEffect(() => {
    let isCurrent = true;
    const both = [workspace.read(path), before?.read(path).catch(() => null) ?? null] as const;
    Promise.all(both).then(
      ([now, then]) => isCurrent && (setRead(now), setEarlier(then)),
      (error: unknown) => isCurrent && setRead(sentence(error instanceof Error ? error.message : String(error))),
    );
    return () => void (isCurrent = false);
  }, [workspace, version, before, path]);

  const bytes = typeof read === "string" ? null : read;
  const name = path.split("/").at(-1)!;
  const remove = (): void => {
    if (!isAsking) return ask(true);
    workspace.remove(path).then(
      () => {
        done.current = visibleText(labels.wasRemoved(path));
        dialog.current!.close();
      },
      (error: unknown) => setRead(sentence(error instanceof Error ? error.message : String(error))),
    );
  };
  return (
    <dialog
      ref={dialog}
      class="file-dialog"
      aria-labelledby={id}
      onClose={() => onClose(done.current)}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <div class="file-head">
        <h2 id={id}>{visibleText(path)}</h2>
        <button type="button" class="icon-button" aria-label={labels.close} onClick={() => dialog.current!.close()}>
          <Icon name="close" />
        </button>
      </div>
      <div class="file-bar">
        <p class="quiet file-about">{bytes && sizeText(bytes.length)}</p>
        {before !== null && (
          <select
            class="file-which"
            aria-label={labels.show}
            value={isContent ? "content" : "changes"}
            onChange={({ currentTarget }) => showContent(currentTarget.value === "content")}
          >
            <option value="content">{labels.content}</option>
            <option value="changes">{labels.changed}</option>
          </select>
        )}
        {bytes && (
          <button type="button" class="button small" onClick={() => saveFile(bytes, name)}>
            {labels.download}
          </button>
        )}
        {bytes && canRemove && (
          <button type="button" class={`button small ${isAsking ? "danger" : ""}`} onClick={remove}>
            {isAsking ? labels.removeForGood : labels.remove}
          </button>
        )}
      </div>
      <div class="file-content">
        {bytes === null ? <p role="status">{read as string}</p> : null}
        {bytes &&
          (isContent || before === null ? (
            <Content {...{ bytes, name, labels }} />
          ) : (
            <Changes before={earlier} after={bytes} labels={labels} />
          ))}
      </div>
    </dialog>
  );
}

/** `before` is null where there was no file: all of it is new. */
function Changes({ before, after, labels }: { before: Uint8Array | null; after: Uint8Array; labels: FilesLabels }) {
  const [then, now] = [before && textOf(before), textOf(after)];
  if (now === null || (before !== null && then === null)) return <p class="quiet">{labels.onlyTexts}</p>;
  return <Diff before={then} after={now} />;
}

/** As an image, as text, or not at all. The bytes decide, because agents and archives choose the names. */
function Content({ bytes, name, labels }: { bytes: Uint8Array; name: string; labels: FilesLabels }) {
  const type = imageType(bytes);
  const url = useMemo(() => type && URL.createObjectURL(new Blob([bytes as BlobPart], { type })), [bytes]);
  useEffect(() => () => void (url && URL.revokeObjectURL(url)), [url]);
  if (url) return <img src={url} alt={visibleText(name)} />;
  const text = textOf(bytes);
  if (text === null) return <p class="quiet">{labels.neither}</p>;
  if (text === "") return <p class="quiet">{labels.empty}</p>;
  return (
    <pre class="file-text" tabIndex={0} role="group" aria-label={labels.content}>
      <PlainText text={text} />
    </pre>
  );
}

/** Images that browsers show without executing anything in them: no SVG. */
const images: ReadonlyArray<[type: string, at: number, bytes: readonly number[]]> = [
  ["image/png", 0, [0x89, 0x50, 0x4e, 0x47]],
  ["image/jpeg", 0, [0xff, 0xd8, 0xff]],
  ["image/gif", 0, [0x47, 0x49, 0x46, 0x38]],
  ["image/webp", 8, [0x57, 0x45, 0x42, 0x50]],
];

const imageType = (bytes: Uint8Array): string | undefined =>
  images.find(([, at, first]) => first.every((byte, index) => bytes[at + index] === byte))?.[0];

/** Null for other content than text. */
function textOf(bytes: Uint8Array): string | null {
  if (bytes.subarray(0, 8_000).includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
