// Lists of messages as a chat should not give them: to the transport, and to an import.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importUIMessages } from "../../../dist/ai-sdk.js";
import { Conversation } from "../../../dist/index.js";
import { chatWith } from "./shared.mjs";

test("messages and parts that are missing or not of their form are refused, and nothing is stored", async () => {
  const { open, close, store, id } = chatWith([]);
  const { transport } = await open();
  const hole = Array(1);
  const user = (parts) => ({ id: "m", role: "user", parts });
  const lists = [
    null,
    hole,
    [null],
    Object.assign(Array(3), { 0: user([{ type: "text", text: "Hi" }]), 2: user([{ type: "text", text: "Hi" }]) }),
    ...[
      hole,
      [null],
      ["x"],
      [{}],
      [{ type: 7 }],
      [{ type: "text" }],
      [{ type: "text", text: null }],
      [{ type: "file" }],
      [{ type: "file", url: "x" }],
    ].map((parts) => [user(parts)]),
  ];
  for (const messages of lists)
    await assert.rejects(
      transport.sendMessages({ chatId: id, messages, trigger: "submit-message" }),
      { code: "invalid_options", message: "sendMessages() takes the messages of useChat" },
      JSON.stringify(messages),
    );
  assert.deepEqual(await Conversation.list({ store }), []);
  for (const messages of [...lists.slice(0, 4), [user(hole)], [user([null])]])
    await assert.rejects(importUIMessages(messages, { store }), { code: "archive_invalid" }, JSON.stringify(messages));
  await close();
});
