/** @jsxImportSource preact */
// Edits a message of the user in its place. Sending it begins another branch, or replaces one that waits to be read.
import { isOfComposition } from "../composition.js";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Content, FileContent } from "threadkeep";
import type { Thread, UIMessage } from "../../thread/index.js";
import { useChat } from "../context.js";
import { AttachmentList } from "./attachment-list.js";
import { type Attachment, nextKey } from "./attachments.js";
import { isShownInPlace, sentence } from "./failures.js";
import { textOf } from "./message-text.js";

interface MessageEditorProps {
  thread: Thread;
  message: UIMessage;
  /** Not while the agent works, unless the message waits for it. */
  canSend: boolean;
  close: () => void;
}

export function MessageEditor({ thread, message, canSend, close }: MessageEditorProps) {
  const { labels, announce, followEnd, focusField } = useChat();
  const isQueued = message.state === "queued";
  const [text, setText] = useState(() => textOf(message));
  const [wrong, setWrong] = useState("");
  const [attached, setAttached] = useState(() => attachmentsOf(message));
  const [isBusy, setBusy] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const own = field.current!;
    own.focus();
    own.setSelectionRange(own.value.length, own.value.length);
  }, []);
  useLayoutEffect(() => {
    const own = field.current!;
    own.style.height = "auto";
    own.style.height = `${own.scrollHeight}px`;
  }, [text]);
  const files = [...imagesOf(message), ...attached.map(({ part }) => part as FileContent)];
  const submit = async (): Promise<void> => {
    const words = text.trim();
    if (isBusy || !canSend || (words === "" && files.length === 0)) return;
    setBusy(true);
    setWrong("");
    try {
      // The message with the editor is replaced.
      focusField();
      if (!isQueued) followEnd();
      await thread.editMessage(message.id, [...(words === "" ? [] : [{ type: "text" as const, text: words }]), ...files]);
      if (isQueued) announce(labels.changedQueued);
    } catch (error) {
      setBusy(false);
      if (isShownInPlace(error as never)) setWrong(sentence((error as Error).message));
      field.current?.focus();
    }
  };
  return (
    <form
      class="message-editor"
      aria-busy={isBusy}
      onSubmit={(event) => (event.preventDefault(), void submit())}
      onKeyDown={(event) => {
        if (isOfComposition(event)) return;
        if (event.key === "Escape") close();
        else if (event.key === "Enter" && !event.shiftKey && event.target === field.current && !matchMedia("(pointer: coarse)").matches)
          void submit();
        else return;
        event.preventDefault();
      }}
    >
      <textarea
        ref={field}
        rows={1}
        aria-label={isQueued ? labels.queuedText : labels.messageText}
        aria-invalid={wrong !== ""}
        aria-describedby={`${id}-wrong`}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <AttachmentList
        list={attached}
        onRemove={(each) => (setAttached(attached.filter((other) => other !== each)), field.current?.focus())}
      />
      <p class="wrong" id={`${id}-wrong`} role="alert">
        {wrong}
      </p>
      {!canSend && !isBusy && (
        <p class="quiet" role="status" id={`${id}-why`}>
          {labels.readMeanwhile}
        </p>
      )}
      <div class="buttons">
        <button
          type="submit"
          class="button small primary"
          aria-label={isQueued ? labels.saveQueuedName : labels.sendEditedName}
          aria-disabled={!canSend}
          aria-describedby={canSend ? undefined : `${id}-why`}
        >
          {isQueued ? labels.saveQueued : labels.sendEdited}
        </button>
        <button type="button" class="button small" onClick={close}>
          {labels.cancel}
        </button>
      </div>
    </form>
  );
}

/** The files of a message in the workspace, which stay with it unless the user removes them. */
function attachmentsOf({ attachments, state }: UIMessage): readonly Attachment[] {
  // Those of a message that waits stay where they are.
  return (state === "queued" ? [] : attachments).map(({ path, name, mediaType, size }) => {
    return { key: nextKey(), name, size, part: { type: "file", path, name, mediaType }, preview: null };
  });
}

/** The images of a message, which stay with it. */
function imagesOf({ parts }: UIMessage): Content[] {
  return parts.flatMap((part): Content[] => (part.type === "image" ? [{ type: "image", image_urls: [part.url] }] : []));
}
