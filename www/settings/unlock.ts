// What needs a locked key waits here before anything is stored that would be empty. A request waits by itself.

import { keyIsLocked, modelUrl, models } from "./settings.ts";

let waiting = 0;

/** Whether an action waits for the key: it then goes on in the conversation as it is, so this is no time to open that again. */
export const waitsForKey = (): boolean => waiting > 0;

/** Resolves to whether the keys are unlocked. */
export const askUnlock = (): Promise<boolean> => models.keys.ask();

/** Resolves when the key of the chosen model can be used. @throws ThreadkeepError `key_locked` if the user keeps it locked */
export async function needKey(): Promise<void> {
  if (!keyIsLocked()) return;
  waiting += 1;
  try {
    await models.keys.request(modelUrl().origin);
  } finally {
    waiting -= 1;
  }
}
