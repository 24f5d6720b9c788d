// The entry point of the page: starts all its parts.

import { startBackground } from "./agent/background.ts";
import { removeConversation, startActions } from "./shell/actions.ts";
import { startControl } from "./control/control.tsx";
import { followSession, startConversationList } from "./shell/conversation-list.ts";
import { ignoreComposition } from "./shell/composition.ts";
import { append, byId, el } from "./shell/dom.ts";
import { icon } from "./shell/icons.ts";
import { drawModelLabel, startModelLabel } from "./settings/model-label.ts";
import { report } from "./shell/notices.ts";
import { startOffline } from "./shell/offline.ts";
import { startPanel } from "./panel/panel.tsx";
import { openSettings, openStorage, startSettings } from "./settings/dialog.ts";
import { startBackup } from "./shell/backup.ts";
import { allowScripts } from "./shell/script-urls.ts";
import { startSidebar } from "./shell/sidebar.ts";
import { currentSession, onRemovalRequest, onSession, startStage } from "./shell/stage.ts";
import { startTopbarMenu } from "./shell/topbar-menu.ts";
import { startDropping } from "./shell/transfer.ts";
import { registerRecovery } from "./shell/recoveries.ts";
import { shortcuts } from "./thread/chat.tsx";

addEventListener("unhandledrejection", ({ reason }) => report(reason, { title: "Something in this page went wrong" }));
// Without an error it is a note of the browser, such as one about a ResizeObserver that is called again in the next frame.
addEventListener("error", ({ error }) => error && report(error, { title: "Something in this page went wrong" }));

ignoreComposition();
byId("install-button").prepend(icon("export"));
byId("settings-button").prepend(icon("settings"));
append(byId("open-sidebar"), [icon("menu")]);
append(byId("close-sidebar"), [icon("close")]);
append(byId("menu-button"), [icon("more")]);
registerRecovery("settings", openSettings);
registerRecovery("storage", openStorage);
onRemovalRequest((conversationId) => removeConversation(conversationId));
onSession((session) => {
  drawModelLabel(session);
  followSession(session);
});

append(byId("control-button"), [icon("control"), el("span", { class: "only-wide" }, "Control")]);

allowScripts();
startBackground();
startActions();
startControl(currentSession);
startPanel();
startSidebar();
startSettings();
startDropping();
startModelLabel();
startConversationList();
startTopbarMenu();
startStage();
byId("shortcuts-button").addEventListener("click", () => shortcuts.current?.open());
startBackup().catch((error: unknown) => report(error, { title: "The backup could not go on" }));
startOffline(() => currentSession()?.running === true);
