// A service worker that holds a conversation on request, and returns the result.
import { ScriptedModel } from "/support/model/script.mjs";
import * as library from "/threadkeep/static.js";

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("message", (event) => event.waitUntil(answer(event)));

async function answer({ data: id, ports: [port] }) {
  try {
    port.postMessage({ result: await converse(id) });
  } catch (error) {
    port.postMessage({ failed: `${error.code}: ${error.stack}` });
  }
}

async function converse(conversationId) {
  const { Agent, Conversation, LLM, tool } = library;
  const roll = tool({
    name: "roll",
    description: "Rolls.",
    parameters: { type: "object", properties: { sides: { type: "integer" } } },
    execute: async (_, { secret }) => ((await secret("TOKEN")) ? "rolled" : "no secret"),
  });
  const { fetch } = new ScriptedModel([{ calls: [{ name: "roll", arguments: { sides: 6 } }] }, { text: "Done." }]);
  const llm = new LLM({ model: "openai/gpt-4o", apiKey: "k", fetch, stream: false, numRetries: 1 });
  const conversation = await Conversation.open({
    agent: new Agent({ llm, tools: [roll] }),
    conversationId,
    secrets: { TOKEN: "a-value" },
    cipher: "a passphrase",
    securityAnalyzer: { kind: "PatternSecurityAnalyzer" },
  });
  await conversation.sendMessage("Roll.");
  const { finalResponse } = await conversation.run();
  const { size } = await conversation.exportZip();
  const [{ role }] = await conversation.toMessages();
  const { input } = await conversation.toMessages("responses");
  const kinds = (await conversation.events.slice()).map(({ kind }) => kind);
  await conversation.close();
  return { access: conversation.access, finalResponse, hasZip: size > 1000, role, hasInput: input.length > 0, kinds };
}
