// Random changes of a conversation's files and moves in its tree, whose files at each event are compared with those that were
// read when HEAD was there. Runs in Node and in pages, on any store.
import { ScriptedModel } from "../support/model/script.mjs";
import { randomFrom } from "../support/random.mjs";

/** Path and text of all files. */
export async function contents(workspace, path = "") {
  const found = {};
  for (const { path: child, type } of await workspace.list(path)) {
    if (type === "file") found[child] = new TextDecoder().decode(await workspace.read(child));
    else Object.assign(found, await contents(workspace, child));
  }
  return Object.fromEntries(Object.entries(found).sort());
}

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** Makes so many steps. Returns sentences about files that are not as they were. */
export async function randomVersions({ Agent, Conversation, LLM, fileEditor }, store, seed, steps) {
  const random = randomFrom(seed);
  const faults = [];
  let wants = [];
  const { fetch } = new ScriptedModel(() => {
    const calls = wants;
    wants = [];
    return calls.length > 0 ? { calls } : { text: "Done." };
  });
  const llm = new LLM({ model: "openai/m", baseUrl: "https://model.invalid", stream: false, fetch });
  const agent = new Agent({ llm, tools: [fileEditor()] });
  let conversation = await Conversation.open({ agent, store });
  const { id } = conversation;
  /** The files by the id of the event at which HEAD was last. */
  const at = new Map();
  const change = () => ({ path: random.of(["a", "b", "c/d"]), text: random.of(["", "one", "two", "three\n".repeat(20)]) });
  const expect = (what, found, expected) => {
    if (!same(found, expected)) faults.push(`${seed}, ${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
  };
  const head = () => conversation.state.leaf_event_id;
  for (let step = 0; step < steps; step++) {
    const kind = random.between(0, 7);
    if (kind <= 1 || at.size === 0) {
      wants = Array.from({ length: random.between(0, 2) }, () => {
        const { path, text } = change();
        return { name: "file_editor", arguments: { command: "create", path: `/workspace/${path}`, file_text: text } };
      });
      await conversation.sendMessage("Go on.");
      await conversation.run();
    } else if (kind <= 4) {
      const { path, text } = change();
      if (random.chance(0.3) && (await conversation.workspace.stat(path))) await conversation.workspace.remove(path);
      else await conversation.workspace.write(path, text);
    } else if (kind <= 6) {
      const event = random.of([...at.keys()]);
      await conversation.navigateTo(event);
      expect(`HEAD at ${event}`, await contents(conversation.workspace), at.get(event));
    } else {
      await conversation.close();
      conversation = await Conversation.open({ agent, store, conversationId: id });
    }
    at.set(head(), await contents(conversation.workspace));
  }
  for (const [event, files] of at) expect(`at ${event}`, await contents(await conversation.workspace.at(event)), files);
  const archive = await conversation.exportZip({ workspace: true });
  await conversation.close();
  await Conversation.delete(id, { store });
  await Conversation.importZip(archive, { store });
  const again = await Conversation.open({ agent, store, conversationId: id });
  for (const [event, files] of at) expect(`${event} after an import`, await contents(await again.workspace.at(event)), files);
  await again.close();
  await Conversation.delete(id, { store });
  return faults;
}
