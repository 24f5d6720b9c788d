// A random history of a conversation on several devices, each with a store of its own: they talk, wait for approvals, go back, rename, and
// hand each other archives, in the end everything to everyone. Runs in Node and in pages.
import { ScriptedModel } from "./model/script.mjs";
import { randomFrom } from "./random.mjs";

const parameters = { type: "object", properties: {} };

/**
 * Plays the history of this seed with the library, and checks every exchange. `makeStore(n)` gives the store of a device. Resolves to the
 * conversation's id, the archives of all devices, and how often an import had which outcome.
 */
export async function playHistory({ Agent, Conversation, LLM, tool }, { seed, makeStore, steps = 14 }) {
  const random = randomFrom(seed);
  const conversationId = uuid(random);
  const outcomes = {};
  const said = [];
  const script = new ScriptedModel(() => {
    const calls = random.chance(0.4) ? [{ name: random.of(["look", "pay"]), arguments: {} }] : [];
    return calls.length > 0 ? { calls } : { text: "So it is. ".repeat(random.between(1, 4)) };
  });
  const llm = new LLM({ model: "openai/gpt-4o", apiKey: "sk-0123456789abcdef", fetch: script.fetch, numRetries: 1 });
  const look = tool({ name: "look", description: "Looks.", parameters, execute: () => "It is there." });
  const pay = tool({ name: "pay", description: "Pays.", parameters, needsApproval: true, execute: () => "paid" });
  const agent = new Agent({ llm, tools: [look, pay] });
  const devices = Array.from({ length: random.between(2, 3) }, (_, number) => ({ number, store: makeStore(number) }));

  const onDevice = async ({ store }, act) => {
    const conversation = await Conversation.open({ agent, store, conversationId, maxIterationPerRun: 8 });
    try {
      equal(
        conversation.warnings.map(({ code }) => code),
        [],
        "warnings",
      );
      return await act(conversation);
    } finally {
      await conversation.close();
    }
  };
  const has = async ({ store }) => (await store.load(conversationId)) !== undefined;
  const eventsOn = ({ store }) => store.events(conversationId, 0, Number.MAX_SAFE_INTEGER);
  const branchOn = (device) => onDevice(device, async (conversation) => (await conversation.activeBranch()).map(({ id }) => id));
  const archiveOf = (device) => onDevice(device, (conversation) => conversation.exportZip());

  const act = (device) =>
    onDevice(device, async (conversation) => {
      const events = await eventsOn(device);
      const choice = random.of(["go back", "go back", "rename", "answer again"]);
      if (conversation.executionStatus === "waiting_for_confirmation") {
        if (random.chance(0.4)) await conversation.run();
        else if (random.chance(0.5)) await conversation.rejectPendingActions();
      } else if (events.length === 0 || random.chance(0.6)) {
        const text = `Message ${said.length} of ${device.number}`;
        said.push(text);
        await conversation.sendMessage(text);
        await conversation.run();
      } else if (choice === "go back") {
        // Some events separate calls from their results.
        await conversation.navigateTo(random.of(events).id).catch(({ code }) => equal(code, "invalid_options", "navigateTo()"));
      } else if (choice === "rename") {
        await conversation.setTags({ title: `Title ${random.between(0, 999)}` });
      } else {
        await conversation.regenerate().then(
          () => conversation.run(),
          ({ code }) => equal(code, "invalid_state", "regenerate()"),
        );
      }
    });

  const take = async (device, other) => {
    const before = (await has(device)) ? { events: await eventsOn(device), branch: await branchOn(device) } : { events: [], branch: [] };
    const archive = await archiveOf(other);
    const [{ outcome, warnings }] = await Conversation.importZip(archive, { store: device.store });
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    equal(warnings, [], "warnings of an import");
    const events = await eventsOn(device);
    equal(events.slice(0, before.events.length), before.events, "the stored events");
    const branch = await branchOn(device);
    equal(branch.slice(0, before.branch.length), before.branch, "the branch of this device");
    if (/merged|up_to_date/.test(outcome)) equal(branch, before.branch, `the branch of this device, ${outcome}`);
    const [again] = await Conversation.importZip(archive, { store: device.store });
    equal(again.outcome, "up_to_date", "the same archive again");
  };

  try {
    await act(devices[0]);
    for (let step = 0; step < steps; step++) {
      const device = random.of(devices);
      const other = random.of(devices);
      if (other !== device && random.chance(0.35)) {
        if (await has(other)) await take(device, other);
      } else if (await has(device)) await act(device);
    }
    for (const _ of devices.slice(1))
      for (const one of devices) for (const other of devices) if (one !== other && (await has(other))) await take(one, other);
    const trees = await Promise.all(devices.map(async (device) => treeOf(await eventsOn(device))));
    for (const tree of trees) equal(tree, trees[0], "the events of the devices");
    const stored = (await eventsOn(devices[0])).map(({ json }) => json).join();
    for (const text of said) if (!stored.includes(`"${text}"`)) throw new Error(`${text} is lost`);
    const states = await Promise.all(devices.map(async ({ store }) => JSON.parse((await store.load(conversationId)).baseState)));
    for (const { tags, stats } of states) {
      equal(tags, states[0].tags, "the tags");
      equal(answersIn(stats), answersIn(states[0].stats), "the answers that were paid");
    }
    equal(script.violations, [], "the requests");
    // The SDK would run the calls that wait only after the next message.
    for (const device of devices) await onDevice(device, (conversation) => conversation.rejectPendingActions());
    return { id: conversationId, archives: await Promise.all(devices.map(archiveOf)), outcomes };
  } catch (error) {
    throw new Error(`seed ${seed}: ${error.stack}`, { cause: error });
  }
}

/** The events by their ids, with what they follow. */
function treeOf(events) {
  const all = events.map(({ id, json }, index) => {
    const { parent_id: parent = events[index - 1]?.id ?? "__root__", ...event } = JSON.parse(json);
    return [id, JSON.stringify({ ...event, parent })];
  });
  return all.sort(([one], [other]) => (one < other ? -1 : 1));
}

const answersIn = (stats) =>
  Object.entries(stats.usage_to_metrics)
    .flatMap(([usage, { token_usages: answers }]) => answers.map(({ response_id: id }) => `${usage} ${id}`))
    .sort();

function uuid(random) {
  const digits = Array.from({ length: 32 }, () => random.between(0, 15).toString(16)).join("");
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.*)$/, "$1-$2-4$3-8$4-$5");
}

function equal(found, wanted, what) {
  const [one, other] = [found, wanted].map((value) => JSON.stringify(value));
  if (one !== other) throw new Error(`${what}: ${one.slice(0, 2000)} instead of ${other.slice(0, 2000)}`);
}
