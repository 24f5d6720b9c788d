import assert from "node:assert/strict";

/** For `assert.rejects` and `assert.throws`: checks the code and the message of an error. */
export const refused = (code, words) => (error) => (assert.equal(error.code, code, error.stack), assert.match(error.message, words), true);
