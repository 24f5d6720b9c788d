// The suite of homes in one page: a handle that writes, and one whose writer is another handle. tests/browser/conversation has it
// over tabs.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as library from "../../dist/index.js";
import { cases, openFor, play } from "./homes/suite.mjs";

const { memoryStore } = library;

// What handles say to each other keeps no process alive.
let alive;
before(() => (alive = setInterval(() => {}, 1000)));
after(() => clearInterval(alive));

// Most of them wait for each other's answers: several at once.
describe("a method does the same for a writer and for another handle", { concurrency: 8 }, () => {
  for (const each of cases) {
    test(each.name, async () => {
      const seen = {};
      for (const home of ["here", "tab"]) {
        const given = { library, store: memoryStore(), token: crypto.randomUUID() };
        const writer = await openFor(each, given);
        const player = home === "here" ? writer : await openFor(each, { ...given, conversationId: writer.conversation.id });
        assert.equal(player.conversation.home, home);
        seen[home] = await play(each, player);
        if (home === "tab" && !each.closes) assert.deepEqual(await player.view(), await writer.view());
        await player.end();
        await writer.end();
      }
      assert.deepEqual(seen.tab, seen.here);
    });
  }
});

test("the cases have names of their own", () => {
  assert.equal(new Set(cases.map(({ name }) => name)).size, cases.length);
});
