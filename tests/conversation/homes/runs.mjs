// Runs: results, streams, stopping them by signals, pause and interrupt, failures.
import { done, note, noting, outcome, same, sleeping, slow } from "./kit.mjs";

/** An answer that goes silent after its first words. */
const stalled = { text: "It was a dark and stormy night", stallAfter: 4 };
/** An answer whose end waits for the gate, so that its pieces are heard before it is stored. */
const shown = ({ gate }, reply, last) => ({ ...reply, pace: (n) => (n === last ? gate.passed("go on") : undefined) });
/** Whether such a text was heard in pieces. */
const hasShown = (heard, text) =>
  heard
    .map(({ kind, content }) => (kind === "StreamingDeltaEvent" ? (content ?? "") : ""))
    .join("")
    .includes(text);

export const runs = [
  {
    name: "run() resolves to its result",
    live: true,
    setup: (kit) => ({ replies: [shown(kit, { text: "All is well.", reasoning: "They said hello." }, 5)] }),
    async play({ conversation, gate, heard, until }) {
      await conversation.sendMessage("Hello");
      const run = conversation.run();
      await until(() => hasShown(heard, "All is well."));
      gate.open("go on");
      return [await run, await conversation.finalResponse(), conversation.executionStatus];
    },
  },
  {
    name: "run() with calls of tools",
    setup: (kit) => ({
      replies: [{ text: "Noting.", calls: [noting("a"), noting("b")] }, { calls: [noting("c")] }, done],
      tools: [note(kit)],
      agent: { toolConcurrencyLimit: 2 },
    }),
    async play({ conversation }) {
      await conversation.sendMessage("Go");
      return conversation.run();
    },
  },
  {
    name: "run() without anything to answer",
    play: ({ conversation }) => outcome(conversation.run()),
  },
  {
    name: "run() twice at once",
    setup: (kit) => ({ replies: [shown(kit, done, 1)] }),
    async play({ conversation, gate }) {
      await conversation.sendMessage("Go");
      const [first, second] = [conversation.run(), outcome(conversation.run())];
      const refused = await second;
      same(refused.code, "invalid_state");
      gate.open("go on");
      return [refused, await first];
    },
  },
  {
    name: "run() again after the end",
    setup: () => ({ replies: [done] }),
    async play({ conversation }) {
      await conversation.sendMessage("Go");
      await conversation.run();
      return outcome(conversation.run());
    },
  },
  {
    name: "iterating a run gives its pieces and events",
    setup: (kit) => ({ replies: [shown(kit, { text: "One two three four five six." }, 5)] }),
    async play({ conversation, gate }) {
      await conversation.sendMessage("Go");
      let text = "";
      const kinds = [];
      for await (const event of conversation.run()) {
        if (event.kind === "StreamingDeltaEvent") text += event.content ?? "";
        if (text.endsWith("six.")) gate.open("go on");
        if (event.id) kinds.push(event.kind);
      }
      return [text, kinds];
    },
  },
  {
    name: "pieces arrive before the answer is complete",
    setup: ({ gate }) => ({ replies: [{ text: "Once upon a time there was", pace: (n) => (n === 3 ? gate.passed("go on") : undefined) }] }),
    async play({ conversation, gate, hears }) {
      await conversation.sendMessage("Go");
      const run = conversation.run();
      await hears(({ kind }) => kind === "StreamingDeltaEvent");
      same(conversation.executionStatus, "running");
      gate.open("go on");
      return run;
    },
  },
  {
    name: "a signal that was aborted before stops a run that has not begun",
    setup: () => ({ replies: [done] }),
    async play({ conversation }) {
      await conversation.sendMessage("Go");
      const stopped = await outcome(conversation.run({ signal: AbortSignal.abort() }));
      same(stopped.code, "aborted");
      return [stopped, conversation.executionStatus, await conversation.run()];
    },
  },
  {
    name: "a signal stops a run during its answer",
    setup: () => ({ replies: [stalled, done] }),
    async play({ conversation, heard, until }) {
      await conversation.sendMessage("Go");
      const controller = new AbortController();
      const run = outcome(conversation.run({ signal: controller.signal }));
      await until(() => hasShown(heard, "stormy"));
      controller.abort();
      const stopped = await run;
      same(stopped.code, "aborted");
      await until(() => conversation.executionStatus === "paused");
      return [stopped, await conversation.run()];
    },
  },
  {
    name: "a signal stops a run during a tool, which sees it",
    setup: (kit) => ({ replies: [sleeping, done], tools: [slow(kit)] }),
    async play({ conversation, gate }) {
      await conversation.sendMessage("Go");
      const controller = new AbortController();
      const run = outcome(conversation.run({ signal: controller.signal }));
      await gate.passed("began");
      controller.abort();
      const stopped = await run;
      same(stopped.code, "aborted");
      return [stopped, await conversation.run()];
    },
  },
  {
    name: "a signal that is aborted after the run does nothing",
    setup: () => ({ replies: [done] }),
    async play({ conversation }) {
      await conversation.sendMessage("Go");
      const controller = new AbortController();
      const result = await conversation.run({ signal: controller.signal });
      controller.abort();
      return [result, conversation.executionStatus];
    },
  },
  {
    name: "interrupt() ends a run at once",
    setup: (kit) => ({ replies: [sleeping, done], tools: [slow(kit)] }),
    async play({ conversation, gate }) {
      await conversation.sendMessage("Go");
      const run = outcome(conversation.run());
      await gate.passed("began");
      await conversation.interrupt();
      return [await run, await conversation.run()];
    },
  },
  {
    name: "interrupt() without a run",
    play: ({ conversation }) => outcome(conversation.interrupt()),
  },
  {
    name: "pause() lets a tool end",
    setup: (kit) => ({ replies: [sleeping, done], tools: [slow(kit)] }),
    async play({ conversation, gate }) {
      await conversation.sendMessage("Go");
      const run = outcome(conversation.run());
      await gate.passed("began");
      await conversation.pause();
      gate.open("go on");
      const paused = await run;
      same(paused.value.status, "paused");
      return [paused, await conversation.run()];
    },
  },
  {
    name: "pause() without a run",
    play: async ({ conversation }) => [await outcome(conversation.pause()), conversation.executionStatus],
  },
  {
    name: "a tool's progress is heard",
    setup: (kit) => ({ replies: [sleeping, done], tools: [slow(kit)] }),
    async play({ conversation, gate, hears }) {
      await conversation.sendMessage("Go");
      const run = conversation.run();
      await hears(({ kind, text }) => kind === "ToolProgressEvent" && text === "under way");
      gate.open("go on");
      return run;
    },
  },
  {
    name: "a run that the server refuses rejects with the server's error",
    setup: () => ({ replies: [{ status: 401, body: { error: { message: "no such key" } } }] }),
    async play({ conversation }) {
      await conversation.sendMessage("Go");
      const failed = await outcome(conversation.run());
      same([failed.code, failed.status], ["llm_auth", 401]);
      return [failed, conversation.executionStatus];
    },
  },
  {
    name: "a run that the server asks to come back later",
    setup: () => ({ replies: [{ status: 429, body: { error: { message: "slowly" } } }], options: { offline: "fail" } }),
    async play({ conversation }) {
      await conversation.sendMessage("Go");
      return [await outcome(conversation.run()), conversation.executionStatus];
    },
  },
  {
    name: "a run at its limit of steps",
    setup: (kit) => ({
      replies: [{ calls: [noting("a")] }, { calls: [noting("b")] }],
      tools: [note(kit)],
      options: { maxIterationPerRun: 1 },
    }),
    async play({ conversation }) {
      await conversation.sendMessage("Go");
      return [await outcome(conversation.run()), conversation.executionStatus];
    },
  },
  {
    name: "a tool that fails",
    setup: (kit) => ({
      replies: [{ calls: [noting("a")] }, done],
      tools: [
        note(kit, {
          execute() {
            throw new Error("no ink");
          },
        }),
      ],
    }),
    async play({ conversation }) {
      await conversation.sendMessage("Go");
      return conversation.run();
    },
  },
  {
    name: "a message during a run is read by the same run",
    setup: (kit) => ({ replies: [sleeping, done], tools: [slow(kit)] }),
    async play({ conversation, gate }) {
      await conversation.sendMessage("Go");
      const run = conversation.run();
      await gate.passed("began");
      const event = await conversation.sendMessage("And this");
      const queued = await conversation.queue.list();
      gate.open("go on");
      return [event, queued, await run];
    },
  },
  {
    name: "retryNow() without a wait",
    async play({ conversation }) {
      return [conversation.retryNow() ?? null, conversation.waiting];
    },
  },
  {
    name: "a run that waits for the server says so, and retryNow() ends the wait",
    setup: () => ({
      replies: [{ status: 429, headers: { "retry-after": "50" }, body: { error: { message: "slowly" } } }, done],
      llm: { numRetries: 3 },
    }),
    async play({ conversation, hears }) {
      await conversation.sendMessage("Go");
      const run = outcome(conversation.run());
      await hears(({ kind }) => kind === "WaitingEvent");
      const { why, attempt } = conversation.waiting;
      conversation.retryNow();
      return [why, attempt, await run, conversation.waiting];
    },
  },
];
