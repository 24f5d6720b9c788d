// Conversations that move to a real agent server and back, with Python in between: with all branches, in the middle of a task, and with
// every request failing once, before and after the server has carried it out.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { Agent, Conversation, LLM, agentServer, bringHome, fileEditor, memoryStore, moveToServer, tool } from "../../dist/index.js";
import { root } from "../../scripts/process.mjs";
import { sdkForTests } from "../interop/session.mjs";
import { exampleNamed, runExample } from "../support/documented.mjs";
import { exported, filesOf, packed, unpacked, write } from "../support/files.mjs";
import { createModel } from "../support/model.mjs";
import { startAgentServer } from "./agent-server.mjs";
import { newestVersion, serverVersions } from "./setup.mjs";

const page = readFileSync(path.join(root, "docs/server.md"), "utf8");
const sdk = sdkForTests();

for (const version of serverVersions) {
  describe(`moving to the agent server ${version} and back`, () => {
    const place = mkdtempSync(path.join(os.tmpdir(), "threadkeep-moving-"));
    let upstream;
    let server;
    let home;
    before(async () => {
      upstream = await createModel(answerTo, { checks: false }).listen();
      server = await startAgentServer({ version, model: upstream.baseUrl });
      home = server && agentServer({ host: server.host, apiKey: server.apiKey, workingDir: server.workspace });
    });
    after(async () => {
      await server?.stop();
      await upstream.close();
      rmSync(place, { recursive: true, force: true });
    });

    const llm = () => new LLM({ model: "openai/scripted", apiKey: "sk-of-the-model", baseUrl: upstream.baseUrl });
    // Neither Python nor a server has it of its own.
    const ofPage = tool({
      name: "page_title",
      description: "Returns the title of the page.",
      parameters: { type: "object", properties: {} },
      execute: () => "Threads",
    });
    const agentOf = (tools = [fileEditor(), ofPage]) => new Agent({ llm: llm(), tools });
    const open = (store, options = {}) => Conversation.open({ agent: agentOf(), store, ...options });
    const bytesOf = async (store, id) => (await store.events(id, 0, Number.MAX_SAFE_INTEGER)).map(({ json }) => json);
    const begins = (log, earlier) => assert.deepEqual(log.slice(0, earlier.length), earlier);

    let branches;

    /** A conversation with two branches, on one of which a call was rejected, or waits. */
    async function withBranches(store, { decided = true, ...options } = {}) {
      const conversation = await open(store, { confirmationPolicy: { kind: "AlwaysConfirm" }, ...options });
      const { id: question } = await conversation.sendMessage("Hello");
      await conversation.run();
      await conversation.editMessage(question, "look around");
      assert.equal((await conversation.run()).status, "waiting_for_confirmation");
      branches = (await conversation.branches()).length;
      if (decided) await conversation.rejectPendingActions("Not now");
      await conversation.close();
      return conversation.id;
    }

    async function isTaken(directory) {
      const checked = await sdk().check(directory);
      assert.ok(checked.ok, JSON.stringify(checked));
    }

    test("the example of the page", async (t) => {
      if (server === null) return t.skip("it is not here");
      const store = memoryStore();
      const first = await open(store);
      await first.sendMessage("Hello");
      await first.close();
      const lines = [];
      const names = { agent: agentOf(), store, home, conversationId: first.id, Conversation, moveToServer, bringHome };
      await runExample(exampleNamed(page, "to a server and back"), {
        ...names,
        console: { log: (...words) => lines.push(words.join(" ")) },
      });
      assert.deepEqual(lines, ["server It is four.", "here"]);
    });

    test("a task hops from the page to the server, back, to Python and back", async (t) => {
      if (server === null || !sdk()) return t.skip("it is not here");
      const store = memoryStore();
      const id = await withBranches(store, { decided: false });
      const move = () => moveToServer(id, { agent: agentOf(), server: home, store });
      // The server could not go on with it.
      await assert.rejects(move(), { code: "invalid_state", message: /file_editor.*approve or reject them here first/ });
      const before = await open(store, { conversationId: id });
      await before.rejectPendingActions("Look on the server");
      await before.close();
      let log = await bytesOf(store, id);
      const seen = [];
      await moveToServer(id, { agent: agentOf(), server: home, store, onProgress: (progress) => seen.push(progress) });
      assert.equal(seen.at(-1).done, seen.at(-1).total);
      begins(
        server.stored(id).map(({ text }) => text),
        log,
      );

      const there = await open(store, { conversationId: id, home });
      assert.equal(there.home, "server");
      assert.equal((await there.branches()).length, branches);
      await there.sendMessage("look around");
      assert.equal((await there.run()).status, "waiting_for_confirmation");
      const waiting = await there.pendingActions();
      assert.deepEqual(
        waiting.map(({ tool_name }) => tool_name),
        ["file_editor"],
      );
      const result = await there.run({ approve: waiting.map(({ id }) => id) });
      assert.deepEqual([result.status, result.finalResponse], ["finished", "It is four."]);
      const copied = path.join(place, version, "copy", id.replaceAll("-", ""));
      write(copied, unpacked(await exported(there)));
      await isTaken(copied);
      await there.close();
      begins(await bytesOf(store, id), log);

      await bringHome(id, { server: home, store });
      assert.deepEqual(server.stored(id), []);
      log = await bytesOf(store, id);
      const [{ server: host, undecided }] = await Conversation.list({ store });
      assert.deepEqual([host, undecided], [null, true]);
      const here = await open(store, { conversationId: id });
      assert.deepEqual([here.home, here.access, (await here.branches()).length], ["here", "writer", branches]);
      await here.sendMessage("Here again");
      assert.equal((await here.run()).finalResponse, "It is four.");
      const directory = path.join(place, version, "hops", id.replaceAll("-", ""));
      write(directory, unpacked(await exported(here)));
      await here.close();
      begins(await bytesOf(store, id), log);
      await isTaken(directory);
      const resumed = await sdk().resume(directory, "From Python.", { in_place: true });
      assert.ok(resumed.ok, resumed.error);

      const [{ outcome }] = await Conversation.importZip(packed(id, filesOf(directory)), { store });
      assert.equal(outcome, "continued");
      // And there once more, with what Python has written.
      log = await bytesOf(store, id);
      await moveToServer(id, { agent: agentOf(), server: home, store });
      const again = await open(store, { conversationId: id, home });
      await again.sendMessage("On the server");
      const second = await again.run();
      assert.deepEqual(
        [second.status, second.finalResponse],
        ["finished", "It is four."],
        server
          .stored(id)
          .slice(log.length)
          .map(({ text }) => text.slice(0, 400))
          .join("\n") + server.words.slice(-3000),
      );
      await again.close();
      begins(await bytesOf(store, id), log);
      await bringHome(id, { server: home, store });
      const last = await open(store, { conversationId: id });
      await last.sendMessage("The end");
      assert.equal((await last.run()).status, "finished");
      await last.close();
    });

    test("secrets stay, unless they are given", async (t) => {
      if (server === null) return t.skip("it is not here");
      const store = memoryStore();
      const first = await open(store, { secrets: { TOKEN: "the-secret-value" }, cipher: "a long and random passphrase" });
      await first.sendMessage("Hello");
      await first.close();
      assert.match((await store.load(first.id)).baseState, /gAAAA/);
      const sent = recorded();
      await moveToServer(first.id, { agent: agentOf(), server: home, store, secrets: { GIVEN: "given-on-purpose" } });
      sent.end();
      assert.deepEqual(sent.bodies.get(`/api/conversations/${first.id}/secrets`), { secrets: { GIVEN: "given-on-purpose" } });
      const folder = path.join(server.folder, first.id.replaceAll("-", ""));
      for (const [name, content] of filesOf(folder)) assert.ok(!String(content).includes("the-secret-value"), name);
      // It is there for good before the move is done.
      assert.ok("GIVEN" in JSON.parse(readFileSync(path.join(folder, "base_state.json"))).secret_registry.secret_sources);
      assert.ok(!(await store.load(first.id)).baseState.includes("given-on-purpose"));
      await bringHome(first.id, { server: home, store });
    });

    test("what cannot move says why, and stays as it is", async (t) => {
      if (server === null) return t.skip("it is not here");
      const store = memoryStore();
      const move = (id, options = {}) => moveToServer(id, { agent: agentOf(), server: home, store, ...options });
      await assert.rejects(move(crypto.randomUUID()), { code: "not_found" });
      await assert.rejects(move("x"), { code: "invalid_options" });
      await assert.rejects(move(crypto.randomUUID(), { server: "http://127.0.0.1" }), { code: "invalid_options" });
      await assert.rejects(move(crypto.randomUUID(), { key: 1 }), { code: "invalid_options" });
      const held = await open(store);
      await held.sendMessage("Hello");
      await assert.rejects(move(held.id), { code: "locked_elsewhere" });
      await held.close();
      const before = await store.load(held.id);
      const wrong = (options) => agentServer({ host: server.host, apiKey: server.apiKey, workingDir: server.workspace, ...options });
      await assert.rejects(move(held.id, { server: wrong({ apiKey: "wrong" }) }), { code: "server_auth" });
      await assert.rejects(move(held.id, { server: wrong({ host: "http://127.0.0.1:9" }) }), { code: "network" });
      await assert.rejects(bringHome(held.id, { server: home, store }), { code: "invalid_state" });
      assert.deepEqual((await store.load(held.id)).baseState, before.baseState);
      await move(held.id);
      await assert.rejects(move(held.id), { code: "invalid_state" });
      await assert.rejects(open(store, { conversationId: held.id }), { code: "invalid_state" });
      await assert.rejects(bringHome(held.id, { server: wrong({ host: "http://127.0.0.1:9" }), store }), { code: "invalid_state" });
      await bringHome(held.id, { server: home, store });
      await (await open(store, { conversationId: held.id })).close();
    });

    test("a server that fails once while it packs the conversation is asked again", async (t) => {
      if (server === null) return t.skip("it is not here");
      const store = memoryStore();
      const id = await withBranches(store);
      await moveToServer(id, { agent: agentOf(), server: home, store });
      const asked = [];
      const real = globalThis.fetch;
      t.after(() => (globalThis.fetch = real));
      globalThis.fetch = (url, init) => {
        if (!String(url).includes("/download-trajectory/")) return real(url, init);
        asked.push(init.method);
        return asked.length > 1 ? real(url, init) : Promise.resolve(new Response("Internal Server Error", { status: 500 }));
      };
      await bringHome(id, { server: home, store });
      assert.deepEqual(asked, ["GET", "GET"]);
      await (await open(store, { conversationId: id })).close();
    });

    const isOlder = version !== newestVersion && "this side decides what is done then, whichever version it is";
    test("every request of a move fails once, and the conversation is in one place all the time", { skip: isOlder }, async (t) => {
      if (server === null) return t.skip("it is not here");
      const store = memoryStore();
      const id = await withBranches(store);
      const log = await bytesOf(store, id);
      const steps = {
        there: () => moveToServer(id, { agent: agentOf(), server: home, store }),
        back: () => bringHome(id, { server: home, store }),
      };
      /** Whatever was broken off is done again, until it is on that side. */
      const isOn = (side) => (side === "there" ? steps.there : steps.back)().catch(({ code }) => assert.equal(code, "invalid_state"));
      for (const [side, other] of [
        ["there", "back"],
        ["back", "there"],
      ]) {
        let requests = Infinity;
        for (let number = 0; number < requests; number++) {
          for (const isLate of [false, true]) {
            await isOn(other);
            const cut = failing(number, isLate);
            const failed = await steps[side]().then(
              () => undefined,
              ({ code }) => code,
            );
            cut.end();
            // One more than there are, so that none fails.
            if (!cut.isUsed) requests = number;
            const [found] = (await server.ask("GET", `/api/conversations?ids=${id}`)).json;
            const isHere = await opensHere(store, id);
            const where = `request ${number} ${isLate ? "after" : "before"} the server, ${side}, ${failed}`;
            assert.ok(!(found && isHere), `both sides write it: ${where}`);
            if (failed === undefined) assert.equal(Boolean(found), side === "there", where);
            else assert.equal(failed, "network", where);
            begins(await bytesOf(store, id), log);
          }
        }
        assert.ok(requests >= 5);
      }
      await isOn("back");
      begins(await bytesOf(store, id), log);
      const here = await open(store, { conversationId: id });
      assert.equal((await here.branches()).length, branches);
      await here.close();
    });

    async function opensHere(store, id) {
      try {
        await (await open(store, { conversationId: id })).close();
        return true;
      } catch (error) {
        assert.equal(error.code, "invalid_state");
        return false;
      }
    }

    /** The script: a look at the files if asked for, and an answer. */
    function answerTo({ messages }) {
      const last = messages.at(-1);
      const isAsked = last.role === "user" && JSON.stringify(last).includes("look around");
      return isAsked ? { calls: [{ name: "file_editor", arguments: { command: "view", path: "/" } }] } : { text: "It is four." };
    }
  });
}

/** Lets the request with this number fail, before it is sent or after it was answered. Of those that send files, two are counted. */
function failing(number, isLate) {
  const real = globalThis.fetch;
  let count = 0;
  let files = 0;
  globalThis.fetch = async (...request) => {
    if (request[0].includes("/file/upload") && files++ > 1) return real(...request);
    const isCut = count++ === number;
    if (isCut && !isLate) throw new TypeError("cut");
    const response = await real(...request);
    if (isCut) {
      await response.arrayBuffer();
      throw new TypeError("cut");
    }
    return response;
  };
  return {
    end: () => (globalThis.fetch = real),
    get isUsed() {
      return count > number;
    },
  };
}

/** Takes note of what is posted as JSON, by its path. */
function recorded() {
  const real = globalThis.fetch;
  const bodies = new Map();
  globalThis.fetch = (url, options) => {
    if (typeof options?.body === "string") bodies.set(new URL(url).pathname, JSON.parse(options.body));
    return real(url, options);
  };
  return { bodies, end: () => (globalThis.fetch = real) };
}
