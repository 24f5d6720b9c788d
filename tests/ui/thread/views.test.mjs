// Several views on one conversation, as tabs have them: each acts, and one takes the place of another.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Conversation } from "../../../dist/index.js";
import { threadOf } from "../../../dist/thread.js";
import { seen, stage, until } from "./stage.mjs";

// What handles say to each other does not keep a process alive.
const alive = setInterval(() => {}, 60_000);
after(() => clearInterval(alive));

test("the handle of opened() becomes the writer with its thread, and its subscriptions and watches go on", async () => {
  const { open, agent, store } = stage([{ text: "Hello." }]);
  const writer = await Conversation.open({ agent, store });
  const thread = open({ conversationId: writer.id });
  const handle = await thread.opened();
  assert.ok(handle instanceof Conversation);
  assert.deepEqual([handle.access, thread.getSnapshot().conversation === handle], ["follower", true]);
  const heard = [];
  const changed = [];
  const stop = handle.subscribe((event) => "id" in event && heard.push(event.kind));
  const stopWatching = handle.workspace.watch((changes) => changed.push(JSON.stringify(changes)));
  await writer.close();
  await until(thread, ({ access }) => access === "writer");
  assert.deepEqual(
    [handle.access, thread.getSnapshot().conversation === handle, (await thread.opened()) === handle],
    ["writer", true, true],
  );
  await handle.sendMessage("Hi");
  assert.equal((await handle.run()).finalResponse, "Hello.");
  assert.deepEqual(heard, ["SystemPromptEvent", "MessageEvent", "MessageEvent"]);
  await handle.workspace.write("a.txt", "a");
  assert.match(changed.join(), /a\.txt/);
  stop();
  stopWatching();
  await handle.sendMessage("Silence");
  await handle.workspace.write("b.txt", "b");
  assert.deepEqual([heard.length, changed.join().includes("b.txt")], [3, false]);
  await thread.close();
  await assert.rejects(thread.opened(), { code: "invalid_state" });
});

test("a view never closes a conversation of somebody else to take over", async () => {
  const { agent, store } = stage([]);
  const writer = await Conversation.open({ agent, store });
  const follower = await Conversation.open({ agent, store, conversationId: writer.id, takeOver: "never" });
  const thread = threadOf(follower);
  await thread.opened();
  const free = new Promise((resolve) => follower.subscribe((event) => event.key === "access" && resolve()));
  await writer.close();
  await free;
  const { error, isSilent, access } = thread.getSnapshot();
  assert.deepEqual([error, isSilent, access], [null, true, "free"], "nobody answers, and the view may offer to take over");
  await assert.rejects(thread.send("Hi"), { code: "locked_elsewhere" });
  await follower.takeOver();
  await until(thread, ({ access, isSilent }) => access === "writer" && !isSilent);
  await thread.close();
  await follower.sendMessage("It is still open");
  await follower.close();
});

/** A thread on a handle of its own, as in another tab. */
async function another(agent, store, conversationId, options) {
  const handle = await Conversation.open({ agent, store, conversationId, ...options });
  const thread = threadOf(handle);
  await thread.opened();
  return { handle, thread };
}

test("two views on one conversation: write, queue, approve and stop in either, and close the one that works", async () => {
  const asks = { confirmationPolicy: { kind: "AlwaysConfirm" } };
  const pay = { name: "pay", arguments: { sum: 1 } };
  const { agent, store } = stage([
    { text: "Hello." },
    { text: "May I?", calls: [pay] },
    { text: "Paid." },
    { text: "This breaks off after a few words.", stallAfter: 3 },
    { text: "I am here." },
  ]);
  const one = await another(agent, store, undefined, asks);
  const two = await another(agent, store, one.handle.id, asks);
  const both = (isSo) => Promise.all([one, two].map(({ thread }) => until(thread, isSo)));
  assert.deepEqual([one.thread.getSnapshot().home, two.thread.getSnapshot().home], ["here", "tab"]);

  await two.thread.send("Hi");
  const [here, there] = await both(({ status, isRunning }) => status === "finished" && !isRunning);
  assert.deepEqual([seen(here), seen(there)], Array(2).fill(["user: Hi", "assistant: Hello."]));

  await one.thread.send("Pay");
  const [, asked] = await both(({ approvals, isRunning }) => approvals.length === 1 && !isRunning);
  await two.thread.send("And then", { pending: "keep" });
  assert.equal(two.thread.getSnapshot().messages.at(-1).state, "queued");
  assert.equal((await two.handle.queue.list()).length, 1);
  await two.thread.removeMessage(two.thread.getSnapshot().messages.at(-1).id);
  await two.thread.approve([asked.approvals[0].actionId]);
  await both(({ status, isRunning }) => status === "finished" && !isRunning);

  await one.thread.send("Tell me more");
  await until(
    two.thread,
    ({ messages, isRunning }) => isRunning && messages.at(-1).state === "streaming" && messages.at(-1).parts.length > 0,
  );
  await two.thread.stop();
  const stopped = await both(({ isRunning, status }) => status === "paused" && !isRunning);
  for (const { messages } of stopped)
    assert.match(
      messages
        .at(-1)
        .parts.map(({ text, state }) => `${text} ${state}`)
        .join(),
      /^This.* incomplete/,
    );

  await one.thread.close();
  await one.handle.close();
  await until(two.thread, ({ home }) => home === "here");
  await two.thread.send("Are you there?");
  assert.match(seen(await until(two.thread, ({ status }) => status === "finished")).at(-1), /I am here/);
  await two.thread.close();
  await two.handle.close();
});

test("an action that nobody answers is shown, and is carried out once after taking over", async (t) => {
  const { agent, store } = stage([{ text: "Hello." }]);
  const one = await another(agent, store);
  const two = await another(agent, store, one.handle.id);
  await two.handle.queue.list();
  // What is said to a frozen tab reaches it when it wakes.
  const held = [];
  const { postMessage } = BroadcastChannel.prototype;
  t.after(() => (BroadcastChannel.prototype.postMessage = postMessage));
  BroadcastChannel.prototype.postMessage = function (message) {
    if ("from" in message) held.push(() => postMessage.call(this, message));
    else postMessage.call(this, message);
  };
  const sent = two.thread.send("Hi");
  await until(two.thread, ({ isSilent }) => isSilent);
  await two.handle.takeOver();
  BroadcastChannel.prototype.postMessage = postMessage;
  await sent;
  const end = await until(two.thread, ({ status, isSilent }) => status === "finished" && !isSilent);
  assert.deepEqual([end.home, seen(end)], ["here", ["user: Hi", "assistant: Hello."]]);
  const other = await until(one.thread, ({ home, status }) => home === "tab" && status === "finished");
  assert.deepEqual(seen(other), seen(end));
  for (const { thread, handle } of [one, two]) {
    await thread.close();
    await handle.close();
  }
});
