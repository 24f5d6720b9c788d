// The encrypted store in real browsers: cases of the suite over a database and over a directory, what is left on the disk, passkeys, other tabs, and
// a database that was lost.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers, launch } from "../../support/browser/driver.mjs";
import { plugIn } from "../../support/browser/passkeys.mjs";
import { checksIn, tabs } from "../../support/browser/tabs.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.close());

/** Calls a function of `pages/encrypted-checks.js` in a page. */
async function inPage(name, ...args) {
  return (await import("/pages/encrypted-checks.js"))[name](...args);
}

/** Which of these texts stand in a file below this folder, also in UTF-16. */
function textsBelow(folder, texts) {
  const found = new Set();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const content = readFileSync(path.join(entry.parentPath, entry.name));
    for (const text of texts) if (content.includes(text) || content.includes(Buffer.from(text, "utf16le"))) found.add(text);
  }
  return [...found].sort();
}

/** Without anything in common: databases compress what they have seen before. */
const randomWord = () => Array.from({ length: 24 }, () => "abcdefghijklmnopqrstuvwxyz0123456789"[Math.floor(Math.random() * 36)]).join("");

for (const kind of availableBrowsers) {
  test(`${kind}: the encrypted store keeps to the suite, and leaves nothing to be read on the disk`, async (context) => {
    const browser = await tabs(kind);
    const { blank, check } = checksIn(context, browser, `${server.origin}/pages/blank.html`);
    try {
      const holds = (inner) => async (page) => assert.deepEqual(await page.evaluate(inPage, "failuresOver", inner), []);
      await check("a case of each kind of the suite holds over IndexedDB", holds("indexeddb"));
      const noDirectory = kind === "webkit" && "a store in a directory does not notice all changes there, see scripts/webkit.mjs";
      await check("a case of each kind of the suite holds over a directory", holds("opfs"), { skip: noDirectory });
      await check("a second tab follows what the first one writes", async (page) => {
        const id = "5ea1a000-0000-4000-8000-000000000001";
        assert.equal(await page.evaluate(inPage, "write", id), "writer");
        const other = await blank();
        assert.deepEqual(await other.evaluate(inPage, "follow", id), ["follower", 4]);
        await other.close();
      });
      await check("a lost database is noticed", async (page) => {
        const id = "5ea1a000-0000-4000-8000-000000000002";
        const [[code, message], ...more] = await page.evaluate(inPage, "lose", id);
        assert.equal(code, "store_lost");
        assert.match(message, new RegExp(id));
        assert.deepEqual(more, []);
      });
      assert.deepEqual(browser.problems, []);
    } finally {
      await browser.close();
    }
  });

  test(`${kind}: nothing of what was said, named or written stands on the disk`, async () => {
    for (const isEncrypted of [false, true]) {
      const profile = mkdtempSync(path.join(tmpdir(), `threadkeep-sealed-${kind}-`));
      try {
        const texts = {
          message: `${randomWord()} and more`,
          answer: randomWord(),
          title: randomWord(),
          name: `${randomWord()}.txt`,
          content: randomWord(),
        };
        const planted = Object.values(texts).map((text) => text.split(/[ .]/)[0]);
        const origin = `${server.origin}/pages/blank.html`;
        const first = await launch(kind, { profile });
        try {
          await first.page(origin);
          const { hits, zip, mirrored, titles } = await first.evaluate(inPage, "plant", isEncrypted, texts);
          assert.deepEqual([hits, titles], [[texts.message], [texts.title]]);
          assert.ok(zip > 0 && mirrored);
        } finally {
          await first.close();
        }
        const found = textsBelow(profile, planted);
        if (isEncrypted) assert.deepEqual(found, []);
        // Otherwise finding nothing would prove nothing. Firefox compresses some rows.
        else assert.ok(found.length >= (kind === "chromium" ? planted.length : 3), `${found.length} of ${planted.length}`);
        if (!isEncrypted) continue;
        const again = await launch(kind, { profile });
        try {
          await again.page(origin);
          const [outcome, [[title, updatedAt]]] = await again.evaluate(inPage, "read", { passphrase: "a passphrase of the test" });
          assert.deepEqual([outcome, title], ["ok", texts.title]);
          assert.ok(Math.abs(updatedAt - Date.now()) < 600_000);
          const [code, message] = await again.evaluate(inPage, "read", { passphrase: "another one" });
          assert.equal(code, "permission_required");
          assert.match(message, /not the passphrase of the store/);
        } finally {
          await again.close();
        }
      } finally {
        rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
      }
    }
  });
}

test("a passkey opens the store", {
  skip: !availableBrowsers.includes("chromium") && "there is no Chromium",
}, async () => {
  const browser = await tabs("chromium");
  try {
    // An address of numbers can have no passkeys.
    const page = await browser.page(`${server.origin.replace("127.0.0.1", "localhost")}/pages/blank.html`);
    const device = await plugIn(page);
    const { passkey, passphrase, wrong } = await page.evaluate(inPage, "passkeys");
    assert.deepEqual([passkey, passphrase], Array(2).fill(["ok", ["Under a passkey."]]));
    assert.equal(wrong[0], "permission_required");
    await device.declines();
    const [code, message] = await page.evaluate(inPage, "withoutTheUser");
    assert.equal(code, "permission_required");
    assert.match(message, /the passkey was not used/);
    assert.deepEqual(browser.problems, []);
  } finally {
    await browser.close();
  }
});
