// Everything that a host gives as text, each with half a character in it, as `"Be brief 😀".slice(0, 10)` leaves one.
import { Agent, Conversation, LLM, memoryStore, taskTool, tool } from "../../dist/index.js";
import { createModel } from "./model.mjs";

/** A text that ends in half a character, and what is stored of it. */
export const half = "Be brief 😀".slice(0, 10);
export const mended = "Be brief \ufffd";
/** Nothing but half a character, as a name. */
export const bare = "\ud83d";

const note = (more) =>
  tool({ name: "note", description: "Keeps a note.", parameters: { type: "object" }, execute: () => "Noted.", ...more });
const noted = { calls: [{ name: "note", arguments: { text: "a" } }] };
const done = { text: "Done." };
const skill = (more) => ({ agent: { agentContext: { skills: [{ name: "house", content: "Be kind.", ...more }], currentDatetime: null } } });
const context = (more) => ({ agent: { agentContext: { currentDatetime: null, ...more } } });
const pattern = [`a${half}`, half, half];
const everything = { [half]: { [half]: [half, `${half} 😀 \\ud83d`] }, [bare]: 1 };
const say = async (conversation, message = "Please do it.", options) => {
  await conversation.sendMessage(message, options);
  await conversation.run();
};
const results = (execute) => ({ tools: [note({ execute })], replies: [noted, done] });

/** A conversation in which one of these was given; it is closed when the test ends. */
export async function conversationWith(
  t,
  { agent = {}, llm: own = {}, options = {}, tools = [], replies = [done], play = ({ conversation }) => say(conversation) },
) {
  const model = createModel([...replies]);
  const llm = (more) => new LLM({ model: "openai/gpt-4o", usageId: "agent", numRetries: 1, fetch: model.fetch, ...more });
  const more = typeof agent === "function" ? agent({ llm }) : agent;
  const opened = await Conversation.open({ agent: new Agent({ llm: llm(own), tools, ...more }), store: memoryStore(), ...options });
  t.after(() => opened.close());
  const other = await play({ conversation: opened, llm });
  if (other) t.after(() => other.close());
  return other ?? opened;
}

/**
 * By name: `agent`, `llm`, `options` and `tools` of a conversation, the `replies` of its model, and what is done with it
 * (`play`, by default one message is sent and run), which may return another conversation to look at. With `isUnstored`
 * nothing of the text is in the files.
 */
export const givenTexts = {
  "a system prompt": { agent: { systemPrompt: half } },
  "a message": { play: ({ conversation }) => say(conversation, half) },
  "a message in parts": {
    play: ({ conversation }) =>
      say(conversation, [
        { type: "text", text: half },
        { type: "text", text: bare },
      ]),
  },
  "the URL of an image": {
    play: ({ conversation }) => say(conversation, [{ type: "image", image_urls: [`https://images.test/${half}`] }]),
  },
  "a message in place of another": {
    replies: [done, done],
    async play({ conversation }) {
      await say(conversation);
      const { id } = await conversation.events.at(1);
      await conversation.editMessage(id, half);
      await conversation.run();
    },
  },
  "a sender": { play: ({ conversation }) => say(conversation, "Please do it.", { sender: half }) },
  "a tag": { options: { tags: { note: half } } },
  "tags that are set": { play: ({ conversation }) => conversation.setTags({ title: half, note: bare }) },
  "the title and tags of a copy": {
    async play({ conversation }) {
      await say(conversation);
      return conversation.fork({ title: half, tags: { note: bare } });
    },
  },
  "agent state": { play: ({ conversation }) => conversation.setAgentState(everything) },
  "agent state before a run": {
    tools: [note({ annotations: { destructiveHint: true } })],
    replies: [noted, done],
    async play({ conversation }) {
      await conversation.setAgentState(everything);
      // A call that waits is noted beside the host's fields.
      await say(conversation);
      await conversation.run();
    },
  },
  "a skill's name": skill({ name: half }),
  "a skill's content": skill({ content: half }),
  "a skill's source": skill({ source: half }),
  "a skill's description": skill({ description: half, isAgentskillsFormat: true }),
  "a description that is too long, cut in the middle of a character": skill({
    description: `${"a".repeat(495)}${bare}${"b".repeat(600)}`,
    isAgentskillsFormat: true,
  }),
  "a skill's keywords": skill({ trigger: { type: "keyword", keywords: [half] } }),
  "a skill's paths": skill({ trigger: { type: "path", paths: [half] } }),
  "a skill's triggers and inputs": skill({ trigger: { type: "task", triggers: [half] }, inputs: [{ name: half, description: half }] }),
  "a skill's version": skill({ version: half }),
  "a skill's license": skill({ license: half }),
  "a skill's compatibility": skill({ compatibility: half }),
  "a skill's metadata": skill({ metadata: { [half]: half } }),
  "a skill's allowed tools": skill({ allowedTools: [half] }),
  "a skill's resources": skill({ resources: { skillRoot: half, scripts: [half], references: [half], assets: [half] } }),
  "the suffix of the system prompt": context({ systemMessageSuffix: half }),
  "the suffix of messages": context({ userMessageSuffix: half }),
  "a memory": context({ memoryContext: half }),
  "names of skills to leave out": context({ disabledSkills: [half] }),
  "a date": { agent: { agentContext: { currentDatetime: half } } },
  "patterns of an analyzer": {
    options: {
      securityAnalyzer: {
        kind: "PatternSecurityAnalyzer",
        highPatterns: [pattern],
        mediumPatterns: [pattern],
        injectionHighPatterns: [pattern],
        injectionMediumPatterns: [pattern],
      },
    },
  },
  "patterns of an analyzer in another": {
    options: {
      securityAnalyzer: { kind: "EnsembleSecurityAnalyzer", analyzers: [{ kind: "PatternSecurityAnalyzer", highPatterns: [pattern] }] },
    },
  },
  "an analyzer that is set": {
    play: ({ conversation }) => conversation.setSecurityAnalyzer({ kind: "PatternSecurityAnalyzer", highPatterns: [pattern] }),
  },
  "the name of a secret": { options: { secrets: { [half]: "a value that is hidden" } } },
  "an encrypted secret": { options: { secrets: { TOKEN: half }, cipher: "a passphrase" }, isUnstored: true },
  "a passphrase": { options: { secrets: { TOKEN: "a value that is hidden" }, cipher: half }, isUnstored: true },
  "the headers of a secret": {
    options: { secrets: { TOKEN: { url: `https://vault.test/${half}`, headers: { "X-Note": half, [half]: "a" } } } },
  },
  "the name of a model": { llm: { model: `openai/${half}` } },
  "the address of a model": { llm: { baseUrl: `https://model.test/${half}` } },
  "a usage id": { llm: { usageId: half } },
  "the retention of a prompt's cache": { llm: { promptCacheRetention: half } },
  "a model that answers from some point on": {
    async play({ conversation, llm }) {
      await say(conversation);
      await conversation.switchLLM(llm({ usageId: half }));
    },
  },
  "a condenser's model": {
    agent: ({ llm }) => ({ condenser: { kind: "LLMSummarizingCondenser", llm: llm({ usageId: half }), maxSize: 20 } }),
  },
  "a tool's description": { tools: [note({ description: half })] },
  "a tool's title": { tools: [note({ annotations: { title: half } })] },
  "a tool's parameters": { tools: [note({ parameters: { type: "object", properties: { [half]: { description: half, enum: [half] } } } })] },
  "a result": results(() => half),
  "a result that is JSON": results(() => everything),
  "a result in parts": results(() => ({ content: [{ type: "text", text: half }] })),
  "an error of a tool": results(() => {
    throw new Error(half);
  }),
  "a kind of sub-agent": {
    tools: [taskTool({ agents: [{ name: half, description: half, systemPrompt: half }] })],
    // The name as the model reads it.
    replies: [{ calls: [{ name: "task", arguments: { prompt: "Please do it.", subagent_type: mended } }] }, { text: "I did it." }, done],
  },
  "the arguments of an edited call": {
    tools: [note({ needsApproval: true })],
    replies: [noted, done],
    async play({ conversation }) {
      await say(conversation);
      const [{ id }] = await conversation.pendingActions();
      await conversation.editAction(id, { text: half, ...everything });
      await conversation.run();
    },
  },
  "the reason of a rejection": {
    tools: [note({ needsApproval: true })],
    replies: [noted, done],
    async play({ conversation }) {
      await say(conversation);
      await conversation.rejectPendingActions(half);
    },
  },
  "names of tools that are allowed": { play: ({ conversation }) => conversation.setAllowedTools([half]) },
  "what a hook says": {
    tools: [note()],
    options: {
      hooks: {
        userPromptSubmit: () => ({ decision: "allow", additionalContext: half }),
        preToolUse: () => ({ decision: "deny", reason: half }),
      },
    },
    replies: [noted, done],
  },
  "what a hook throws": {
    options: {
      hooks: {
        userPromptSubmit() {
          throw new Error(half);
        },
      },
    },
  },
  "what a critic says": { agent: { critic: { evaluate: () => ({ score: 1, message: half, metadata: everything }) } } },
  "the schema of an answer": {
    agent: { finalAnswer: { type: "object", properties: { answer: { type: "string", description: half } }, required: ["answer"] } },
    replies: [{ calls: [{ name: "finish", arguments: { message: "Done.", answer: "a" } }] }],
  },
  "a regular expression for tools": { agent: { filterToolsRegex: half } },
  "the header of a server": {
    agent: { mcpServers: { search: { url: `https://search.test/${half}`, fetch: async () => new Response(null, { status: 404 }) } } },
  },
};
