// What it takes to show a conversation that an agent server runs: the first screen from the copy, compared with the same log as a
// conversation of this page, and catching up with what is new on the server.
import { Agent, Conversation, LLM, agentServer, indexedDBStore, load } from "/threadkeep/index.js";
import { compare, median } from "./measure.js";

export const title = "A conversation on an agent server";

const agent = new Agent({ llm: new LLM({ model: "openai/none", baseUrl: "/v1" }) });
const milliseconds = (number) => `${number.toFixed(1)} ms`;

export async function* run({ rounds = 20, home: given, short, long }) {
  await load();
  const home = agentServer(given);
  const here = indexedDBStore(crypto.randomUUID());
  const copies = indexedDBStore(crypto.randomUUID());
  for (const id of [short, long]) {
    const conversation = await Conversation.open({ agent, store: copies, conversationId: id, home });
    const zip = await conversation.exportZip();
    await conversation.close();
    await Conversation.importZip(zip, { store: here });
  }
  for (const [label, id] of [
    ["1,000", short],
    ["10,000", long],
  ]) {
    const opener = (options) => async (count) => {
      // Each opening asks the server, which others use too.
      for (let n = 0; n < Math.min(count, 20); n++) await shown({ ...options, conversationId: id });
    };
    const { first, second, ratio } = await compare(opener({ store: here }), opener({ store: copies, home }), { rounds, block: 2 });
    yield {
      label: `first screen of ${label} events`,
      columns: { here: milliseconds(first), "from the copy": milliseconds(second) },
      ratio,
      goal: { chromium: 1.5, firefox: 1.5 },
    };
  }
  for (const messages of [0, 5, 50]) {
    const found = { [short]: [], [long]: [] };
    for (let round = 0; round < Math.ceil(rounds / 4); round++)
      for (const id of round % 2 ? [short, long] : [long, short])
        found[id].push(await catchUp({ given, home, store: copies, id, messages }));
    const told = (id) => {
      const requests = new Set(found[id].map(({ requests }) => requests));
      return `${[...requests].join(" or ")} requests, ${milliseconds(median(found[id].map(({ took }) => took)))}`;
    };
    yield {
      // The server notes each message in its state as well.
      label: `catching up with ${2 * messages} new events`,
      columns: { "1,000 events": told(short), "10,000 events": told(long) },
      ratio: median(found[short].map(({ took }, n) => found[long][n].took / took)),
    };
  }
  here.close();
  copies.close();
}

/** The last page of a conversation on the screen. */
async function shown(options) {
  const conversation = await Conversation.open({ agent, ...options });
  const page = await conversation.events.slice(-50);
  document.body.replaceChildren(...page.map(paragraph));
  // Forces the layout, because a headless browser paints only now and then.
  document.body.getBoundingClientRect();
  await conversation.close();
}

/** Sends so many messages while nobody has it open, and then opens it: the time until all is there, and the requests of that. */
async function catchUp({ given: { host, apiKey }, home, store, id, messages }) {
  const address = `${host}/api/conversations/${id}`;
  const headers = { "x-session-api-key": apiKey, "content-type": "application/json" };
  const body = JSON.stringify({ role: "user", content: [{ type: "text", text: "More" }], run: false });
  for (let n = 0; n < messages; n++) await fetch(`${address}/events`, { method: "POST", headers, body });
  const wanted = await (await fetch(`${address}/events/count`, { headers })).json();
  const own = { fetch: globalThis.fetch, WebSocket: globalThis.WebSocket };
  let requests = 0;
  let isTold;
  const told = new Promise((resolve) => (isTold = resolve));
  globalThis.fetch = (...args) => (requests++, own.fetch.apply(globalThis, args));
  globalThis.WebSocket = class extends own.WebSocket {
    constructor(address) {
      super(address);
      requests++;
      this.addEventListener("message", isTold, { once: true });
    }
  };
  const begun = performance.now();
  const conversation = await Conversation.open({ agent, store, conversationId: id, home });
  let isThere;
  const complete = new Promise((resolve) => (isThere = resolve));
  const look = () => conversation.events.length >= wanted && isThere();
  conversation.subscribe(look);
  look();
  await Promise.all([told, complete]);
  const took = performance.now() - begun;
  Object.assign(globalThis, own);
  await conversation.close();
  return { took, requests };
}

function paragraph(event) {
  const element = document.createElement("p");
  element.textContent = JSON.stringify(event);
  return element;
}
