// The entry point of the page: starts all its parts.

import { removeConversation, startActions } from "./actions.ts";
import { startControl } from "./control-dialog.ts";
import { startConversationList } from "./conversation-list.ts";
import { append, byId, el } from "./dom.ts";
import { icon } from "./icons.ts";
import { startModelLabel } from "./model-label.ts";
import { report } from "./notices.ts";
import { startOffline } from "./offline.ts";
import { startPanel } from "./panel.ts";
import { openSettings, startSettings } from "./settings-dialog.ts";
import { allowScripts } from "./script-urls.ts";
import { startSidebar } from "./sidebar.ts";
import { currentSession, onRemovalRequest, startStage } from "./stage.ts";
import { startImport } from "./transfer.ts";
import { registerRecovery } from "./recoveries.ts";

addEventListener("unhandledrejection", ({ reason }) => report(reason, { title: "Something in this page went wrong" }));
addEventListener("error", ({ error, message }) => report(error ?? message, { title: "Something in this page went wrong" }));

byId("import-button").prepend(icon("import"));
byId("install-button").prepend(icon("export"));
byId("settings-button").prepend(icon("settings"));
append(byId("open-sidebar"), [icon("menu")]);
append(byId("close-sidebar"), [icon("close")]);
registerRecovery("settings", openSettings);
onRemovalRequest(removeConversation);

append(byId("control-button"), [icon("control"), el("span", { class: "only-wide" }, "Control")]);

allowScripts();
startActions();
startControl(currentSession);
startPanel();
startSidebar();
startSettings();
startImport();
startModelLabel();
startConversationList();
startStage();
startOffline(() => currentSession()?.running === true);
