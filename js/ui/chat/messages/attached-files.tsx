/** @jsxImportSource preact */
// The files of a message. A click opens one from the workspace, where an agent may have changed it: text is shown as text, a
// picture as one, and audio in a player, by the bytes; anything else is saved. Nothing is opened as a page of this origin.
import { useState } from "preact/hooks";
import { type UIAttachment, visibleText } from "../../thread/index.js";
import { useChat } from "../context.js";
import { Icon } from "../controls/icon.js";
import { sentence } from "../controls/failures.js";
import { dataUrl } from "../data-url.js";
import { sizeText } from "../file-size.js";
import { saveFile } from "../save-file.js";
import { PlainText } from "./plain.js";

/** Pictures that browsers show without executing anything in them: no SVG. */
const pictures: ReadonlyArray<readonly [type: string, beginning: RegExp]> = [
  ["image/png", /^\x89PNG\r\n/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8/],
  ["image/webp", /^RIFF[^]{4}WEBP/],
];

const sounds: typeof pictures = [
  ["audio/wav", /^RIFF[^]{4}WAVE/],
  ["audio/mpeg", /^(ID3|\xff[\xe2\xe3\xf2\xf3\xfa\xfb])/],
  ["audio/ogg", /^OggS/],
  ["audio/flac", /^fLaC/],
];

export function AttachedFiles({ files }: { files: readonly UIAttachment[] }) {
  const { labels } = useChat();
  if (files.length === 0) return null;
  return (
    <ul class="attached-files" aria-label={labels.attachedFiles}>
      {files.map((file, index) => (
        <AttachedFile key={index} file={file} />
      ))}
    </ul>
  );
}

type Shown = { text: string } | { picture: string } | { sound: string } | { problem: string } | { saved: true } | null;

function AttachedFile({ file }: { file: UIAttachment }) {
  const { thread, labels, announce } = useChat();
  const [shown, show] = useState<Shown>(null);
  const [bytes, keep] = useState<Uint8Array | null>(null);
  const name = visibleText(file.name);
  const isOpen = shown !== null && !("saved" in shown);
  const open = async (): Promise<void> => {
    if (isOpen) return show(null);
    try {
      const { workspace } = await thread.opened();
      const content = await workspace.read(file.path);
      keep(content);
      const found = await viewOf(content);
      if (found === null) saveFile(content, file.name);
      if (found === null) announce(labels.savedFile(name));
      show(found ?? { saved: true });
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      show({ problem: code === "not_found" ? labels.fileGone(name) : sentence(message) });
    }
  };
  return (
    <li>
      <button
        type="button"
        class="attached-file"
        part="attached-file"
        aria-expanded={isOpen}
        aria-label={labels.openFile(name, sizeText(file.size))}
        title={name}
        onClick={() => void open()}
      >
        <Icon name="file" />
        <span class="attached-name" dir="auto">
          {name}
        </span>{" "}
        <span class="quiet">{sizeText(file.size)}</span>
      </button>
      {file.note === null ? null : <p class="quiet attached-note">{visibleText(file.note)}</p>}
      {shown !== null && "problem" in shown ? (
        <p class="quiet" role="alert">
          {shown.problem}
        </p>
      ) : null}
      {shown !== null && "text" in shown ? (
        <pre class="attached-content" tabIndex={0} role="group" aria-label={name}>
          <PlainText text={shown.text} />
        </pre>
      ) : null}
      {shown !== null && "picture" in shown ? <img class="attached" src={shown.picture} alt={name} /> : null}
      {shown !== null && "sound" in shown ? (
        // biome-ignore lint/a11y/useMediaCaption: a file of the user has no captions.
        <audio class="attached-sound" controls src={shown.sound} aria-label={name} />
      ) : null}
      {isOpen && bytes !== null && !("problem" in shown) ? (
        <button type="button" class="button small" aria-label={labels.saveFileName(name)} onClick={() => saveFile(bytes, file.name)}>
          {labels.saveFile}
        </button>
      ) : null}
    </li>
  );
}

/** `null` for what is not shown here. */
async function viewOf(bytes: Uint8Array): Promise<Shown> {
  const start = String.fromCharCode(...bytes.subarray(0, 12));
  const kind = (types: typeof pictures) => types.find(([, beginning]) => beginning.test(start))?.[0];
  const urlOf = async (type: string | undefined) => (type === undefined ? null : dataUrl(new Blob([bytes as BlobPart], { type })));
  const picture = await urlOf(kind(pictures));
  if (picture !== null) return { picture };
  const sound = await urlOf(kind(sounds));
  if (sound !== null) return { sound };
  if (start.startsWith("%PDF-") || bytes.includes(0)) return null;
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return null;
  }
}
