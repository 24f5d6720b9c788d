// Every spelling of a secret by the platform's URL, form, JSON and base64 interfaces is hidden like the secret.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as library from "../../dist/index.js";
import { seen } from "./spelled.mjs";

test("every spelling of the platform is hidden", async () => {
  for (const seed of [1, 2, 3]) assert.deepEqual(await seen(library, seed, 30), [], `seed ${seed}`);
});
