// Asks for the passphrase of the stored key until it fits or the user has enough.

import { askPassphrase } from "./dialogs.ts";
import { notify } from "./notices.ts";
import { unlockKey } from "./settings.ts";

export async function askUnlock(): Promise<void> {
  for (let isWrong = false; ; isWrong = true) {
    const passphrase = await askPassphrase(isWrong);
    if (passphrase === null) return;
    if (await unlockKey(passphrase)) return notify("The key is unlocked until the page closes.");
  }
}
