// What it takes that handles elsewhere see what the writer does, and act. The writer is in the page; each of the others is in a
// worker of its own, because a page cannot open tabs: like tabs they have threads of their own, and are reached in the same way.
import { Agent, Conversation, LLM, indexedDBStore } from "/threadkeep/index.js";
import { compare, median } from "./measure.js";
import { tellingFetch } from "./scripted-fetch.mjs";

export const title = "Handles elsewhere";

const followers = 5;
/** Milliseconds before the first piece of an answer, in which others read the message. No model is faster. */
const thinking = 100;
const now = () => performance.timeOrigin + performance.now();
const milliseconds = (number) => `${number.toFixed(2)} ms`;

export async function* run({ rounds = 30 }) {
  yield await latency(rounds);
  yield* throughput(rounds);
  yield* commands(rounds);
}

/** From the writer's callback to the other one's: pieces of an answer that comes at the pace of a fast model, and events. */
async function latency(rounds) {
  const { writer, others, end } = await stage(tellingFetch(100, 4), 1, true);
  const shown = new Map();
  const heard = [];
  let length = 0;
  writer.subscribe((event) => {
    if (event.kind === "StreamingDeltaEvent") shown.set(`${event.message_id} ${(length += event.content?.length ?? 0)}`, now());
    else if (event.id) {
      length = 0;
      shown.set(event.id, now());
    }
  });
  others[0].onTime = (key, at) => shown.has(key) && heard.push(at - shown.get(key));
  for (let round = 0; round < Math.ceil(rounds / 6); round++) {
    await writer.sendMessage("Tell me");
    await writer.run();
  }
  await others[0].ask("setTags", { title: "seen" });
  await end();
  return { label: `from callback to callback, ${heard.length} times`, columns: { median: milliseconds(median(heard)) } };
}

/** The time from the first piece of an answer to the last one, with so many handles that follow and with none; and that of a whole turn. */
async function* throughput(rounds) {
  const fetch = tellingFetch(5_000, 0, thinking);
  const stages = { first: await stage(fetch, 0), second: await stage(fetch, followers) };
  const times = { streams: { first: [], second: [] }, turns: { first: [], second: [] } };
  for (let round = -2; round < rounds; round++) {
    for (const which of round % 2 ? ["first", "second"] : ["second", "first"]) {
      const { writer } = stages[which];
      let [begun, ended] = [0, 0];
      const unsubscribe = writer.subscribe(({ kind }) => {
        if (kind !== "StreamingDeltaEvent") return;
        ended = performance.now();
        begun ||= ended;
      });
      const start = performance.now();
      await writer.sendMessage("Tell me");
      await writer.run();
      await writer.navigateTo(null);
      unsubscribe();
      // The first ones only warm up.
      if (round < 0) continue;
      times.streams[which].push(ended - begun);
      times.turns[which].push(performance.now() - start);
    }
  }
  await stages.first.end();
  await stages.second.end();
  const goal = { chromium: 1.05, firefox: 1.05 };
  for (const [label, { first, second }, more] of [
    ["the pieces of an answer of 5,000", times.streams, { goal }],
    ["a turn with this answer", times.turns, {}],
  ]) {
    yield {
      label,
      columns: { alone: milliseconds(median(first)), [`${followers} follow`]: milliseconds(median(second)) },
      ratio: median(first.map((time, index) => second[index] / time)),
      ...more,
    };
  }
}

/** A command at the writer, and the same from elsewhere. */
async function* commands(rounds) {
  const { writer, others, end } = await stage(tellingFetch(1), 1);
  let n = 0;
  for (const [label, here, there] of [
    ["setAgentState()", () => writer.setAgentState({ n: ++n }), () => others[0].ask("setAgentState", { n: ++n })],
    ["sendMessage()", () => writer.sendMessage(`Message ${++n}`), () => others[0].ask("sendMessage", `Message ${++n}`)],
  ]) {
    const times = (call) => async (count) => {
      for (let each = 0; each < Math.min(count, 20); each++) await call();
    };
    const { first, second } = await compare(times(here), times(there), { rounds, block: 10 });
    yield {
      label: `${label}: ${milliseconds(second - first)} more from elsewhere`,
      columns: { here: milliseconds(first), elsewhere: milliseconds(second) },
    };
  }
  await end();
}

/** A writer and so many others, which tell when they hear something, or only listen. */
async function stage(fetch, count, tells = false) {
  const agent = new Agent({ llm: new LLM({ model: "openai/gpt-4o", baseUrl: "https://model.invalid", fetch, numRetries: 1 }) });
  const name = `bench ${crypto.randomUUID()}`;
  const writer = await Conversation.open({ agent, store: indexedDBStore(name) });
  await writer.setTags({ title: "begun" });
  const others = [];
  for (let n = 0; n < count; n++) others.push(await other(name, writer.id, tells));
  return {
    writer,
    others,
    async end() {
      for (const { worker } of others) worker.terminate();
      await writer.close();
    },
  };
}

/** A handle in a worker. */
async function other(name, id, tells) {
  const worker = new Worker("/benches/homes-worker.js", { type: "module" });
  const waiting = new Map();
  let last = 0;
  const it = {
    worker,
    onTime: undefined,
    ask: (verb, ...args) =>
      new Promise((resolve, reject) => {
        waiting.set(++last, { resolve, reject });
        worker.postMessage({ number: last, verb, args });
      }),
  };
  worker.onmessage = ({ data }) => {
    if (data.key !== undefined) it.onTime?.(data.key, data.at);
    else if (data.error) waiting.get(data.number).reject(new Error(data.error));
    else waiting.get(data.number).resolve(data.took);
  };
  await it.ask("open", name, id, tells);
  return it;
}
