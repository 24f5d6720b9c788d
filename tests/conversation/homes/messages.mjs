// Messages of the user: texts, images, files, their order, and what is refused.
import { confirming, done, note, noting, outcome, same, textsIn } from "./kit.mjs";

const pixel = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const blobOf = async (url) => (await fetch(url)).blob();
const text = (text) => ({ type: "text", text });
// The name is given, too, because Node has none in the copy of a File that another handle gets.
const file = (content, name, type = "") => ({ type: "file", name, file: new File([content], name, { type }) });
const bytesOf = async (conversation, path) => new TextDecoder().decode(await conversation.workspace.read(path));

export const messages = [
  {
    name: "sendMessage() resolves to the event of the log",
    async play({ conversation }) {
      const event = await conversation.sendMessage("Hello");
      same(await conversation.events.at(await conversation.events.getIndex(event.id)), event);
      return event;
    },
  },
  {
    name: "sendMessage() with a sender",
    play: ({ conversation }) => conversation.sendMessage("Hello", { sender: "a-colleague" }),
  },
  {
    name: "sendMessage() with parts of text",
    play: ({ conversation }) => conversation.sendMessage([text("One"), text("Two")]),
  },
  {
    name: "sendMessage() with an image as a Blob",
    setup: () => ({ replies: [done] }),
    async play({ conversation }) {
      const event = await conversation.sendMessage([text("See"), await blobOf(pixel)]);
      same(event.llm_message.content.length, 2);
      return [event, await conversation.run()];
    },
  },
  {
    name: "sendMessage() with an image as a URL",
    play: ({ conversation }) => outcome(conversation.sendMessage([text("See"), { type: "image", image_urls: [pixel] }])),
  },
  {
    name: "sendMessage() with a file stores the file with it",
    async play({ conversation }) {
      const event = await conversation.sendMessage([text("Sum it up"), file("a,b\n1,2\n", "data.csv", "text/csv")]);
      same(await bytesOf(conversation, "attachments/data.csv"), "a,b\n1,2\n");
      return [event, (await conversation.workspace.list("attachments")).map(({ path }) => path)];
    },
  },
  {
    name: "sendMessage() with two files, one with text of its own",
    play: ({ conversation }) =>
      conversation.sendMessage([file("# A", "a.md"), { ...file("%PDF-1.7", "b.pdf", "application/pdf"), text: "What it says." }]),
  },
  {
    name: "sendMessage() with a file whose text a reader reads",
    setup: () => ({
      options: { attachments: { readers: [{ accepts: () => true, read: async ({ bytes }) => `${bytes.length} bytes` }] } },
    }),
    async play({ conversation }) {
      const event = await conversation.sendMessage([file(new Uint8Array([0xff, 0xfe, 0, 1]), "odd.bin")]);
      same(event.extended_content[0].text.endsWith("4 bytes"), true);
      return event;
    },
  },
  {
    name: "messages that are not awaited keep their order",
    async play({ conversation }) {
      const sent = await Promise.all(["1", "2", "3", "4", "5"].map((text) => conversation.sendMessage(text)));
      same(await textsIn(conversation), ["1", "2", "3", "4", "5"]);
      return sent;
    },
  },
  {
    name: "a message and a run that are not awaited keep their order",
    setup: () => ({ replies: [done] }),
    async play({ conversation }) {
      const [, result] = await Promise.all([conversation.sendMessage("Go"), conversation.run()]);
      return result;
    },
  },
  {
    name: "calls of several kinds that are not awaited keep their order",
    async play({ conversation }) {
      const called = [
        conversation.sendMessage("One"),
        conversation.setTags({ title: "First" }),
        conversation.setTags({ title: "Second" }),
        conversation.setAgentState({ mood: "calm" }),
        conversation.navigateTo(null),
        conversation.sendMessage("Two"),
      ];
      const results = await Promise.all(called);
      same([conversation.state.tags, conversation.title], [{ title: "Second" }, "Second"]);
      return results;
    },
  },
  {
    name: "promises of calls that are not awaited settle in their order",
    async play({ conversation }) {
      const order = [];
      const calls = [
        conversation.sendMessage("a").then(() => order.push("a")),
        conversation.sendMessage(7).catch(() => order.push("wrong")),
        conversation.sendMessage("b").then(() => order.push("b")),
      ];
      await Promise.all(calls);
      return order.filter((each) => each !== "wrong");
    },
  },
  {
    name: "a message with pending: reject rejects calls that wait",
    setup: (kit) => ({ replies: [{ calls: [noting("x")] }, done], tools: [note(kit)], options: confirming }),
    async play({ conversation }) {
      await conversation.sendMessage("Go");
      await conversation.run();
      const event = await conversation.sendMessage("Rather not", { pending: "reject" });
      return [event, await conversation.pendingActions(), await conversation.run()];
    },
  },
  {
    name: "a message while calls wait",
    setup: (kit) => ({ replies: [{ calls: [noting("x")] }], tools: [note(kit)], options: confirming }),
    async play({ conversation }) {
      await conversation.sendMessage("Go");
      await conversation.run();
      const refused = await outcome(conversation.sendMessage("Rather not"));
      same(refused.code, "invalid_state");
      // The sentence names the call.
      return [refused.name, refused.retryable, refused.message.startsWith("calls wait for approval: note (")];
    },
  },
  {
    name: "a message with pending: keep waits beside calls that wait",
    setup: (kit) => ({ replies: [{ calls: [noting("x")] }, done], tools: [note(kit)], options: confirming }),
    async play({ conversation }) {
      await conversation.sendMessage("Go");
      await conversation.run();
      const event = await conversation.sendMessage("Also", { pending: "keep" });
      const waiting = (await conversation.pendingActions()).length;
      return [event, waiting, await conversation.queue.list(), await conversation.run()];
    },
  },
  {
    name: "editMessage() answers with the event of a new branch",
    setup: () => ({ replies: [done, { text: "Again." }] }),
    async play({ conversation }) {
      const first = await conversation.sendMessage("One");
      await conversation.run();
      const second = await conversation.editMessage(first.id, "One, rather");
      const result = await conversation.run();
      return [second, result, await conversation.versions()];
    },
  },
  {
    name: "editMessage() with a file",
    async play({ conversation }) {
      const first = await conversation.sendMessage("One");
      return [
        await conversation.editMessage(first.id, [text("With"), file("x", "x.txt")]),
        await bytesOf(conversation, "attachments/x.txt"),
      ];
    },
  },
  {
    name: "a hook of messages is that of the loop",
    setup: () => ({ options: { hooks: { userPromptSubmit: async () => ({ decision: "deny", reason: "not today" }) } } }),
    play: ({ conversation }) => outcome(conversation.sendMessage("Hello")),
  },
];
