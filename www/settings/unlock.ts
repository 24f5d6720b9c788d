// Unlocks the stored key: with its passkey, or by asking for the passphrase until it is right or the user cancels.

import { askPassphrase } from "../shell/dialogs.ts";
import { isUnderPasskey } from "./locked-key.ts";
import { notify } from "../shell/notices.ts";
import { lockedKey, unlockKey } from "./settings.ts";

export async function askUnlock(): Promise<void> {
  if (isUnderPasskey(lockedKey())) {
    const isUnlocked = await unlockKey();
    return notify(isUnlocked ? unlocked : "The passkey did not unlock the key. Nothing was changed: try again, or enter the key anew in the settings.");
  }
  for (let isWrong = false; ; isWrong = true) {
    const passphrase = await askPassphrase(isWrong);
    if (passphrase === null) return;
    if (await unlockKey(passphrase)) return notify(unlocked);
  }
}

const unlocked = "The key is unlocked until the page closes.";
