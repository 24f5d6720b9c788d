// The examples of docs/keeping.md for mirrors, as they are written there: a folder, a WebDAV server and an S3-like server, and back.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { root } from "../../../scripts/process.mjs";
import { startPlaces } from "../../mirror/servers.mjs";
import { exampleNamed } from "../../support/documented.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";

const page = readFileSync(path.join(root, "docs/keeping.md"), "utf8");
const example = (name) => exampleNamed(page, name) ?? assert.fail(`no example ${name}`);
/** The example for a place, with the function that it imports from examples/mirror-places. */
function placeExample(name) {
  const place = readFileSync(path.join(root, `examples/mirror-places/${name}.js`), "utf8");
  return `${place.replace("export ", "")}\n${example(name).replace(/^import .*\n/m, "")}`;
}

let server, places;
before(async () => {
  places = await startPlaces();
  server = await startServer({ mounts: places?.mounts });
});
after(() => Promise.all([server?.close(), places?.close()]));

/** In the page: runs these examples one after the other, with the library and `more` in scope, and returns what `result` is then. */
async function run(code, result, more = {}) {
  const names = { ...(await import("/threadkeep/index.js")), output: {}, ...more };
  const AsyncFunction = (async () => {}).constructor;
  return new AsyncFunction(...Object.keys(names), `${code}\nreturn ${result};`)(...Object.values(names));
}

/** In the page: says something in a new conversation. */
async function talk(text) {
  const { Agent, Conversation, LLM, indexedDBStore } = await import("/threadkeep/index.js");
  const agent = new Agent({ llm: new LLM({ model: "openai/gpt-4o", apiKey: "k" }) });
  const conversation = await Conversation.open({ agent });
  await conversation.sendMessage(text);
  await conversation.close();
  const at = Date.now();
  const files = [{ path: "workspace/a file ü.txt", content: new Uint8Array([1, 2, 3]) }];
  await indexedDBStore().commit(conversation.id, {
    expectedLength: conversation.events.length,
    events: [],
    files,
    at,
    durability: "strict",
  });
  return { id: conversation.id, length: conversation.events.length };
}

/** In the page: what was restored from a place into an empty store. */
const restored = `await (async () => {
  const store = indexedDBStore("restored " + Math.random());
  const imported = await restoreMirror(place, { store });
  const same = await Promise.all(imported.map(async ({ id }) => {
    const [ours, theirs] = await Promise.all([indexedDBStore(), store].map((one) => one.events(id, 0, 99)));
    return JSON.stringify(ours) === JSON.stringify(theirs) && (await store.readFile(id, "workspace/a file ü.txt"))?.length === 3;
  }));
  const { differences } = await backup.verify();
  backup.close();
  return [imported.length, imported.every(({ warnings }) => warnings.length === 0), same.every(Boolean), differences];
})()`;
/** The code of an example whose place is a variable. */
const withPlace = (code) =>
  code.replace(/await mirror\(indexedDBStore\(\), (.*)\);/, "await mirror(indexedDBStore(), (globalThis.place = $1));");

for (const kind of availableBrowsers) {
  test(`${kind}: the examples of keeping.md for mirrors`, async (t) => {
    const browser = await tabs(kind);
    try {
      await browser.page(`${server.origin}/pages/blank.html`);
      await browser.evaluate(talk, "Keep this");
      const folder = ["folder", "restore", "verify"].map(example).join("\n");
      assert.match(await browser.evaluate(run, folder, "[output.value, backup.close()][0]"), /^4 files compared, 0 mended$/);
      assert.equal(
        await browser.evaluate(run, [example("folder"), example("restore")].join("\n"), "[output.value, backup.close()][0]"),
        "1 conversations are back",
      );
      if (!places) return t.diagnostic("not checked: WebDAV and S3");
      const { length } = await browser.evaluate(talk, "And this");
      const user = { address: `${server.origin}/dav/${kind}/`, user: "me", password: "secret" };
      // The folder has to exist.
      const made = await fetch(user.address, { method: "MKCOL", headers: { authorization: `Basic ${btoa("me:secret")}` } });
      assert.equal(made.status, 201);
      const wanted = [2, true, true, []];
      assert.deepEqual(await browser.evaluate(run, withPlace(placeExample("webdav")), restored, user), wanted);
      const inFolder = readdirSync(path.join(places.directory, "dav", kind), { recursive: true });
      assert.ok(inFolder.filter((name) => /events.event-\d+-[\w-]+\.json$/.test(name)).length >= 2 * length - 1);
      assert.deepEqual(
        inFolder.filter((name) => name.includes(".new-")),
        [],
      );
      const given = { endpoint: server.origin, bucket: "backup", region: "us-east-1", accessKeyId: "S3RVER", secretAccessKey: "S3RVER" };
      assert.deepEqual(await browser.evaluate(run, withPlace(placeExample("s3")), restored, { given }), wanted);
      // Another key: it fails, and says so.
      const wrong = `${withPlace(placeExample("s3")).replace("await backup.catchUp();", "")}`;
      const refused = "await backup.catchUp().catch(({ code, message }) => (backup.close(), [code, message]))";
      const [code, message] = await browser.evaluate(run, wrong, refused, { given: { ...given, secretAccessKey: "other" } });
      assert.equal(code, "network");
      assert.match(message, /403/);
      // Chromium writes down each answer that is an error: files that were not there yet, and the wrong key.
      const unexpected = browser.problems.filter((problem) => !/the server responded with a status of (404|403)/.test(problem));
      assert.deepEqual(unexpected, []);
    } finally {
      await browser.close();
    }
  });
}
