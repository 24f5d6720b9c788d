/** @jsxImportSource preact */
// The page: the list of conversations, the one that is open or the reason why it cannot be opened, and the panel beside it.

import { useMemo, useRef } from "preact/hooks";
import { ThreadkeepError } from "threadkeep";
import { Foot } from "../control/foot.tsx";
import { offerBranch, open, stage } from "../conversation/stage.ts";
import { Panel, panel } from "../panel/panel.tsx";
import { Chat, composer, labels } from "./chat.tsx";
import { Dialogs } from "./dialogs.tsx";
import { explain } from "./failures.ts";
import { Notices } from "./notices.tsx";
import { hrefOf } from "./router.ts";
import { drawer, Sidebar } from "./sidebar.tsx";
import { Topbar } from "./topbar.tsx";
import { useValue } from "./value.ts";

export function Page() {
  const shown = useValue(stage);
  const { session, thread, failure, route } = shown;
  const isDrawn = useValue(drawer);
  const hasPanel = useValue(panel) !== null && session !== null;
  const eventId = route?.eventId ?? null;
  const count = useRef(0);
  // Another thread has nothing of the last one's view.
  const key = useMemo(() => (count.current += 1), [thread]);
  // It follows its thread by itself.
  const chat = useMemo(() => thread && <Chat {...{ key, thread, eventId }} onMissing={offerBranch} />, [thread, eventId]);
  return (
    <div class={`page ${hasPanel ? "with-panel" : ""}`}>
      {/* No link to an anchor, which would change the hash and so the route. */}
      <button type="button" class="skip-link" id="skip-link" onClick={() => composer.focus()}>
        Skip to the message field
      </button>
      <Sidebar conversationId={route?.conversationId ?? null} />
      <div class="stage" id="stage" inert={isDrawn}>
        <Topbar stage={shown} />
        <Notices />
        <main class="chat" id="chat">
          {failure ? <Failure error={failure.error} /> : chat}
        </main>
        <Foot session={session} />
      </div>
      {session !== null && <Panel session={session} />}
      <Dialogs />
    </div>
  );
}

/** In place of a conversation that cannot be opened. */
function Failure({ error }: { error: unknown }) {
  const { title, text } = explain(error);
  const isGone = error instanceof ThreadkeepError && error.code === "not_found";
  return (
    <div class="main">
      <div class="scroller" tabIndex={0} role="region" aria-label={labels.messages}>
        <div class="column">
          <section class="start" role="alert">
            <h2>{title}</h2>
            <p class="start-text">{text}</p>
            <div class="buttons">
              {!isGone && (
                <button type="button" class="button primary" onClick={() => void open()}>
                  Try again
                </button>
              )}
              <a href={hrefOf(null)} class={isGone ? "button primary" : "button"}>
                Start a conversation
              </a>
            </div>
          </section>
        </div>
      </div>
    </div>
  );
}
