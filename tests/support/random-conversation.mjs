// A random conversation with several models in turn, one of which thinks, with a small limit of tokens, calls that wait and are
// rejected, and servers that count nothing. It fails if a server refuses a request, or if a run only condenses.
import assert from "node:assert/strict";
import { Agent, Conversation, LLM, memoryStore, tool } from "../../dist/index.js";
import { createModel } from "./model.mjs";
import { randomFrom } from "./random.mjs";

const kind = "LLMSummarizingCondenser";
const parameters = { type: "object", properties: {} };

function served(script, options) {
  const server = createModel(script);
  return {
    server,
    llm: new LLM({ model: "openai/gpt-4o", apiKey: "sk-0123456789abcdef", fetch: server.fetch, numRetries: 1, ...options }),
  };
}

/** Replies of a model with this name, which is noted in `log` when it is asked. */
function replies(random, log, name) {
  return (body) => {
    log.push(name);
    const calls = [];
    const count = random.chance(0.5) ? random.between(1, 2) : 0;
    while (calls.length < count && calls.at(-1)?.name !== "finish") {
      const name = random.of(["look", "look", "pay", "finish"]);
      calls.push({ name, arguments: name === "finish" ? { message: "Done." } : {} });
    }
    const text = calls.length === 0 || random.chance(0.7) ? "So it is. ".repeat(random.between(1, 30)) : undefined;
    return { text, calls, reasoning: body.thinking && "Hm.", usage: random.chance(0.5) ? null : undefined };
  };
}

/** Plays the conversation of this seed. Resolves to its id, its archive, and the numbers of summaries and of thoughts. */
export async function converse({ seed, turns = 8 }) {
  const random = randomFrom(seed);
  const log = [];
  const reply = (name) => replies(random, log, name);
  const servers = [
    served(reply("claude"), { model: "anthropic/claude-sonnet-4-5" }),
    served(reply("chat")),
    served(reply("responses"), { model: "openai/gpt-5" }),
  ];
  const small = served(() => (log.push("summary"), { text: "It was said. ".repeat(random.between(1, 20)), usage: null }));
  const condenser = {
    kind,
    llm: small.llm,
    maxTokens: random.of([2500, 4000, 50_000]),
    keepFirst: random.of([1, 2, 4]),
    maxSize: random.of([12, 240]),
  };
  const look = tool({ name: "look", description: "Looks.", parameters, execute: () => "It is there. ".repeat(random.between(1, 40)) });
  const pay = tool({ name: "pay", description: "Pays.", parameters, needsApproval: true, execute: () => "paid" });
  const store = memoryStore();
  let conversation;
  const open = async () => {
    const agent = new Agent({ llm: random.of(servers).llm, condenser, tools: [look, pay] });
    conversation = await Conversation.open({ agent, store, conversationId: conversation?.id, maxIterationPerRun: 12 });
  };
  await open();
  for (let turn = 0; turn < turns; turn += 1) {
    if (random.chance(0.5)) await conversation.switchLLM(random.of(servers).llm);
    if (random.chance(0.2)) {
      await conversation.close();
      await open();
    }
    if (random.chance(0.1)) await conversation.condense().catch(({ code }) => assert.equal(code, "invalid_state"));
    for (let message = random.between(1, 3); message > 0; message -= 1) {
      await conversation.sendMessage("And what then? ".repeat(random.between(1, 30)), { pending: random.of(["reject", "keep"]) });
    }
    log.length = 0;
    await conversation.run().catch(({ code, message }) => assert.fail(`${code}: ${message}, seed ${seed}`));
    const summaries = log.filter((name) => name === "summary").length;
    assert.ok(summaries <= log.length - summaries + 1, `${log.join(" ")}, seed ${seed}`);
  }
  for (const { server } of [...servers, small]) assert.deepEqual(server.violations, [], `seed ${seed}`);
  await conversation.rejectPendingActions();
  const zip = await conversation.exportZip();
  await conversation.close();
  return {
    id: conversation.id,
    zip,
    summaries: small.server.requests.length,
    thoughts: servers[0].server.requests.filter(({ body }) => body.thinking).length,
  };
}
