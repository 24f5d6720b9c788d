// Conversations at the limits of tokens, and of Claude after another model: in Node and in pages, with the library that is
// given. They return what a test compares.
import { ScriptedModel } from "./model/script.mjs";

const kind = "LLMSummarizingCondenser";

/** A model of the library whose replies come from `script`, and the server behind it. */
export function served({ LLM }, script, options = {}) {
  const server = new ScriptedModel(script);
  return {
    server,
    llm: new LLM({ model: "openai/gpt-4o", apiKey: "sk-0123456789abcdef", fetch: server.fetch, numRetries: 1, ...options }),
  };
}

export const always = (text, usage) => () => ({ text, usage });

/**
 * Runs a conversation whose instructions alone are over the limit, three times anew and twice after a reload, and returns
 * how each run ended and how many summaries it has made; and how many requests were sent beside those.
 */
export async function instructionsOverTheLimit(library, store, keepFirst) {
  const { Agent, Conversation } = library;
  const talk = served(library, always("Hello."));
  const small = served(library, always("They said hello."));
  const open = (maxTokens, conversationId) =>
    Conversation.open({
      agent: new Agent({ llm: talk.llm, condenser: { kind, llm: small.llm, maxTokens, keepFirst } }),
      store,
      conversationId,
    });
  const runs = [];
  const run = async (conversation) => {
    const before = small.server.requests.length;
    await conversation.sendMessage("Hello.");
    const { code, message } = await conversation.run().catch((error) => error);
    runs.push({
      code,
      namesTheLimit: /maxTokens/.test(message),
      status: conversation.executionStatus,
      summaries: small.server.requests.length - before,
    });
  };
  const fresh = await open(100);
  for (let n = 0; n < 3; n += 1) await run(fresh);
  const requests = talk.server.requests.length;
  await fresh.close();

  const stored = await open(50_000);
  for (let n = 0; n < 5; n += 1) {
    await stored.sendMessage("Hello.");
    await stored.run();
  }
  await stored.close();
  const reopened = await open(100, stored.id);
  for (let n = 0; n < 2; n += 1) await run(reopened);
  await reopened.close();
  return { runs, requests };
}

/** How each of these runs has to end. */
export const overTheLimit = { code: "llm_context_window", namesTheLimit: true, status: "error", summaries: 1 };

/**
 * Talks with a model whose server counts no tokens. Returns what is wrong with the estimates and lengths of its requests, and
 * how many summaries were made.
 */
export async function notCounted(library, store, { model, usage, stream, countTokens }) {
  const { Agent, Conversation } = library;
  const talk = served(library, always("Read.", usage), { model, stream });
  const small = served(library, always("A text of words."));
  const agent = new Agent({ llm: talk.llm, countTokens, condenser: { kind, llm: small.llm, maxTokens: 4000 } });
  const conversation = await Conversation.open({ agent, store });
  const wrong = [];
  for (let turn = 0; turn < 7; turn += 1) {
    await conversation.sendMessage("word ".repeat(1600));
    await conversation.run();
    const bytes = JSON.stringify(talk.server.requests.at(-1).body).length;
    const { usedTokens } = await conversation.contextUsage();
    if (!(usedTokens > bytes / 8 && usedTokens < bytes)) wrong.push(`${usedTokens} tokens for ${bytes} bytes: ${model}`);
    if (bytes >= 25_000) wrong.push(`${bytes} bytes leave: ${model}`);
  }
  await conversation.close();
  return { wrong: [...wrong, ...talk.server.violations], summaries: small.server.requests.length };
}

/** Claude goes on after a call of another model that a message has rejected. Returns what happened, and what a server would have refused. */
export async function rejectedCallOfAnother(library, store) {
  const { Agent, Conversation, tool } = library;
  const pay = tool({
    name: "pay",
    description: "Pays.",
    parameters: { type: "object", properties: {} },
    needsApproval: true,
    execute: () => "paid",
  });
  const claude = served(library, [{ reasoning: "Hm.", text: "Hello." }, { text: "Then not." }, { reasoning: "Well.", text: "Good." }], {
    model: "anthropic/claude-sonnet-4-5",
  });
  const other = served(library, [{ calls: [{ name: "pay", arguments: {} }] }]);
  const conversation = await Conversation.open({ agent: new Agent({ llm: claude.llm, tools: [pay] }), store });
  await conversation.sendMessage("Hi");
  await conversation.run();
  await conversation.switchLLM(other.llm);
  await conversation.sendMessage("Pay Ann");
  await conversation.run();
  const status = conversation.executionStatus;
  await conversation.switchLLM(claude.llm);
  await conversation.sendMessage("No, do not", { pending: "reject" });
  await conversation.run();
  const answer = await conversation.finalResponse();
  await conversation.sendMessage("Thank you");
  await conversation.run();
  await conversation.close();
  const thinking = claude.server.requests.map(({ body }) => body.thinking?.type ?? "none");
  return { status, answer, thinking, refused: [...claude.server.violations, ...other.server.violations] };
}

/** What that has to return. */
export const goesOn = { status: "waiting_for_confirmation", answer: "Then not.", thinking: ["enabled", "none", "enabled"], refused: [] };
