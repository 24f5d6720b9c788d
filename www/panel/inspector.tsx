/** @jsxImportSource preact */
// The requests, events and states behind the conversation: the library's inspector. It records requests from the page's first idle
// moment on, so that what was asked before somebody looked is there.

import { createElement } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Inspector } from "threadkeep/devtools";
import { explain } from "../layout/failures.ts";
import type { Session } from "../conversation/session.ts";

let recording: Promise<Inspector> | undefined;

/** Without a network at first, the next call tries again. */
function recorded(): Promise<Inspector> {
  recording ??= import("threadkeep/devtools").then(({ inspect }) => inspect());
  recording.catch(() => (recording = undefined));
  return recording;
}

export function startRecording(): void {
  const start = (): void => void recorded().catch(() => undefined);
  if ("requestIdleCallback" in window) requestIdleCallback(start, { timeout: 2000 });
  else setTimeout(start, 500);
}

export function InspectorView({ session: { conversation } }: { session: Session }) {
  const [inspector, setInspector] = useState<Inspector | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => void recorded().then(setInspector, (error: unknown) => setFailure(explain(error).text)), []);
  if (inspector === null) return <p class="quiet">{failure ?? "Loading…"}</p>;
  return (
    <div class="inspector">
      <p class="quiet">Requests are recorded since the page was loaded, without keys. The record is stored nowhere.</p>
      {createElement("threadkeep-inspector", { inspector, conversation })}
    </div>
  );
}
