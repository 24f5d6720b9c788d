// Texts of a host with half a character in them: the SDK opens every conversation that has one.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { conversationWith, givenTexts } from "../../support/halves.mjs";
import { exported } from "../../support/files.mjs";

export function halvesOfCharacters(sdk, place) {
  for (const [name, given] of Object.entries(givenTexts)) {
    test(`Python opens a conversation with half a character in ${name}`, async (t) => {
      if (!sdk()) return t.skip("no SDK");
      const conversation = await conversationWith(t, given);
      const target = path.join(place, `${conversation.id}.zip`);
      writeFileSync(target, await exported(conversation));
      const { conversations = [await sdk().check(target)] } = await sdk().check(target);
      for (const { refused, opens } of conversations) assert.deepEqual({ refused, opens }, { refused: [], opens: true });
    });
  }
}
