// Servers that are none, hang, take what they never log, or repeat the key, in Node: each call ends, with a code and a reason, and what the
// user has written is in one place.
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { Agent, Conversation, LLM, ThreadkeepError, agentServer, memoryStore, moveToServer, remoteWorkspace } from "../../dist/index.js";
import { deferred } from "../support/deferred.mjs";
import { messageOf, startNonsenseServer } from "./nonsense-server.mjs";

const apiKey = "a-session-key-of-the-tests";
const success = { text: '{"success":true}' };
const agent = new Agent({ llm: new LLM({ model: "openai/scripted", apiKey: "sk-scripted", baseUrl: "http://127.0.0.1:9" }) });
const textsOf = (events) => events.map(({ llm_message: { content } }) => content.map(({ text }) => text).join(""));

describe("a server that talks nonsense", { concurrency: true }, () => {
  const servers = [];
  const start = async () => {
    const server = await startNonsenseServer();
    servers.push(server);
    const home = agentServer({ host: server.host, apiKey, workingDir: "/work" });
    const open = (options = {}) => Conversation.open({ agent, home, store: memoryStore(), ...options });
    return { server, home, open };
  };
  after(() => Promise.all(servers.map((server) => server.close())));

  /** A conversation that is there. */
  async function opened({ open }, options) {
    const conversation = await open(options);
    await conversation.setTags({ title: "There" });
    return conversation;
  }

  for (const [how, logs] of Object.entries({
    "does not log": () => {},
    "logs with other words": ({ log }) => log.push(messageOf([{ type: "text", text: "Something else" }])),
  }))
    test(`a message that it takes and ${how} is in the queue again, and nothing waits behind it`, async () => {
      const place = await start();
      const { server } = place;
      const conversation = await opened(place);
      const taken = deferred();
      server.said["POST events"] = (_, { id, conversations }) => {
        logs(conversations.get(id));
        taken.resolve();
        return success;
      };
      let isSent = false;
      const sending = conversation.sendMessage("Hello").finally(() => (isSent = true));
      await taken.promise;
      await conversation.setTags({ title: "Later" });
      assert.equal(await conversation.askAgent("How much is two and two?"), "Four.");
      await conversation.pause();
      await conversation.interrupt();
      assert.equal(isSent, false);
      const { id } = await sending;
      assert.deepEqual(
        (await conversation.queue.list()).map((event) => event.id),
        [id],
      );

      // What comes behind it is sent, and it is not sent again by itself.
      delete server.said["POST events"];
      const next = await conversation.sendMessage("Again");
      assert.equal((await conversation.events.slice(0)).at(-1).id, next.id);
      assert.equal(server.requests.filter((name) => name === "POST events").length, 2);
      assert.deepEqual(textsOf(await conversation.queue.list()), ["Hello"]);
      await conversation.queue.edit(id, "Changed");
      await conversation.retryNow();
      await until(conversation, async () => (await conversation.queue.list()).length === 0);
      const said = textsOf((await conversation.events.slice(0)).filter(({ kind }) => kind === "MessageEvent"));
      assert.deepEqual(said.slice(-2), ["Again", "Changed"]);
      await conversation.close();
    });

  test("a message that is under way when its handle is closed is what its promise says", async () => {
    const place = await start();
    const { server } = place;
    const store = memoryStore();
    const conversation = await opened(place, { store });
    const [begun, held] = [deferred(), deferred()];
    server.said["POST events"] = async () => {
      begun.resolve();
      await held.promise;
    };
    const sending = conversation.sendMessage("Hello");
    await begun.promise;
    await conversation.close();
    const kept = await sending;
    const { threadkeep_server: mark } = JSON.parse((await store.load(conversation.id)).baseState);
    assert.deepEqual(
      mark.outbox.map(({ event }) => event.id),
      [kept.id],
    );
    held.resolve();
    delete server.said["POST events"];
    const again = await place.open({ store, conversationId: conversation.id });
    await until(again, async () => (await again.queue.list()).length === 0);
    assert.deepEqual(textsOf(await again.events.slice(0)), ["Hello"]);
    await again.close();
  });

  test("a message that is not kept when its handle is closed is never sent", async () => {
    const place = await start();
    const { server } = place;
    const store = memoryStore();
    const conversation = await place.open({ store });
    const [begun, held] = [deferred(), deferred()];
    server.said["POST /api/conversations"] = async () => {
      begun.resolve();
      await held.promise;
    };
    const sending = conversation.sendMessage("Hello");
    const behind = conversation.sendMessage("And this");
    await begun.promise;
    await conversation.close();
    for (const each of [sending, behind]) await assert.rejects(each, { code: "invalid_state" });
    held.resolve();
    const again = await place.open({ store, conversationId: conversation.id });
    await again.sendMessage("Third");
    assert.deepEqual(textsOf(await again.events.slice(0)), ["Third"]);
    await again.close();
  });

  test("what it answers instead is named", async () => {
    const place = await start();
    const { server } = place;
    const conversation = await opened(place);
    for (const [request, answer, call, code, message] of [
      [
        "POST events",
        { status: 422, text: '{"detail":[null]}' },
        () => conversation.sendMessage("Hi"),
        "invalid_options",
        /gives no reason/,
      ],
      [
        "POST events",
        { status: 422, text: '{"detail":[{"loc":null,"msg":"too long"}]}' },
        () => conversation.sendMessage("Hi"),
        "invalid_options",
        /too long/,
      ],
      ["POST events", { status: 400, text: "null" }, () => conversation.sendMessage("Hi"), "invalid_options", /gives no reason/],
      ["POST ask_agent", { text: "<!doctype html><title>Hi</title>" }, () => conversation.askAgent("Why?"), "network", /a web page/],
      ["POST ask_agent", { text: "null" }, () => conversation.askAgent("Why?"), "network", /other JSON, "null"/],
      ["POST ask_agent", { text: '{"response":7}' }, () => conversation.askAgent("Why?"), "network", /other JSON/],
      ["PATCH one", { status: 500, text: '{"detail":{"a":1}}' }, () => conversation.setTags({}), "network", /gives no reason/],
    ]) {
      server.said[request] = () => answer;
      await assert.rejects(call(), (error) => {
        assert.ok(error instanceof ThreadkeepError, `${request} ${answer.text}: ${error.stack}`);
        assert.equal(error.code, code);
        assert.match(error.message, message);
        return true;
      });
      delete server.said[request];
    }
    assert.deepEqual(await conversation.queue.list(), []);
    await conversation.close();
  });

  test("statistics without numbers cost nothing", async () => {
    const place = await start();
    const { server } = place;
    const conversation = await opened(place);
    server.said["POST run"] = (_, { id, conversations }) => {
      const { state, log } = conversations.get(id);
      const status = (value) => ({
        ...messageOf([]),
        kind: "ConversationStateUpdateEvent",
        source: "environment",
        key: "execution_status",
        value,
      });
      log.push(...["running", "finished"].map(status));
      Object.assign(state, {
        execution_status: "finished",
        stats: { usage_to_metrics: { agent: null, other: { accumulated_cost: null } } },
      });
      return success;
    };
    const result = await conversation.run();
    assert.deepEqual([result.status, result.cost, result.tokenUsage.prompt_tokens], ["finished", 0, 0]);
    await conversation.close();
  });

  test("the key is not in what it says about a refusal", async () => {
    const place = await start();
    const { server } = place;
    const conversation = await opened(place);
    const heard = [];
    conversation.subscribe((event) => heard.push(event));
    const hides = (error) => {
      assert.ok(error instanceof ThreadkeepError);
      assert.ok(!`${error.message} ${error.stack} ${JSON.stringify(error)}`.includes(apiKey), error.message);
      assert.match(error.message, /<secret-hidden>/);
      return true;
    };
    server.said["PATCH one"] = () => ({ status: 400, text: JSON.stringify({ detail: `no such key: ${apiKey}` }) });
    await assert.rejects(conversation.setTags({}), hides);
    server.said["PATCH one"] = () => ({ status: 422, text: JSON.stringify({ detail: [{ loc: ["header"], msg: `${apiKey}?` }] }) });
    await assert.rejects(conversation.setTags({}), hides);
    server.said["POST ask_agent"] = () => ({ text: `your key is ${apiKey}` });
    await assert.rejects(conversation.askAgent("Why?"), hides);
    // Cut off in the middle of it.
    for (let padding = 40; padding < 60; padding++) {
      server.said["POST ask_agent"] = () => ({ text: `${"x".repeat(padding)}${apiKey}` });
      await assert.rejects(conversation.askAgent("Why?"), ({ message }) => !message.includes(apiKey.slice(0, 4)));
    }
    delete server.said["PATCH one"];
    server.said["GET events/search"] = () => ({ text: `${apiKey} is no page` });
    await assert.rejects(conversation.setTags({}), hides);
    await until(conversation, () => heard.some(({ kind }) => kind === "WaitingEvent"));
    assert.ok(!JSON.stringify(heard).includes(apiKey));
    await conversation.close();
  });

  test("a key that no header can have is an error of the request", async () => {
    const { server } = await start();
    const home = agentServer({ host: server.host, apiKey: "half a \ud83d key", workingDir: "/work" });
    const isNamed = (error) => error instanceof ThreadkeepError && error.code === "network" && error.message.includes(server.host);
    await assert.rejects(Conversation.open({ agent, home, store: memoryStore() }), isNamed);
  });

  test("an event that comes again and again is in the copy once", async () => {
    const place = await start();
    const { server } = place;
    const conversation = await opened(place);
    const event = messageOf([{ type: "text", text: "Once" }]);
    server.conversations.get(conversation.id).log.push(event);
    await until(conversation, () => conversation.events.length === 1);
    server.conversations.get(conversation.id).log.push(...Array.from({ length: 26 }, () => event));
    await until(conversation, () => conversation.waiting);
    assert.match(conversation.waiting.message, /twice/);
    assert.equal(conversation.events.length, 1);
    server.conversations.get(conversation.id).log.splice(1, 26, messageOf([{ type: "text", text: "Then" }]));
    await conversation.retryNow();
    await until(conversation, () => conversation.events.length === 2);
    await conversation.close();
  });

  test("a copy that is another one shows what it has, and is made anew", async () => {
    const place = await start();
    const { server } = place;
    const store = memoryStore();
    const conversation = await opened(place, { store });
    const { id } = conversation;
    await conversation.sendMessage("Before");
    server.silent.add("POST events");
    const waits = conversation.sendMessage("Never sent");
    // The server is set up anew.
    const other = messageOf([{ type: "text", text: "After" }]);
    server.conversations.get(id).log.splice(0, 1, other);
    const failure = { code: "invalid_state", message: /not the one that was copied/ };
    await assert.rejects(waits, failure);
    await assert.rejects(conversation.run(), failure);
    assert.deepEqual(textsOf(await conversation.events.slice(0)), ["Before"]);
    assert.deepEqual(textsOf(await conversation.queue.list()), ["Never sent"]);
    const fork = await conversation.fork();
    assert.deepEqual([fork.home, ...textsOf(await fork.activeBranch())], ["here", "Before"]);
    for (const handle of [fork, conversation]) await handle.close();
    await Conversation.delete(id, { store });
    const again = await place.open({ store, conversationId: id });
    assert.deepEqual(
      (await again.events.slice(0)).map((event) => event.id),
      [other.id],
    );
    await again.close();
  });

  for (const [what, text, message] of [
    ["a web page", "<!DOCTYPE html><title>Welcome</title>", /a web page/],
    ["other JSON", '{"hello":"world"}', /other JSON, "\{\\"hello\\":\\"world\\"\}"/],
    ["null", "null", /other JSON/],
    ["a text", "OK", /not JSON, "OK"/],
  ])
    test(`a host that answers everything with ${what} is no agent server`, async () => {
      const { server, home, open } = await start();
      for (const request of [
        "GET /server_info",
        "GET /api/conversations",
        "POST /api/conversations",
        "POST /api/bash/execute_bash_command",
      ])
        server.said[request] = () => ({ text });
      const isNamed = (error) => {
        assert.ok(error instanceof ThreadkeepError, error.stack);
        assert.equal(error.code, "network");
        assert.match(error.message, message);
        assert.ok(error.message.includes(server.host));
        return true;
      };
      await assert.rejects(open(), isNamed);
      const store = memoryStore();
      const here = await Conversation.open({ agent, store });
      await here.sendMessage("Hello");
      await here.close();
      await assert.rejects(moveToServer(here.id, { agent, server: home, store }), isNamed);
      await (await Conversation.open({ agent, store, conversationId: here.id })).close();
      await assert.rejects(remoteWorkspace(home).list(""), isNamed);
    });

  test("a host that accepts and is silent is said to be so", async () => {
    const place = await start();
    const store = memoryStore();
    const first = await opened(place, { store });
    await first.close();
    place.server.silent.add("GET /server_info");
    const isNew = assert.rejects(place.open(), { code: "network", message: /has not answered for 30 s/ });
    const conversation = await place.open({ store, conversationId: first.id });
    await until(conversation, () => conversation.waiting);
    assert.match(conversation.waiting.message, /has not answered for 30 s/);
    await conversation.close();
    await isNew;
  });
});

/** Resolves once the condition holds, which is looked at after each event. */
function until(conversation, condition, longest = 60_000) {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => over(() => reject(new Error(`not within ${longest / 1000} s: ${condition}`))), longest);
    const look = async () => (await condition()) && over(resolve);
    const unsubscribe = conversation.subscribe(() => void look().catch((error) => over(() => reject(error))));
    const over = (settle) => {
      clearTimeout(late);
      unsubscribe();
      settle();
    };
    void look().catch((error) => over(() => reject(error)));
  });
}
