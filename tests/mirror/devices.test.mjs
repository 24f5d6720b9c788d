// Random histories of devices that mirror one conversation to one place, which fails and is cut off, and whose own stores are lost:
// nothing is lost that was there, the place is in the end one that Python opens, and each device stays on its own branch.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Agent, Conversation, LLM, memoryStore, mirror, restoreMirror } from "../../dist/index.js";
import { amount, seed } from "../support/explored.mjs";
import { ScriptedModel } from "../support/model/script.mjs";
import { randomFrom } from "../support/random.mjs";
import { storeWith } from "../support/store-with.mjs";
import { until } from "../support/until.mjs";
import { eventsIn, placeInMemory, refusedByPython } from "./place.mjs";

const histories = amount(8, 30);
const script = new ScriptedModel(() => ({ text: "So it is." }));
const agent = new Agent({ llm: new LLM({ model: "openai/gpt-4o", apiKey: "sk-0123456789abcdef", fetch: script.fetch }) });

async function play(seed) {
  const random = randomFrom(seed);
  let reach = Infinity;
  const isStore = random.chance(0.5);
  const place = isStore ? memoryStore() : placeInMemory();
  const cut =
    (name) =>
    async (...given) => {
      if (reach-- <= 0) throw Object.assign(new Error("cut off"), { code: isStore ? "store_blocked" : "network" });
      return place[name](...given);
    };
  const weak = isStore
    ? storeWith(place, { commit: cut("commit"), delete: cut("delete") })
    : { ...place, write: cut("write"), remove: cut("remove") };
  let conversationId;
  const said = [];
  const devices = Array.from({ length: random.between(2, 3) }, () => ({ store: memoryStore(), opened: undefined, mirror: undefined }));
  const open = (device) => Conversation.open({ agent, store: device.store, ...(conversationId && { conversationId }) });
  const talk = async (conversation) => {
    const text = `Message ${said.length}`;
    said.push(text);
    await conversation.sendMessage(text);
    await conversation.run();
  };
  const first = await open(devices[0]);
  conversationId = first.id;
  await talk(first);
  await first.close();
  for (const device of devices) device.mirror = await mirror(device.store, weak);
  await devices[0].mirror.catchUp();
  for (const device of devices.slice(1)) await restoreMirror(place, { store: device.store });
  // Two devices that write to a store at once keep each other out.
  const expected = isStore ? ["store_blocked", "locked_elsewhere"] : ["network"];
  const catchUp = (device) => device.mirror.catchUp().catch((error) => assert.ok(expected.includes(error.code), error));
  // For a moment one is kept out by what another one does on its own.
  const surely = async (work) => {
    for (let tries = 0; ; tries++) {
      try {
        return await work();
      } catch (error) {
        if (!isStore || error.code !== "locked_elsewhere" || tries > 40) throw error;
        await delay(25);
      }
    }
  };
  for (let step = 0; step < 16; step++) {
    const device = random.of(devices);
    const choice = random.between(0, 9);
    if (choice < 4) {
      const conversation = device.opened ?? (await open(device));
      if (choice === 0) {
        const events = await device.store.events(conversationId, 0, 999);
        await conversation.navigateTo(random.of(events).id).catch(({ code }) => assert.equal(code, "invalid_options"));
      } else await talk(conversation);
      if (!device.opened) await conversation.close();
    } else if (choice === 4) {
      if (device.opened) await device.opened.close();
      device.opened = device.opened ? undefined : await open(device);
    } else if (choice === 5) {
      // A page that dies, and another one that knows nothing.
      device.mirror.close();
      device.mirror = await mirror(device.store, weak);
    } else if (choice === 6) {
      reach = random.between(0, 4);
      await catchUp(device);
      reach = Infinity;
    } else if (choice === 7) await Promise.all(devices.map(catchUp));
    else if (choice === 8 && !device.opened) {
      // Its store is lost, once all of it is there; the conversation begins anew, or comes back.
      await surely(() => device.mirror.catchUp());
      device.mirror.close();
      device.store = memoryStore();
      if (random.chance(0.5)) await restoreMirror(place, { store: device.store });
      const conversation = await open(device);
      await talk(conversation);
      await conversation.close();
      device.mirror = await mirror(device.store, weak);
    } else await catchUp(device);
  }
  reach = Infinity;
  for (const device of devices) await device.opened?.close();
  const branches = [];
  for (const device of devices) branches.push(await branchOf(device));
  for (let round = 0; round < 3; round++) for (const device of devices) await surely(() => device.mirror.catchUp());
  for (const device of devices) {
    const { mirror: own } = device;
    await until(() => own.state.status === "up_to_date", "a device is up to date", { seen: () => own.state });
  }
  for (const device of devices) {
    await surely(() => device.mirror.catchUp());
    const { differences } = await surely(() => device.mirror.verify());
    // The base state there is that of the device that wrote last.
    assert.deepEqual(
      differences.filter(({ path }) => path !== "base_state.json"),
      [],
    );
  }
  const there = isStore
    ? (await place.events(conversationId, 0, 999)).map(({ id }) => id)
    : eventsIn(place).map((path) => path.match(/event-\d+-([\w-]+)\.json/)[1]);
  for (const [number, device] of devices.entries()) {
    const events = await device.store.events(conversationId, 0, 999);
    assert.deepEqual(events.map(({ id }) => id).sort(), there.toSorted(), `the events of device ${number}`);
    const texts = events.map(({ json }) => json).join();
    for (const text of said) assert.ok(texts.includes(`"${text}"`), `${text} is lost`);
    const branch = await branchOf(device);
    assert.deepEqual(branch.slice(0, branches[number].length), branches[number], `the branch of device ${number}`);
    device.mirror.close();
  }
  if (!isStore) assert.deepEqual(refusedByPython(place), []);

  async function branchOf(device) {
    const conversation = await open(device);
    const branch = (await conversation.activeBranch()).map(({ id }) => id);
    await conversation.close();
    return branch;
  }
}

test(`${histories} histories of two or three devices, from seed ${seed}`, async () => {
  for (let n = seed; n < seed + histories; n++) {
    await play(n).catch((error) => {
      throw new Error(`seed ${n}: ${error.stack}`, { cause: error });
    });
  }
});
