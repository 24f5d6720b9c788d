// Runs before the page is drawn for the first time, as a classic script in its head.

import { currentRoute } from "./shell/router.ts";
import { startTheme } from "./shell/theme.ts";

startTheme();
// The URL names a conversation: then the page does not begin with the start view.
if (currentRoute() !== null) document.documentElement.dataset["opens"] = "conversation";
