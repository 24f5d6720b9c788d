// The tools of the worker and of its pages, which both import: those with `runsIn` run in a page.
const channel = new BroadcastChannel("worker-home");
const tell = (what) => channel.postMessage(what);

/** Resolves when somebody has said this. */
const said = (word, signal) =>
  new Promise((resolve, reject) => {
    const hear = ({ data }) => data === word && resolve();
    channel.addEventListener("message", hear);
    signal.addEventListener("abort", () => {
      tell("stopped");
      reject(new Error("stopped"));
    });
  });

const parameters = { type: "object", properties: {} };

export const toolsFor = (tool) => [
  tool({
    name: "slow",
    description: "Takes its time.",
    parameters,
    async execute(_, { signal }) {
      tell("slow began");
      await said("go on", signal);
      return "slept";
    },
  }),
  tool({
    name: "page_title",
    description: "Reads the title of the page.",
    parameters: { type: "object", properties: { waits: { type: "boolean" } } },
    runsIn: "page",
    replay: "never",
    async execute({ waits }, { secret, progress, signal, idempotencyKey, conversationId }) {
      globalThis.performed = (globalThis.performed ?? 0) + 1;
      progress(`reads with ${await secret("TOKEN")}`);
      tell("page began");
      if (waits) await said("go on", signal);
      return `${document.title}, ${await secret("TOKEN")}, ${idempotencyKey !== ""}, ${conversationId}`;
    },
  }),
  tool({
    name: "broken",
    description: "Fails in the page.",
    parameters,
    runsIn: "page",
    execute() {
      throw new Error(`no ink in ${document.title}`);
    },
  }),
];
