/** @jsxImportSource preact */
// The storage of this page: its size, whether the browser keeps it, and the conversations that take up most of it, to be opened, exported or
// deleted.

import { useEffect, useRef, useState } from "preact/hooks";
import { Conversation, type ConversationSize, requestPersistence, type StorageStatus, storageStatus } from "threadkeep";
import { visibleText } from "threadkeep/thread";
import { deleteConversation } from "../conversation/stage.ts";
import { ask } from "../layout/dialogs.tsx";
import { explain } from "../layout/failures.ts";
import { Icon } from "../layout/icons.tsx";
import { currentRoute, goTo, hrefOf } from "../layout/router.ts";
import { exportStored } from "../layout/transfer.tsx";
import { nameOf } from "../server/agent-server.ts";
import { Backup } from "./backup-view.tsx";
import { sizeText } from "./size.ts";

/** How many conversations are shown. */
const most = 5;
/** A sentence about what was done. */
export type Outcome = [text: string, state: "good" | "bad"];

export function Storage() {
  const place = useRef<HTMLDivElement>(null);
  const [status, setStatus] = useState<StorageStatus | null>(null);
  const [sizes, setSizes] = useState<readonly ConversationSize[] | null>(null);
  const [wrong, setWrong] = useState("");
  const [[text, state], tell] = useState<Outcome>(["", "good"]);

  const measure = async (signal?: AbortSignal): Promise<void> => {
    try {
      setStatus(await storageStatus({ conversations: false }));
      const measured = await storageStatus(signal ? { signal } : {});
      setStatus(measured);
      setSizes(measured.conversations);
    } catch (error) {
      if (!signal?.aborted) setWrong(`The conversations could not be measured. ${explain(error).text}`);
    }
  };
  useEffect(() => {
    const closed = new AbortController();
    void measure(closed.signal);
    return () => closed.abort();
  }, []);
  // Somebody who was led here shall see all of it.
  useEffect(() => void (document.activeElement === place.current && place.current!.scrollIntoView({ block: "start" })), [sizes]);

  const protect = async (): Promise<void> => {
    const isKept = await requestPersistence();
    setStatus(await storageStatus({ conversations: false }));
    if (isKept) tell(["The browser keeps it.", "good"]);
    else tell(["It did not agree to protect it; browsers do so for pages that are installed or visited often.", "bad"]);
  };
  const exportIt = async (id: string, name: string): Promise<void> => {
    tell([`Exporting “${name}”…`, "good"]);
    const isDone = await exportStored(id, name);
    tell(isDone ? [`“${name}” is in your downloads.`, "good"] : [`“${name}” could not be exported.`, "bad"]);
  };
  const deleteIt = async (id: string, name: string): Promise<void> => {
    const server = (await Conversation.list()).find((each) => each.id === id)?.server;
    const what = server
      ? `The copy of “${name}” on this device is deleted, and this page does not list the conversation any more. On ${nameOf(server)} it stays.`
      : `“${name}” is stored on this device only. Once deleted it cannot be brought back, except from an export.`;
    if (!(await ask("Delete this conversation?", <p>{what}</p>, { value: "delete", name: "Delete", look: "danger" }))) return;
    try {
      await deleteConversation(id);
      if (currentRoute()?.conversationId === id) goTo(null);
      tell([`“${name}” was deleted.`, "good"]);
    } catch (error) {
      tell([`“${name}” could not be deleted. ${explain(error).text}`, "bad"]);
    }
    await measure();
    // The button that had the focus is gone.
    place.current?.focus();
  };

  const others = sizes?.slice(most) ?? [];
  const bytes = others.reduce((sum, each) => sum + each.bytes, 0);
  return (
    <div ref={place} class="storage" tabIndex={-1}>
      <p class="quiet" aria-live="polite">
        Everything is stored on this device, in this browser. {status && sentences(status)}
      </p>
      {status?.persisted === false && (
        <button type="button" class="button small" onClick={() => void protect()}>
          Ask the browser to protect it
        </button>
      )}
      <p class="outcome" role="status" data-state={state}>
        {text}
      </p>
      {"showDirectoryPicker" in globalThis && <Backup />}
      <h3 id="largest-heading" hidden={!sizes?.length}>
        Largest conversations
      </h3>
      <ul class="largest" aria-labelledby="largest-heading" hidden={!sizes?.length}>
        {sizes?.slice(0, most).map((size) => (
          <Row key={size.id} {...{ size, exportIt, deleteIt }} />
        ))}
      </ul>
      <p class="quiet" aria-live="polite">
        {wrong ||
          (sizes === null
            ? "Measuring the conversations…"
            : others.length > 0 && `And ${others.length} more with ${sizeText(bytes)} together.`)}
      </p>
    </div>
  );
}

interface RowProps {
  size: ConversationSize;
  exportIt: (id: string, name: string) => Promise<void>;
  deleteIt: (id: string, name: string) => Promise<void>;
}

function Row({ size: { id, title, bytes }, exportIt, deleteIt }: RowProps) {
  const name = visibleText(title ?? "Untitled conversation");
  return (
    <li>
      {/* The dialog does not cover where it leads. */}
      <a href={hrefOf(id)} onClick={({ currentTarget }) => currentTarget.closest("dialog")!.close()}>
        {name}
      </a>
      <span class="quiet">{sizeText(bytes)}</span>
      <button type="button" class="icon-button" aria-label={`Export “${name}”`} onClick={() => void exportIt(id, name)}>
        <Icon name="export" />
      </button>
      <button type="button" class="icon-button" aria-label={`Delete “${name}”`} onClick={() => void deleteIt(id, name)}>
        <Icon name="delete" />
      </button>
    </li>
  );
}

/** The quota is a limit of the browser, and says nothing about the room on the disk: see docs/keeping.md. */
function sentences({ persisted, usage, quota }: StorageStatus): string {
  const used = usage === null ? "" : `It takes up ${sizeText(usage)}. `;
  const limit = quota === null ? "" : `The browser's limit is ${sizeText(quota)}, if the disk has that much room. `;
  if (persisted === null) return used + limit;
  const promise = persisted
    ? "has promised not to clear it when the disk runs full."
    : "may clear it when the disk runs full, so export what you want to keep.";
  return `${used}${limit}The browser ${promise}`;
}

let isAsked = false;

/**
 * Asks the browser to keep what is stored, once in a page, when there is something to lose. Only Chromium, which alone has `userAgentData`, is
 * asked without a click: it decides by itself and shows nothing. Firefox would ask the user, who has not asked for anything.
 */
export function askForPersistence(): void {
  if (isAsked || !("userAgentData" in navigator)) return;
  isAsked = true;
  void requestPersistence();
}
