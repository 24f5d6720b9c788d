// Tools of the page for an agent that runs on a real agent server, in Node: the server's agent calls, the page carries out, and the agent
// goes on with the result.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { Agent, Conversation, LLM, agentServer, bringHome, memoryStore, moveToServer, tool } from "../../dist/index.js";
import { root } from "../../scripts/process.mjs";
import { deferred } from "../support/deferred.mjs";
import { exampleNamed, runExample } from "../support/documented.mjs";
import { createModel } from "../support/model.mjs";
import { until } from "../support/until.mjs";
import { startAgentServer } from "./agent-server.mjs";
import { newestVersion } from "./setup.mjs";

// A server has one schema for each name, so that all tests have the same.
const parameters = { type: "object", properties: { number: { type: "integer", minimum: 0 } }, required: ["number"] };

/** A tool of the page, which notes its calls in `calls`. */
function counting(options = {}) {
  const calls = [];
  const execute = (args, context) => {
    calls.push({ args, context });
    return options.execute?.(args, context) ?? `one more is ${args.number + 1}`;
  };
  return { calls, tool: tool({ name: "count", description: "Counts.", parameters, ...options, execute }) };
}

const resultIn = ({ kind, source, llm_message: message }) =>
  kind === "MessageEvent" && source === "user" && /^The call \S+ of the tool/.test(message.content[0].text);

for (const version of [newestVersion]) {
  describe(`tools of the page with the agent server ${version}`, () => {
    let upstream;
    let server;
    let home;
    before(async () => {
      upstream = await createModel(answerTo).listen();
      server = await startAgentServer({ version, model: upstream.baseUrl });
      home = server && agentServer({ host: server.host, apiKey: server.apiKey, workingDir: server.workspace });
    });
    after(async () => {
      await server?.stop();
      await upstream.close();
    });
    const agentOf = (...tools) =>
      new Agent({
        llm: new LLM({ model: "openai/scripted", apiKey: "sk-scripted", baseUrl: upstream.baseUrl }),
        tools: tools.map(({ tool }) => tool),
        toolConcurrencyLimit: 2,
      });
    const open = (tools, options = {}) => Conversation.open({ agent: agentOf(...tools), store: memoryStore(), home, ...options });
    const resultsOf = async (on) => (await on.activeBranch()).filter(resultIn).map(({ llm_message: { content } }) => content);
    const textsOf = async (on) => (await resultsOf(on)).flat().map(({ text }) => text.replace(/\S{36}/, "ID"));
    /** A conversation in which the agent has called while no page was there that could carry it out. */
    const abandoned = async (tools, store, message = "count 1") => {
      const conversation = await open(tools, { store });
      await conversation.sendMessage(message);
      const { id } = conversation;
      await conversation.close();
      await server.ask("POST", `/api/conversations/${id}/run`);
      const other = await open([], { conversationId: id });
      await until(() => other.executionStatus === "finished");
      assert.equal(await other.finalResponse(), "I wait.");
      assert.deepEqual(await other.pendingActions(), []);
      await other.close();
      return id;
    };

    test("the example of the page", async (t) => {
      if (server === null) return t.skip("it is not here");
      const lines = [];
      const example = exampleNamed(readFileSync(path.join(root, "docs/server.md"), "utf8"), "a tool of the page");
      const names = {
        llm: agentOf().llm,
        store: memoryStore(),
        apiKey: server.apiKey,
        agentServer: () => home,
        Agent,
        Conversation,
        tool,
        document: { title: "of the tab" },
        console: { log: (line) => lines.push(line) },
      };
      const { conversation } = await runExample(example, names, "{ conversation }");
      assert.deepEqual(lines, ["Heard: has this result: of the tab"]);
      await conversation.close();
    });

    test("a call is carried out once, and the agent goes on with its result", async (t) => {
      if (server === null) return t.skip("it is not here");
      const counted = counting({
        execute({ number }, { progress, conversationId }) {
          progress("counting");
          return { number, conversationId };
        },
      });
      const conversation = await open([counted], { secrets: { TOKEN: "hidden-word" } });
      const heard = [];
      conversation.subscribe((event) => event.kind === "ToolProgressEvent" && heard.push(event));
      await conversation.sendMessage("count 1");
      const result = await conversation.run();
      assert.deepEqual([result.status, result.steps], ["finished", 3]);
      assert.match(result.finalResponse, /^Heard: has this result: \{"number":1/);
      const [{ args, context }, ...more] = counted.calls;
      assert.deepEqual([args, more], [{ number: 1 }, []]);
      const action = (await conversation.activeBranch()).find(({ kind }) => kind === "ActionEvent");
      assert.deepEqual(
        [context.idempotencyKey, context.toolCallId, context.conversationId],
        [action.id, action.tool_call_id, conversation.id],
      );
      assert.equal(await context.secret("TOKEN"), "hidden-word");
      assert.deepEqual(heard, [{ kind: "ToolProgressEvent", tool_call_id: action.tool_call_id, tool_name: "count", text: "counting" }]);
      const [[{ text }]] = await resultsOf(conversation);
      assert.ok(text.startsWith(`The call ${action.id} of the tool count has this result:\n`), text);
      await conversation.close();
    });

    test("a conversation that moves takes the tools along, and back", async (t) => {
      if (server === null) return t.skip("it is not here");
      const store = memoryStore();
      const counted = counting();
      const agent = agentOf(counted);
      const here = await Conversation.open({ agent, store });
      await here.sendMessage("Hello");
      await here.close();
      await moveToServer(here.id, { agent, server: home, store });
      const there = await open([counted], { store, conversationId: here.id });
      await there.sendMessage("count 1");
      assert.match((await there.run()).finalResponse, /^Heard: has this result: one more is 2/);
      await there.close();
      await bringHome(here.id, { server: home, store });
      const back = await Conversation.open({ agent, store, conversationId: here.id });
      await back.sendMessage("count 2");
      await back.run({ approve: (await back.pendingActions()).map(({ id }) => id) });
      assert.deepEqual(
        counted.calls.map(({ args }) => args),
        [{ number: 1 }, { number: 2 }],
      );
      await back.close();
    });

    test("of a call that nobody has carried out when its conversation comes home, the agent is told", async (t) => {
      if (server === null) return t.skip("it is not here");
      const store = memoryStore();
      const counted = counting();
      const id = await abandoned([counted], store);
      await bringHome(id, { server: home, store });
      const back = await Conversation.open({ agent: agentOf(counted), store, conversationId: id });
      const [text] = await textsOf(back);
      assert.match(text, /^The call ID of the tool count has failed:\nThis call was not carried out/);
      const { status, finalResponse } = await back.run();
      assert.deepEqual([status, counted.calls], ["finished", []]);
      assert.match(finalResponse, /^Heard: has failed: This call was not carried out/);
      await back.close();
    });

    for (const decision of ["approved", "rejected"])
      test(`a call that waits while its conversation moves is ${decision} there`, async (t) => {
        if (server === null) return t.skip("it is not here");
        const store = memoryStore();
        const counted = counting({ annotations: { destructiveHint: true } });
        const agent = agentOf(counted);
        const here = await Conversation.open({ agent, store });
        await here.sendMessage("count 1");
        assert.equal((await here.run()).status, "waiting_for_confirmation");
        const [{ id }] = await here.pendingActions();
        await here.close();
        await moveToServer(here.id, { agent, server: home, store });
        const there = await open([counted], { store, conversationId: here.id });
        assert.deepEqual(
          (await there.pendingActions()).map((action) => action.id),
          [id],
        );
        if (decision === "rejected") await there.rejectPendingActions("Not now");
        const result = await there.run();
        assert.equal(result.status, "finished");
        assert.deepEqual(
          counted.calls.map(({ context }) => context.idempotencyKey),
          decision === "approved" ? [id] : [],
        );
        if (decision === "approved") {
          assert.equal(result.finalResponse, "Heard: has this result: one more is 2");
          assert.deepEqual(await textsOf(there), ["The call ID of the tool count has this result:\none more is 2"]);
        }
        // What its model is asked from then on has the call and its answer.
        await there.sendMessage("Hello");
        assert.equal((await there.run()).finalResponse, "Hello.");
        await there.close();
        await bringHome(here.id, { server: home, store });
        const back = await Conversation.open({ agent, store, conversationId: here.id });
        assert.deepEqual(await back.pendingActions(), []);
        await back.close();
      });

    test("calls of one answer have one message, with errors and images in it", async (t) => {
      if (server === null) return t.skip("it is not here");
      const pixel =
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==";
      const counted = counting({
        execute({ number }) {
          if (number === 2) throw new Error("no \ud800 more");
          return number === 1 ? "one" : { content: [{ type: "image", image_urls: [pixel] }] };
        },
      });
      const conversation = await open([counted]);
      await conversation.sendMessage("count 1, count 2, count -1, count 3");
      assert.equal((await conversation.run()).status, "finished");
      const [content, ...more] = await resultsOf(conversation);
      assert.deepEqual(more, []);
      assert.deepEqual(
        content.map(({ text, image_urls }) => text?.replace(/\S{36}/, "ID") ?? image_urls),
        [
          "The call ID of the tool count has this result:\none",
          "The call ID of the tool count has failed:\nno \ufffd more",
          "The call ID of the tool count has failed:\nthe arguments do not fit the parameters of the tool: number: -1 is less than 0.",
          "The call ID of the tool count has this result:\n",
          [pixel],
        ],
      );
      assert.deepEqual(counted.calls.map(({ args }) => args.number).toSorted(), [1, 2, 3]);
      await conversation.close();
    });

    test("a call waits for the user if its tool asks for that", async (t) => {
      if (server === null) return t.skip("it is not here");
      const counted = counting({ needsApproval: ({ number }) => number > 1 });
      const conversation = await open([counted]);
      const shown = [];
      conversation.subscribe((event) => event.kind === "PendingActionsEvent" && shown.push(event.waiting_ids.length));
      await conversation.sendMessage("count 1, count 2");
      assert.equal((await conversation.run()).status, "waiting_for_confirmation");
      assert.equal(conversation.executionStatus, "waiting_for_confirmation");
      const waiting = await conversation.pendingActions();
      // As in every conversation: all calls wait if one has to.
      assert.deepEqual(
        waiting.map(({ tool_call }) => JSON.parse(tool_call.arguments).number),
        [1, 2],
      );
      assert.deepEqual(await conversation.pendingActions({ allowable: true }), []);
      await assert.rejects(conversation.sendMessage("Wait"), { code: "invalid_state" });
      await assert.rejects(conversation.run({ approve: ["00000000-0000-4000-8000-000000000000"] }), { code: "not_found" });
      assert.deepEqual(counted.calls, []);
      const partly = await conversation.run({ approve: [waiting[1].id] });
      assert.equal(partly.status, "waiting_for_confirmation");
      assert.deepEqual(
        (await conversation.pendingActions()).map(({ id }) => id),
        [waiting[0].id],
      );
      await conversation.rejectPendingActions("Not now");
      assert.deepEqual(await conversation.pendingActions(), []);
      assert.deepEqual(await textsOf(conversation), [
        "The call ID of the tool count has this result:\none more is 3",
        "The call ID of the tool count was rejected by the user:\nNot now",
      ]);
      const result = await conversation.run();
      assert.deepEqual([result.status, result.finalResponse], ["finished", "Heard: was rejected by the user: Not now"]);
      assert.deepEqual(
        counted.calls.map(({ args }) => args.number),
        [2],
      );
      assert.deepEqual([shown.includes(2), shown.includes(1), shown.at(-1)], [true, true, 0]);
      await conversation.close();
    });

    test("a call that was approved on the server does not wait again", async (t) => {
      if (server === null) return t.skip("it is not here");
      const counted = counting({ annotations: { destructiveHint: true } });
      const conversation = await open([counted], { confirmationPolicy: { kind: "AlwaysConfirm" } });
      await conversation.sendMessage("count 1");
      assert.equal((await conversation.run()).status, "waiting_for_confirmation");
      assert.equal((await conversation.pendingActions()).length, 1);
      assert.deepEqual(counted.calls, []);
      const result = await conversation.run();
      assert.deepEqual([result.status, result.finalResponse], ["finished", "Heard: has this result: one more is 2"]);
      await conversation.setConfirmationPolicy({ kind: "NeverConfirm" });
      await conversation.sendMessage("count 5");
      assert.equal((await conversation.run()).status, "waiting_for_confirmation");
      await conversation.sendMessage("Never mind", { pending: "reject" });
      assert.equal((await conversation.run()).status, "finished");
      assert.equal(counted.calls.length, 1);
      await conversation.close();
    });

    test("a call that somebody else has approved on the server waits here", async (t) => {
      if (server === null) return t.skip("it is not here");
      const counted = counting({ annotations: { destructiveHint: true } });
      const conversation = await open([counted], { confirmationPolicy: { kind: "AlwaysConfirm" } });
      await conversation.sendMessage("count 1");
      assert.equal((await conversation.run()).status, "waiting_for_confirmation");
      assert.equal((await server.ask("POST", `/api/conversations/${conversation.id}/run`)).status, 200);
      await until(async () => {
        const isOver = (await conversation.events.slice(0)).some(({ key, value }) => key === "execution_status" && value === "finished");
        return isOver && conversation.executionStatus === "waiting_for_confirmation";
      });
      assert.equal(counted.calls.length, 0);
      assert.equal((await conversation.run()).finalResponse, "Heard: has this result: one more is 2");
      await conversation.close();
    });

    test("a page that comes later delivers, also with a copy of its own", async (t) => {
      if (server === null) return t.skip("it is not here");
      const counted = counting();
      const id = await abandoned([counted], memoryStore());
      const later = await open([counted], { conversationId: id });
      assert.equal((await later.run()).finalResponse, "Heard: has this result: one more is 2");
      assert.equal(counted.calls.length, 1);
      await later.close();
      const last = await open([counted], { conversationId: id });
      assert.equal((await last.run()).status, "finished");
      assert.deepEqual([counted.calls.length, (await resultsOf(last)).length], [1, 1]);
      await last.close();
    });

    test("of two handles on one store one carries out", async (t) => {
      if (server === null) return t.skip("it is not here");
      const counted = counting();
      const store = memoryStore();
      const id = await abandoned([counted], store);
      const both = await Promise.all([0, 1].map(() => open([counted], { store, conversationId: id })));
      await Promise.all(both.map((each) => until(async () => (await each.finalResponse()) === "Heard: has this result: one more is 2")));
      assert.deepEqual([counted.calls.length, (await resultsOf(both[0])).length], [1, 1]);
      for (const each of both) await each.close();
    });

    test("a call of another branch is not carried out", async (t) => {
      if (server === null) return t.skip("it is not here");
      const counted = counting();
      const store = memoryStore();
      const id = await abandoned([counted], store);
      const other = await open([], { conversationId: id });
      const { id: question } = (await other.activeBranch()).find(({ kind }) => kind === "MessageEvent");
      await other.editMessage(question, "Hello");
      assert.equal((await other.run()).finalResponse, "Hello.");
      await other.close();
      const later = await open([counted], { store, conversationId: id });
      await later.sendMessage("Hello again");
      assert.equal((await later.run()).finalResponse, "Hello.");
      assert.deepEqual(counted.calls, []);
      await later.close();
    });

    for (const [replay, texts] of Object.entries({
      safe: ["The call ID of the tool count has this result:\none more is 2"],
      ask: ["The call ID of the tool count has this result:\none more is 2"],
      never: [/^The call ID of the tool count has failed:\nThe page that carried out this call was closed/],
    })) {
      test(`a call that a page has left in the middle: ${replay}`, async (t) => {
        if (server === null) return t.skip("it is not here");
        const [begun, never] = [deferred(), deferred()];
        const dying = counting({ replay, execute: (_, context) => (begun.resolve(context), never.promise) });
        const store = memoryStore();
        const first = await open([dying], { store });
        await first.sendMessage("count 1");
        first.run();
        const { signal, idempotencyKey } = await begun.promise;
        await first.close();
        assert.equal(signal.aborted, true);
        const counted = counting({ replay });
        const second = await open([counted], { store, conversationId: first.id });
        if (replay === "ask") {
          await until(() => second.executionStatus === "waiting_for_confirmation");
          assert.deepEqual(
            (await second.pendingActions()).map(({ id }) => id),
            [idempotencyKey],
          );
          await second.run();
        } else await until(async () => (await second.finalResponse())?.startsWith("Heard"));
        const said = await textsOf(second);
        for (const [place, text] of texts.entries())
          typeof text === "string" ? assert.equal(said[place], text) : assert.match(said[place], text);
        assert.equal(said.length, 1);
        assert.deepEqual(
          counted.calls.map(({ context }) => context.idempotencyKey),
          replay === "never" ? [] : [idempotencyKey],
        );
        await second.close();
      });
    }

    test("a stop ends a call, and the agent goes on with the next run", async (t) => {
      if (server === null) return t.skip("it is not here");
      const [begun, never] = [deferred(), deferred()];
      const counted = counting({ execute: ({ number }, context) => (number > 1 ? "" : (begun.resolve(context), never.promise)) });
      const conversation = await open([counted]);
      await conversation.sendMessage("count 1");
      const stop = new AbortController();
      const running = conversation.run({ signal: stop.signal });
      const { signal } = await begun.promise;
      stop.abort();
      await assert.rejects(running, { code: "aborted" });
      assert.equal(signal.aborted, true);
      assert.deepEqual(await textsOf(conversation), [
        "The call ID of the tool count has failed:\nThe user has stopped this call. It may have taken effect in part.",
      ]);
      assert.match((await conversation.run()).finalResponse, /^Heard: has failed: The user has stopped/);
      assert.equal(counted.calls.length, 1);
      await conversation.close();
    });

    test("a pause lets a call end", async (t) => {
      if (server === null) return t.skip("it is not here");
      const [begun, end] = [deferred(), deferred()];
      const counted = counting({ execute: () => (begun.resolve(), end.promise) });
      const conversation = await open([counted]);
      await conversation.sendMessage("count 1");
      const running = conversation.run();
      await begun.promise;
      await conversation.pause();
      end.resolve("done");
      assert.equal((await running).status, "paused");
      assert.equal((await conversation.run()).finalResponse, "Heard: has this result: done");
      await conversation.close();
    });
  });
}

/** The script: calls for a question, a word for a call that the server has noted, and what it has heard for a result. */
function answerTo({ messages }) {
  const last = messages.at(-1);
  if (last.role === "tool") return { text: "I wait." };
  const text = typeof last.content === "string" ? last.content : last.content.map(({ text = "" }) => text).join("\n");
  const heard = [...text.matchAll(/^The call \S+ of the tool \S+ (.+?):\n(.*)$/gm)].at(-1);
  if (heard) return { text: `Heard: ${heard[1]}: ${heard[2]}` };
  if (text.includes("title")) return { calls: [{ name: "page_title", arguments: {} }] };
  const numbers = [...text.matchAll(/count (-?\d)/g)].map(([, number]) => ({ name: "count", arguments: { number: Number(number) } }));
  return numbers.length > 0 ? { calls: numbers } : { text: "Hello." };
}
