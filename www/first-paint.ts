// Runs before the page is drawn for the first time, as a classic script in its head.

import { startTheme } from "./shell/theme.ts";

startTheme();
