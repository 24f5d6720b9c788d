// Runs before the page is drawn for the first time, as a classic script in its head.

import { currentRoute } from "./layout/router.ts";

// The URL names a conversation: then the page does not begin with the start view.
if (currentRoute() !== null) document.documentElement.dataset["opens"] = "conversation";
