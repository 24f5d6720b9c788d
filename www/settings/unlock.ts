// Unlocks the stored keys: with their passkey, or by asking for the passphrase until it is right or the user cancels. What
// would ask a server whose key is locked waits here, so no request leaves without the key that belongs to it.

import { ThreadkeepError } from "threadkeep";
import type { Thread } from "threadkeep/thread";
import { askPassphrase } from "../shell/dialogs.ts";
import { notify } from "../shell/notices.ts";
import { isUnderPasskey } from "./locked-key.ts";
import { keyIsLocked, keyIsLockedFor, keyOf, lockedKey, serverOf, unlockKey } from "./settings.ts";

let asking: Promise<boolean> | null = null;
let waiting = 0;

/** Resolves to whether the keys are unlocked. Who asks while the question is open shares it. `why` is a sentence. */
export function askUnlock(why = ""): Promise<boolean> {
  asking ??= askUntilRight(why).finally(() => (asking = null));
  return asking;
}

async function askUntilRight(why: string): Promise<boolean> {
  if (isUnderPasskey(lockedKey())) {
    const isUnlocked = await unlockKey();
    notify(
      isUnlocked ? unlocked : "The passkey did not unlock the key. Nothing was sent: try again, or enter the key anew in the settings.",
    );
    return isUnlocked;
  }
  for (let isWrong = false; ; isWrong = true) {
    const passphrase = await askPassphrase(why, isWrong);
    if (passphrase === null) return false;
    if (await unlockKey(passphrase)) {
      notify(unlocked);
      return true;
    }
  }
}

const unlocked = "The key is unlocked until the page closes.";

/** Whether an action waits for the key: it then goes on in the conversation as it is, so this is no time to open that again. */
export const waitsForKey = (): boolean => waiting > 0;

/** Resolves when the keys of the chosen models can be used. @throws ThreadkeepError `key_locked` if the user keeps them locked */
export async function needKey(): Promise<void> {
  if (!keyIsLocked()) return;
  waiting += 1;
  try {
    if (!(await askUnlock("The model is asked with it, so nothing is sent before."))) throw locked();
  } finally {
    waiting -= 1;
  }
}

const locked = (): ThreadkeepError =>
  new ThreadkeepError("key_locked", "nothing was sent, because the key is locked: unlock it, or choose another model in the settings");

/** The key of a model at this URL: where it is locked, a function that asks for it before each request. */
export function apiKeyOf(baseUrl: string): string | (() => Promise<string>) {
  if (!keyIsLockedFor(serverOf(baseUrl))) return keyOf(baseUrl);
  return async () => {
    if (keyIsLockedFor(serverOf(baseUrl)) && !(await askUnlock("The model is asked with it, so nothing is sent before."))) throw locked();
    return keyOf(baseUrl);
  };
}

/** The same thread, whose actions that ask the model wait for a locked key. */
export function withKey(thread: Thread): Thread {
  const unlocking =
    <Args extends unknown[], Result>(act: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      await needKey();
      return act(...args);
    };
  const { send, resume, approve, reject, alwaysAllow, regenerate, editMessage } = thread;
  return {
    ...thread,
    send: unlocking(send),
    resume: unlocking(resume),
    approve: unlocking(approve),
    reject: unlocking(reject),
    alwaysAllow: unlocking(alwaysAllow),
    regenerate: unlocking(regenerate),
    editMessage: unlocking(editMessage),
  };
}
