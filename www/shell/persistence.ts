// Asks the browser to keep what is stored, when there is something to lose: the first message of the user was answered.

import { requestPersistence } from "threadkeep";

let isAsked = false;

/**
 * Only Chromium, which alone has `userAgentData`, is asked without a click: it decides by itself and shows nothing. Firefox would ask
 * the user, who has not asked for anything; there the settings have a button. Once in a page, as the browser may decide otherwise later.
 */
export function askForPersistence(): void {
  if (isAsked || !("userAgentData" in navigator)) return;
  isAsked = true;
  void requestPersistence();
}
