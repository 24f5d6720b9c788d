/** @jsxImportSource preact */
// The entry point of the page: starts its parts, and draws it.

import { render } from "preact";
import { currentSession, stage, startStage } from "./conversation/stage.ts";
import { recoveryActs } from "./layout/failures.ts";
import { report } from "./layout/notices.tsx";
import { startOffline } from "./layout/offline.ts";
import { Page } from "./layout/page.tsx";
import { exportStored } from "./layout/transfer.tsx";
import { startRecording } from "./panel/inspector.tsx";
import { tellOfServer } from "./server/agent-server.ts";
import { openSettings, openStorage } from "./settings/dialog.tsx";
import { startBackup } from "./storage/backup.ts";

const title = "Something in this page went wrong";
addEventListener("unhandledrejection", ({ reason }) => report(reason, { title }));
// Without an error it is a note of the browser, such as one about a ResizeObserver that is called again in the next frame.
addEventListener("error", ({ error }) => error && report(error, { title }));
// What is dropped beside the list and the message field is not opened in place of this page.
for (const type of ["dragenter", "dragover", "drop"]) addEventListener(type, (event) => event.preventDefault());

/**
 * The only scripts that this page starts by their address: its service worker, and the workers of the library's terminal and its search, and
 * of PDF.js. The page's security policy refuses all others, whatever model output may attempt.
 */
const scripts = ["service-worker.js", "terminal-worker.js", "search-worker.js", "pdf.worker.min.mjs"];

interface Policies {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): unknown;
}

// A policy of this name also applies to the library, which knows nothing of policies.
(globalThis as { trustedTypes?: Policies }).trustedTypes?.createPolicy("default", {
  createScriptURL(url) {
    const { href } = new URL(url, document.baseURI);
    if (scripts.every((name) => href !== new URL(name, document.baseURI).href))
      throw new TypeError(`this page does not start the script ${href}`);
    return href;
  },
});

Object.assign(recoveryActs, {
  settings: openSettings,
  storage: openStorage,
  export: () => {
    const session = currentSession();
    if (session) void exportStored(session.id, session.title);
  },
});
stage.subscribe(() => tellOfServer(currentSession()));

startRecording();
startStage();
startOffline();
startBackup().catch((error: unknown) => report(error, { title: "The backup could not go on" }));

// What index.html has for the first moment makes room.
const place = document.getElementById("page")!;
place.replaceChildren();
render(<Page />, place);
delete document.documentElement.dataset["opens"];
