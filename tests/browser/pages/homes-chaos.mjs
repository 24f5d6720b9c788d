// A tab of the chaos test: it calls every method of one conversation at random, notes what was acknowledged, and tells the server
// what the test has to know even if this tab dies.
import { Agent, Conversation, LLM, indexedDBStore, tool } from "/threadkeep/index.js";
import { ScriptedModel } from "/support/model/script.mjs";
import { randomFrom } from "/support/random.mjs";
import { until } from "/support/until.mjs";

const tell = (kind, value) =>
  globalThis.fetch("/tell", { method: "POST", keepalive: true, body: JSON.stringify({ kind, value }) }).catch(() => {});
const turn = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
/** Refusals that are part of what happens here. */
const expected = new Set(["locked_elsewhere", "invalid_state", "invalid_options", "aborted", "not_found"]);

let conversation;
let isOver = false;
let working;
/** Calls the method of this name. */
let act;
/** Calls without an answer, by number. */
const open = new Map();
const heard = [];
let firstHeard = 0;
/** When it has become the writer or a follower, by the length of the log. */
const roles = [];

/** Resolves as soon as the condition holds, at the latest after these milliseconds. */
const soon = (holds, milliseconds) => Promise.race([until(holds, undefined, { limit: Infinity }), turn(milliseconds)]);

/** Opens the conversation, and begins to act. */
window.live = async ({ id, tab, seed }) => {
  const random = randomFrom(seed);
  const own = (n) => `${tab}.${n}`;
  let calls = 0;
  let replies = 0;
  // Half of the answers call a tool; each is streamed.
  const script = (body) => {
    const n = replies++;
    const id = `chatcmpl-${own(n)}`;
    const pace = random.between(0, 6);
    const isAside = !body.tools || JSON.stringify(body.messages.at(-1)).includes("How far?");
    return !isAside && random.chance(0.5)
      ? { id, text: "Acting.", calls: [{ name: random.of(["act", "ask"]), arguments: { what: own(`r${n}`) }, id: `call_${own(n)}` }], pace }
      : { id, text: `The answer ${own(n)}, in some words more than one.`, pace };
  };
  const acting = (name, more) =>
    tool({
      name,
      description: "Acts.",
      parameters: { type: "object", properties: { what: { type: "string" } }, required: ["what"] },
      replay: "never",
      async execute({ what }, { idempotencyKey, progress }) {
        await tell("acted", { key: idempotencyKey, what, tab, at: conversation.events.length });
        progress("acting");
        await turn(random.between(0, 10));
        return `did ${what}`;
      },
      ...more,
    });
  // A run on a branch without a message is answered as well.
  const { fetch } = new ScriptedModel(script, { checks: false });
  const llm = new LLM({ model: "openai/m", baseUrl: "https://model.invalid", fetch, numRetries: 1 });
  const agent = new Agent({ llm, tools: [acting("act"), acting("ask", { needsApproval: true })] });
  conversation = await Conversation.open({ agent, store: indexedDBStore(), conversationId: id });
  firstHeard = conversation.events.length;
  conversation.subscribe((event) => {
    if (event.id !== undefined) heard.push(event.id);
    else if (event.key === "access") roles.push(`${event.value} at ${conversation.events.length}`);
  });
  const someEvent = async () => (await conversation.events.at(random.between(0, conversation.events.length - 1)))?.id ?? null;
  const somePending = async () => (await conversation.pendingActions())[0]?.id ?? "none";
  const say = async (send) => {
    const text = own(`m${++calls}`);
    void tell("sent", text);
    const event = await send(text);
    await tell("acknowledged", { id: event.id, text });
  };
  const signal = () => AbortSignal.timeout(random.between(1, 400));
  const run = () => Promise.resolve(conversation.run(random.chance(0.3) ? { signal: signal() } : {}));
  const actions = {
    sendMessage: () => say((text) => conversation.sendMessage(text, random.chance(0.3) ? { pending: "keep" } : {})),
    message: () => say((text) => conversation.sendMessage(text)),
    run,
    again: run,
    pause: () => conversation.pause(),
    interrupt: () => conversation.interrupt(),
    regenerate: () => Promise.resolve(conversation.regenerate()),
    editMessage: async () => say(async (text) => conversation.editMessage(await someEvent(), text)),
    navigateTo: async () => conversation.navigateTo(await someEvent()),
    approve: async () => conversation.run({ approve: [await somePending()] }),
    reject: () => conversation.rejectPendingActions("no"),
    editAction: async () => conversation.editAction(await somePending(), { what: own(`e${++calls}`) }),
    setTags: () => conversation.setTags({ title: own(++calls) }),
    setAgentState: async () => {
      const key = own(`s${++calls}`);
      await conversation.setAgentState({ [key]: true });
      await tell("stored", key);
    },
    setLimits: () => conversation.setLimits({ maxIterationPerRun: random.between(5, 50) }),
    setAllowedTools: () => conversation.setAllowedTools(random.of([[], ["act"]])),
    executeTool: () => conversation.executeTool("act", { what: own(`x${++calls}`) }, random.chance(0.3) ? { signal: signal() } : {}),
    askAgent: () => conversation.askAgent("How far?"),
    generateTitle: () => conversation.generateTitle(),
    queue: async () => {
      const [first] = await conversation.queue.list();
      if (!first) return;
      // Said before, because afterwards this tab may be gone.
      await tell("removed", first.id);
      await conversation.queue.remove(first.id);
    },
    takeOver: () => (random.chance(0.2) ? conversation.takeOver() : undefined),
    read: async () => [await conversation.activeBranch(), conversation.state, conversation.home],
  };
  const names = Object.keys(actions);
  act = (name) => {
    const number = ++calls;
    open.set(number, name);
    Promise.resolve()
      .then(actions[name])
      .catch((error) => {
        if (!expected.has(error.code)) return tell("problem", `${name}() in ${tab}: ${error.code}: ${error.message}`);
      })
      .finally(() => open.delete(number));
  };
  working = (async () => {
    while (!isOver) {
      act(random.of(names));
      // As many calls at once as a hasty person makes.
      if (open.size > 6) await soon(() => open.size <= 6 || isOver, 500);
      await turn(random.between(0, 40));
    }
  })();
};

/**
 * Is stuck until the server answers: no line of JavaScript of this tab runs. It acts at once when it is not any more, before it can hear
 * that another tab has taken its place.
 */
window.beStuck = (tab) =>
  setTimeout(() => {
    const request = new XMLHttpRequest();
    request.open("GET", `/stuck?${tab}`, false);
    request.send();
    if (!isOver) act("setAgentState");
  });

/** Calls nothing more. */
window.stop = async () => {
  isOver = true;
  await working;
};

/** The calls without an answer after a while; the run that may be under way is stopped first. */
window.rest = async (milliseconds) => {
  let isStopping = true;
  const stopped = () => (isStopping = false);
  conversation.interrupt().then(stopped, stopped);
  await soon(() => !isStopping && open.size === 0, milliseconds);
  return { open: [...open.values()], access: conversation.access, home: conversation.home };
};

/** Everything that this tab shows, once it has as many events as it should have. */
window.view = async (length, milliseconds) => {
  await soon(() => conversation.events.length >= length, milliseconds);
  // The answer of whoever writes comes behind everything that it has stored, also what is no event.
  const queue = (await conversation.queue.list()).map(({ id }) => id);
  const events = await conversation.events.slice();
  return { events, state: conversation.state, heard, firstHeard, changes: roles, queue };
};
