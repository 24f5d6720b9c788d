// An agent at work in a page that is going to be killed: it opens its conversation, says what it finds, and goes on
// with it without end. Whatever the library reports goes to the test at once, by a WebSocket; what the page itself
// believes does not matter, for it will be gone.
import { Agent, Conversation, LLM, indexedDBStore, tool } from "/threadkeep/index.js";
import { randomFrom } from "/support/random.mjs";
import { losing } from "./losing-store.mjs";

const given = Object.fromEntries(new URLSearchParams(location.search));
const random = randomFrom(Number(given.seed));
const socket = new WebSocket(given.socket);
const tell = (kind, value) => socket.send(JSON.stringify({ kind, value }));
await new Promise((resolve) => (socket.onopen = resolve));
tell("hello");
for (const failure of ["error", "unhandledrejection"]) {
  window.addEventListener(failure, (event) => tell("problem", String(event.reason?.stack ?? event.message ?? event.reason)));
}

const acting = (replay) =>
  tool({
    name: `act_${replay}`,
    description: "Does something at a server that counts how often it is done.",
    parameters: { type: "object", properties: { what: { type: "string" } }, required: ["what"] },
    replay,
    async execute({ what }, { idempotencyKey, signal }) {
      const body = JSON.stringify({ key: idempotencyKey, replay, what });
      const response = await fetch("/act", { method: "POST", body, signal });
      return response.text();
    },
  });

const store = given.loses ? losing(indexedDBStore()) : indexedDBStore();
const agent = new Agent({
  llm: new LLM({ model: "scripted", baseUrl: "/v1", numRetries: 1 }),
  tools: [acting("safe"), acting("ask"), acting("never")],
  toolConcurrencyLimit: Number(given.limit),
});
const conversation = await Conversation.open({
  agent,
  store,
  conversationId: given.conversation,
  callbacks: [(event) => tell("event", event)],
});
const pending = await conversation.pendingActions();
tell("opened", {
  access: conversation.access,
  warnings: conversation.warnings,
  state: conversation.state,
  length: conversation.events.length,
  events: await conversation.events.slice(),
  pending: pending.map(({ id }) => id),
});

if (conversation.executionStatus === "waiting_for_confirmation") {
  const answer = random.of(["approve", "reject", "message"]);
  if (answer === "reject") await conversation.rejectPendingActions("not now");
  if (answer === "approve") {
    tell("approved", pending.map(({ id }) => id));
    await conversation.run();
  }
} else if (pending.length > 0 && random.chance(0.5)) await conversation.run();

for (let turn = 1; ; turn++) {
  const title = `${given.round.padStart(4, "0")}.${String(turn).padStart(4, "0")}`;
  await conversation.setTags({ title });
  tell("title", title);
  await say(`Please do step ${turn} of round ${given.round}.`);
  const run = conversation.run();
  const meanwhile = disturb(random.between(0, 5));
  await run;
  await meanwhile;
  // It may have been stopped, or a message came when it had ended.
  if (conversation.executionStatus !== "finished") await conversation.run();
  tell("turn", { turn, status: conversation.executionStatus });
}

async function say(text) {
  tell("message", await conversation.sendMessage(text));
}

/** What users do while an agent works. */
async function disturb(kind) {
  await new Promise((resolve) => setTimeout(resolve, random.between(0, 60)));
  if (kind === 0) await conversation.pause();
  else if (kind === 1) await conversation.interrupt();
  else if (kind <= 3) await say("One more thing.");
}
