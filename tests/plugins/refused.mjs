// Plugins that are refused.
import assert from "node:assert/strict";

/** Rejects with an error of this code, whose message has this text. */
export async function refused(promise, code, text) {
  await assert.rejects(promise, (error) => {
    assert.equal(error.code, code, error.stack);
    assert.match(error.message, text);
    return true;
  });
}
