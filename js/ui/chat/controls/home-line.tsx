/** @jsxImportSource preact */
// Where the conversation runs, if that is another tab, and what helps when it does not answer.
import { useState } from "preact/hooks";
import type { Thread } from "../../thread/index.js";
import { useChat, useSnapshot } from "../context.js";
import { sentence } from "./failures.js";
import { notify } from "./notices.js";

/** The region is always there, because screen readers miss one that comes with its text. `focus` moves the focus to the field. */
export function HomeLine({ thread, focus }: { thread: Thread; focus: () => void }) {
  const { labels } = useChat();
  const { phase, home, isSilent, conversation } = useSnapshot(thread);
  const [isBusy, setBusy] = useState(false);
  const isElsewhere = phase === "open" && home !== null && home !== "here";
  const takeOver = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    // The button goes away.
    focus();
    await conversation?.takeOver().catch((error: Error) => notify(thread, sentence(error.message)));
    setBusy(false);
  };
  return (
    <p class="home-line" role="status" part="home">
      {isElsewhere && isSilent && (
        <>
          {labels.homeSilent(home)}{" "}
          {home !== "server" && (
            <button type="button" class="button small" aria-disabled={isBusy} onClick={() => void takeOver()}>
              {labels.takeOver}
            </button>
          )}
        </>
      )}
      {isElsewhere && !isSilent && home === "tab" && labels.runsInTab}
    </p>
  );
}
