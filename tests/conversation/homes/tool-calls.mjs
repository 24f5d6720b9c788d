// Calls of the host's own: executeTool(), its context, its signal, its errors.
import { note, outcome, same, slow } from "./kit.mjs";

const contextTool = ({ library }) =>
  library.tool({
    name: "context",
    description: "Tells of its context.",
    parameters: { type: "object" },
    async execute(_, { conversationId, idempotencyKey, toolCallId, secret }) {
      return { conversationId, key: idempotencyKey.length > 0, call: toolCallId.length > 0, secret: await secret("TOKEN") };
    },
  });

export const toolCalls = [
  {
    name: "executeTool() resolves to the observation, and writes no event",
    setup: (kit) => ({ tools: [note(kit)] }),
    async play({ conversation }) {
      const observation = await conversation.executeTool("note", { text: "quietly" });
      same([observation.content[0].text, conversation.events.length], ["QUIETLY", 0]);
      return observation;
    },
  },
  {
    name: "executeTool() gives the tool its conversation, a key and the secrets of the loop",
    setup: (kit) => ({ tools: [contextTool(kit)], options: { secrets: { TOKEN: "a-long-secret-value" } } }),
    async play({ conversation }) {
      const { content } = await conversation.executeTool("context");
      same(JSON.parse(content[0].text).conversationId, conversation.id);
      same(content[0].text.includes("a-long-secret-value"), false, "a secret in a result");
      return content;
    },
  },
  {
    name: "executeTool() of a tool that throws",
    setup: (kit) => ({
      tools: [
        note(kit, {
          execute() {
            throw new Error("no ink");
          },
        }),
      ],
    }),
    async play({ conversation }) {
      const observation = await conversation.executeTool("note", { text: "x" });
      same(observation.is_error, true);
      return observation;
    },
  },
  {
    name: "executeTool() of a tool that does not exist",
    setup: (kit) => ({ tools: [note(kit)] }),
    async play({ conversation }) {
      const refused = await outcome(conversation.executeTool("nothing"));
      same(refused.code, "not_found");
      return refused;
    },
  },
  {
    name: "executeTool() with arguments that do not fit",
    setup: (kit) => ({ tools: [note(kit)] }),
    async play({ conversation }) {
      const refused = await outcome(conversation.executeTool("note", { text: 7 }));
      same(refused.code, "invalid_options");
      return refused;
    },
  },
  {
    name: "executeTool() with an unknown option",
    setup: (kit) => ({ tools: [note(kit)] }),
    play: ({ conversation }) => outcome(conversation.executeTool("note", { text: "x" }, { singal: 1 })),
  },
  {
    name: "executeTool() is stopped by its signal, which the tool sees",
    setup: (kit) => ({ tools: [slow(kit)] }),
    async play({ conversation, gate }) {
      const controller = new AbortController();
      const call = outcome(conversation.executeTool("slow", {}, { signal: controller.signal }));
      await gate.passed("began");
      controller.abort();
      const stopped = await call;
      same(stopped.code, "aborted");
      return stopped;
    },
  },
  {
    name: "executeTool() with a signal that was aborted before",
    setup: (kit) => ({ tools: [note(kit)] }),
    async play({ conversation }) {
      const stopped = await outcome(conversation.executeTool("note", { text: "x" }, { signal: AbortSignal.abort() }));
      same(stopped.code, "aborted");
      return stopped;
    },
  },
  {
    name: "executeTool() with a signal that is none",
    setup: (kit) => ({ tools: [note(kit)] }),
    play: ({ conversation }) => outcome(conversation.executeTool("note", { text: "x" }, { signal: "now" })),
  },
  {
    name: "two calls of executeTool() at once",
    setup: (kit) => ({ tools: [note(kit)] }),
    play: ({ conversation }) => Promise.all(["a", "b"].map((text) => conversation.executeTool("note", { text }))),
  },
  {
    name: "executeTool() whose progress is heard",
    setup: (kit) => ({ tools: [slow(kit)] }),
    async play({ conversation, gate, hears }) {
      const call = conversation.executeTool("slow");
      await hears(({ kind, text }) => kind === "ToolProgressEvent" && text === "under way");
      gate.open("go on");
      return call;
    },
  },
  {
    name: "executeTool() of a built-in tool changes the files of the conversation",
    setup: ({ library }) => ({ tools: [library.fileEditor()] }),
    async play({ conversation }) {
      const create = { command: "create", path: "/workspace/a.txt", file_text: "A" };
      const observation = await conversation.executeTool("file_editor", create);
      return [observation, (await conversation.workspace.list("")).map(({ path }) => path)];
    },
  },
];
