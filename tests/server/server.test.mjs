// The real agent server, alone: that it starts, answers, and has everything after a crash.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createModel } from "../support/model.mjs";
import { until } from "../support/until.mjs";
import { startAgentServer } from "./agent-server.mjs";
import { python, serverVersions } from "./setup.mjs";

for (const version of serverVersions) {
  describe(`the agent server ${version}`, () => {
    let model;
    let upstream;
    let server;

    before(async () => {
      model = createModel([
        { calls: [{ name: "think", arguments: { thought: "Not hard." } }] },
        { calls: [{ name: "terminal", arguments: { command: "printf 'four: %s\\n' $((2 + 2))" } }] },
        { text: "It is four." },
      ]);
      upstream = await model.listen();
      server = await startAgentServer({ version, model: upstream.baseUrl });
    });

    after(async () => {
      await server?.stop();
      await upstream.close();
    });

    test("has what happened in a run after it was killed", async (t) => {
      if (server === null) return t.skip("it is not here");
      assert.equal((await server.ask("GET", "/server_info")).json.version, version);
      const created = await server.ask("POST", "/api/conversations", {
        agent: { ...server.agent, tools: [{ name: "terminal" }] },
        workspace: { kind: "LocalWorkspace", working_dir: server.workspace },
        // It would ask the model for a title.
        autotitle: false,
      });
      assert.equal(created.status, 201, created.text);
      const place = `/api/conversations/${created.json.id}`;

      const content = [{ type: "text", text: "How much is two and two?" }];
      const sent = await server.ask("POST", `${place}/events`, { role: "user", content, run: true });
      assert.deepEqual([sent.status, sent.json], [200, { success: true }]);
      await until(async () => (await server.ask("GET", place)).json.execution_status === "finished");

      const events = await settled(server, place);
      const conversation = events.filter(({ kind }) => kind !== "ConversationStateUpdateEvent");
      assert.deepEqual(
        conversation.map(({ kind, tool_name: tool }) => (tool ? `${kind} ${tool}` : kind)),
        [
          "SystemPromptEvent",
          "MessageEvent",
          "ActionEvent think",
          "ObservationEvent think",
          "ActionEvent terminal",
          "ObservationEvent terminal",
          "MessageEvent",
        ],
      );
      assert.match(conversation.at(-2).observation.content[0].text, /four: 4/);
      assert.equal(conversation.at(-1).llm_message.content[0].text, "It is four.");
      model.check();

      const stored = server.stored(created.json.id).map(({ text }) => JSON.parse(text));
      assert.deepEqual(stored, events);

      await server.kill();
      await assert.rejects(fetch(`${server.host}/ready`));
      await server.start();
      assert.equal((await server.ask("GET", place)).json.execution_status, "finished");
      assert.deepEqual(await paged(server, place), events);
    });

    test("answers only those who have its key", async (t) => {
      if (server === null) return t.skip("it is not here");
      const refused = await server.ask("GET", "/api/conversations/search", undefined, { "x-session-api-key": "another" });
      assert.deepEqual([refused.status, refused.json], [401, { detail: "Unauthorized" }]);
    });
  });
}

test("a server that cannot start is an error with its last words", async (t) => {
  const [version] = serverVersions;
  if (!(await python(version)).argv) return t.skip("it is not here");
  const wrong = startAgentServer({ version, env: { OH_LEASE_TTL_SECONDS: "soon" } });
  await assert.rejects(wrong, ({ message }) => /^the agent server \S+ ended with 1;/.test(message) && message.includes("'soon'"));
});

/** All events of a conversation, in pages that are smaller than it. */
async function paged(server, place) {
  const events = [];
  for (let page = ""; page !== null; ) {
    const { status, json, text } = await server.ask("GET", `${place}/events/search?limit=5${page && `&page_id=${page}`}`);
    assert.equal(status, 200, text);
    events.push(...json.items);
    page = json.next_page_id;
  }
  return events;
}

/** Updates of the statistics may be stored after the end of a run. */
async function settled(server, place) {
  let events;
  await until(async () => {
    const before = events?.length;
    events = await paged(server, place);
    const used = events.filter(({ key }) => key === "stats").at(-1)?.value.usage_to_metrics.agent.accumulated_token_usage;
    return events.length === before && used?.completion_tokens > 0;
  });
  return events;
}
