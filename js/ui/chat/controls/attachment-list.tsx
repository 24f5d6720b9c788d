/** @jsxImportSource preact */
// The files of the next message, above its text.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { FileContent, FilePreview } from "threadkeep";
import type { Thread } from "../../thread/index.js";
import { useChat, useSnapshot } from "../context.js";
import { sizeText } from "../file-size.js";
import { type Attachment, mostAttachments, readAttachment } from "./attachments.js";
import { Icon } from "./icon.js";
import type { ControlLabels } from "./labels.js";

export function AttachmentList({ list, onRemove }: { list: readonly Attachment[]; onRemove: (each: Attachment) => void }) {
  const { labels, thread } = useChat();
  const forms = useForms(thread, list);
  if (list.length === 0) return null;
  return (
    <ul class="attachments" aria-label={labels.attachments}>
      {list.map((each) => (
        <li key={each.key}>
          {each.preview === null ? <Icon name="file" /> : <img src={each.preview} alt={labels.previewOf(each.name)} />}
          <span class="attachment-name" title={each.name}>
            {each.name}
          </span>
          {each.preview === null ? <span class="quiet attachment-size">{sizeText(each.size)}</span> : null}
          {forms.has(each.key) ? <span class="quiet attachment-form">{forms.get(each.key)}</span> : null}
          <button type="button" class="icon-button" aria-label={labels.remove(each.name)} onClick={() => onRemove(each)}>
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The form in which the current model would get each file, as a text; unknown without a conversation, and where it cannot be told. */
function useForms(thread: Thread, list: readonly Attachment[]): ReadonlyMap<number, string> {
  const { labels } = useChat();
  const { conversation } = useSnapshot(thread);
  const [forms, show] = useState<ReadonlyMap<number, string>>(new Map());
  const model = JSON.stringify(conversation?.state.agent?.llm ?? null);
  useEffect(() => {
    let isOver = false;
    const files = list.filter(({ part }) => !(part instanceof Blob) && part.type === "file");
    const preview = async (): Promise<void> => {
      const found = files.length === 0 ? [] : await conversation?.previewFiles(files.map(({ part }) => part as FileContent));
      const text = ({ form, note }: FilePreview): string => labels.fileForm(labels.fileForms[form], note);
      if (!isOver) show(new Map(found?.map((each, index) => [files[index]!.key, text(each)])));
    };
    // The list is as useful without it.
    preview().catch(() => !isOver && show(new Map()));
    return () => void (isOver = true);
  }, [conversation, list, model]);
  return forms;
}

export interface Attachments {
  list: readonly Attachment[];
  /** Resolves to the sentences that say which files are refused, or to `""`. */
  add(files: readonly Blob[], isOnServer: boolean, labels: ControlLabels, announce: (sentence: string) => void): Promise<string>;
  remove(each: Attachment): void;
  /** Empties the list. */
  take(): readonly Attachment[];
  /** After a message could not be sent. Nothing happens if another conversation is shown by now. */
  giveBack(conversationId: string | null, taken: readonly Attachment[]): void;
}

/** The files of the next message of this conversation. They are not kept over a reload. */
export function useAttachments(conversationId: string | null): Attachments {
  const [list, show] = useState<readonly Attachment[]>([]);
  const current = useRef({ list, of: conversationId });
  /** Files stay in the order in which they were added, also if a later one is read sooner. */
  const last = useRef<Promise<unknown>>(Promise.resolve());
  const set = (next: readonly Attachment[]): void => show((current.current.list = next));
  useLayoutEffect(() => {
    const { of } = current.current;
    current.current.of = conversationId;
    if (of !== null && of !== conversationId) set([]);
  }, [conversationId]);
  return {
    list,
    async add(files, isOnServer, labels, announce) {
      const { of } = current.current;
      const free = mostAttachments - current.current.list.length;
      const reading = Promise.all([last.current, ...files.slice(0, free).map((file) => readAttachment(file, labels, isOnServer))]);
      last.current = reading;
      const [, ...read] = await reading;
      // Another conversation is shown by now.
      if (of !== null && of !== current.current.of) return "";
      const taken = read.filter((each) => typeof each !== "string");
      set([...current.current.list, ...taken]);
      for (const { name } of taken) announce(labels.attached(name));
      return [
        ...read.filter((each) => typeof each === "string"),
        ...(files.length > free ? [labels.refusedMany(mostAttachments)] : []),
      ].join(" ");
    },
    remove: (each) => set(current.current.list.filter((other) => other !== each)),
    take() {
      const { list } = current.current;
      set([]);
      return list;
    },
    giveBack: (of, taken) => of === current.current.of && set([...taken, ...current.current.list]),
  };
}
