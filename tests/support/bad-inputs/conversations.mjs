// Bad inputs to conversations: to opening, to messages, and to calls at the wrong time.
import { storeMethods } from "../store-with.mjs";
import { cyclic, each, hostile, lone, noArray, noFunction, noNumber, noObject, noString, reasons, speechless, unreadable } from "./odd.mjs";

const invalid = ["invalid_options"];
const either = ["invalid_options", "ok"];
const id = "0f8fad5b-d9cb-469f-a165-70867728950e";

export function* conversationRows() {
  yield* openings();
  yield* messages();
  yield* arguments_();
  yield* signals();
  yield* collisions();
  yield* callbacks();
  yield* archives();
}

function* openings() {
  for (const [name, value] of each({ ...noObject, nothing: undefined, object: {}, hostile: hostile(), unreadable: unreadable("agent") })) {
    yield { name: `Conversation.open(${name})`, expected: invalid, attempt: ({ library }) => library.Conversation.open(value) };
  }
  const ids = {
    ...noString,
    empty: "",
    short: "0f8fad5b",
    braces: `{${id}}`,
    urn: `urn:uuid:${id}`,
    path: "../../etc/passwd",
    "with a line break": `${id}\n`,
    "with a zero": `${id}\0`,
    letters: id.replace("0", "g"),
    lone,
    huge: "0".repeat(1_000_000),
  };
  for (const [name, value] of each(ids)) {
    // A missing id creates a conversation, in whichever form it is missing.
    yield {
      name: `conversationId: ${name}`,
      expected: name === "null" ? ["ok"] : invalid,
      attempt: (world) => world.open([], { conversationId: value }),
    };
    yield {
      name: `Conversation.delete(${name})`,
      expected: invalid,
      attempt: ({ library }) => library.Conversation.delete(value, { store: library.memoryStore() }),
    };
  }
  for (const value of [id.toUpperCase(), id.replaceAll("-", ""), "00000000-0000-0000-0000-000000000000"]) {
    yield { name: `conversationId: ${value}`, expected: ["ok"], attempt: (world) => world.open([], { conversationId: value }) };
  }
  for (const [name, value] of each({ ...noNumber, zero: 0, half: 1.5 }))
    yield { name: `maxIterationPerRun: ${name}`, expected: invalid, attempt: (world) => world.open([], { maxIterationPerRun: value }) };
  for (const [name, value] of each({ ...noNumber, zero: 0, negative: -1, endless: Infinity }))
    yield { name: `maxBudgetPerRun: ${name}`, expected: invalid, attempt: (world) => world.open([], { maxBudgetPerRun: value }) };
  for (const [name, value] of each({ null: null, text: "yes", number: 1, hostile: hostile(), unreadable: unreadable("monologue") }))
    yield { name: `stuckDetection: ${name}`, expected: invalid, attempt: (world) => world.open([], { stuckDetection: value }) };
  for (const [name, value] of each({ ...noNumber, zero: 0, half: 1.5 }))
    yield {
      name: `stuckDetection.actionError: ${name}`,
      expected: invalid,
      attempt: (world) => world.open([], { stuckDetection: { actionError: value } }),
    };
  yield {
    name: "maxIterationPerRun beyond all measure",
    expected: either,
    attempt: (world) => world.open([], { maxIterationPerRun: 2 ** 53 }),
  };
  const tags = {
    ...noObject,
    null: null,
    array: ["x"],
    "a capital": { Title: "x" },
    "a dash": { "a-b": "x" },
    "no name": { "": "x" },
    "a number": { a: 7 },
    "nothing inside": { a: undefined },
    long: { a: "x".repeat(257) },
    cyclic: cyclic(),
    symbol: { a: Symbol("odd") },
    hostile: hostile(),
    unreadable: unreadable("a"),
  };
  for (const [name, value] of each(tags)) {
    yield { name: `tags: ${name}`, expected: invalid, attempt: (world) => world.open([], { tags: value }) };
    yield { name: `setTags(${name})`, expected: invalid, attempt: async (world) => (await world.open()).setTags(value) };
  }
  yield { name: "a tag with half of a pair", expected: either, attempt: async (world) => (await world.open()).setTags({ a: lone }) };
  for (const key of ["callbacks", "tokenCallbacks"]) {
    for (const [name, value] of each({ ...noArray, "of no functions": [7], "of nothing": [undefined], "of objects": [{}] })) {
      yield { name: `${key}: ${name}`, expected: invalid, attempt: (world) => world.open([], { [key]: value }) };
    }
  }
  for (const [name, value] of each({
    ...noObject,
    "of no functions": { stop: 7 },
    "of another name": { beforeToolUse() {} },
    unreadable: unreadable("stop"),
  })) {
    yield { name: `hooks: ${name}`, expected: invalid, attempt: (world) => world.open([], { hooks: value }) };
  }
  for (const key of ["agent", "conversationId", "store", "callbacks", "tags", "hooks"]) {
    yield {
      name: `options whose ${key} cannot be read`,
      expected: invalid,
      attempt: (world) => world.library.Conversation.open(unreadable(key, { agent: world.agent(), store: world.library.memoryStore() })),
    };
  }
  const stores = { ...noObject, object: {}, hostile: hostile(), unreadable: unreadable("list"), "half a store": { list: () => [] } };
  for (const [name, value] of each(stores)) {
    yield { name: `store: ${name}`, expected: invalid, attempt: (world) => world.open([], { store: value }) };
    yield { name: `Conversation.list(${name})`, expected: invalid, attempt: ({ library }) => library.Conversation.list({ store: value }) };
    yield {
      name: `Conversation.delete in ${name}`,
      expected: invalid,
      attempt: ({ library }) => library.Conversation.delete(id, { store: value }),
    };
  }
  for (const [name, answer] of each(hostAnswers())) {
    yield {
      name: `a store of the host that ${name}`,
      expected: ["store_corrupt", "invalid_options", "id_mismatch", "ok"],
      attempt: (world) => world.open([], { conversationId: id, store: hostStore(answer) }),
    };
  }
}

function hostAnswers() {
  const throwing = Object.fromEntries(
    each(reasons).map(([name, reason]) => [
      `throws ${name}`,
      () => {
        throw reason;
      },
    ]),
  );
  const rejecting = Object.fromEntries(each(reasons).map(([name, reason]) => [`rejects with ${name}`, () => Promise.reject(reason)]));
  const listing = { conversation: id, baseState: "{}", length: 0, createdAt: 0, updatedAt: 0 };
  return {
    ...throwing,
    ...rejecting,
    "gives nothing": () => undefined,
    "gives a text": () => "x",
    "gives something hostile": () => hostile(),
    "gives a thenable that throws": () => ({
      then() {
        throw new Error("on purpose");
      },
    }),
    "gives a state that is none": () => listing,
    "gives a state of another": () => ({ ...listing, baseState: JSON.stringify({ id: id.replace("0", "1") }) }),
    "gives a length beyond all measure": () => ({ ...listing, baseState: JSON.stringify({ id }), length: 2 ** 53 }),
  };
}

function hostStore(answer) {
  return { ...Object.fromEntries(storeMethods.map((name) => [name, answer])), close() {} };
}

function* messages() {
  const text = (value) => [{ type: "text", text: value }];
  const contents = {
    ...noString,
    array: [],
    empty: "",
    blank: " \n\t",
    nothing: undefined,
    "no parts": [null],
    "parts of text": ["x"],
    "an unknown part": [{ type: "video", url: "x" }],
    "a part without text": [{ type: "text" }],
    "a part with a number": text(7),
    "an image without URLs": [{ type: "image" }],
    "an image with no URL": [{ type: "image", image_urls: [] }],
    "an image with an odd URL": [{ type: "image", image_urls: [7] }],
    cyclic: [cyclic()],
    bigint: [{ type: "text", text: 7n }],
    hostile: [hostile()],
    unreadable: [unreadable("type")],
    "odd toJSON": [{ toJSON: () => 7n }],
  };
  for (const [name, value] of each(contents))
    yield { name: `sendMessage(${name})`, expected: invalid, attempt: async (world) => (await world.open()).sendMessage(value) };
  const good = {
    lone,
    "lone within a part": text(lone),
    zero: "a\0b",
    "control characters": "\u0001\u001f\u007f\u2028",
    huge: "größer".repeat(500_000),
    "more fields": [{ type: "text", text: "x", extra: 1n.toString(), cache_prompt: true }],
    "text beside an empty text": [
      { type: "text", text: "" },
      { type: "text", text: "x" },
    ],
  };
  for (const [name, value] of each(good)) {
    yield {
      name: `sendMessage(${name}) and a run`,
      expected: ["ok"],
      attempt: async (world) => {
        const conversation = await world.open();
        await conversation.sendMessage(value);
        await conversation.run();
      },
    };
  }
  for (const [name, value] of each(noString))
    yield {
      name: `sender: ${name}`,
      expected: invalid,
      attempt: async (world) => (await world.open()).sendMessage("x", { sender: value }),
    };
  for (const [name, value] of each({ ...noObject, array: ["x"], hostile: hostile() }))
    yield {
      name: `sendMessage with options ${name}`,
      expected: invalid,
      attempt: async (world) => (await world.open()).sendMessage("x", value),
    };
  yield {
    name: "sendMessage with options that cannot be read",
    expected: invalid,
    attempt: async (world) => (await world.open()).sendMessage("x", unreadable("sender")),
  };
}

function* arguments_() {
  for (const [name, value] of each({ ...noString, null: null }))
    yield {
      name: `rejectPendingActions(${name})`,
      expected: either,
      attempt: async (world) => (await world.open()).rejectPendingActions(value),
    };
  for (const [name, value] of each({ ...noString, empty: "", lone, huge: "x".repeat(1_000_000) })) {
    yield {
      name: `events.getIndex(${name})`,
      expected: ["not_found", "invalid_options"],
      attempt: async (world) => (await world.open()).events.getIndex(value),
    };
  }
  for (const [name, value] of each({ ...noNumber, far: 2 ** 60, "far before": -(2 ** 60), half: 0.5, nothing: undefined })) {
    yield { name: `events.at(${name})`, expected: either, attempt: async (world) => (await world.open()).events.at(value) };
    yield { name: `events.slice(${name})`, expected: either, attempt: async (world) => (await world.open()).events.slice(value, value) };
    yield {
      name: `events.getId(${name})`,
      expected: ["not_found", "invalid_options"],
      attempt: async (world) => (await world.open()).events.getId(value),
    };
  }
  for (const [name, value] of each({ ...noFunction, nothing: undefined }))
    yield { name: `subscribe(${name})`, expected: invalid, attempt: async (world) => (await world.open()).subscribe(value) };
  for (const method of ["sendMessage", "run", "pause", "interrupt", "rejectPendingActions", "setTags"]) {
    yield {
      name: `${method}() after close()`,
      expected: ["invalid_state"],
      attempt: async (world) => {
        const conversation = await world.open();
        await conversation.close();
        await conversation.close();
        await conversation[method](...({ sendMessage: ["x"], setTags: [{}] }[method] ?? []));
      },
    };
  }
  yield {
    name: "reading after close()",
    expected: ["ok", "invalid_state"],
    attempt: async (world) => {
      const conversation = await world.open();
      await conversation.close();
      await conversation.events.slice();
      await conversation.finalResponse();
      await conversation.pendingActions();
      JSON.stringify([conversation.state, conversation.stats, conversation.executionStatus, conversation.events.length]);
      conversation.subscribe(() => {})();
    },
  };
}

function* signals() {
  for (const [name, value] of each({ ...noObject, null: null, object: {}, controller: new AbortController(), hostile: hostile() })) {
    yield { name: `run with signal ${name}`, expected: invalid, attempt: async (world) => (await world.open()).run({ signal: value }) };
  }
  for (const [name, value] of each({ ...noObject, array: ["x"], hostile: hostile() })) {
    yield {
      name: `run with options ${name}`,
      expected: invalid,
      attempt: async (world) => {
        const conversation = await world.open();
        await conversation.sendMessage("Please.");
        await conversation.run(value);
      },
    };
  }
  yield {
    name: "run with options that cannot be read",
    expected: invalid,
    attempt: async (world) => (await world.open()).run(unreadable("signal")),
  };
  for (const [name, reason] of each(reasons)) {
    yield {
      name: `a signal that was aborted with ${name}`,
      expected: ["aborted"],
      attempt: async (world) => (await world.open()).run({ signal: AbortSignal.abort(reason) }),
    };
    yield {
      name: `a signal that is aborted with ${name} while the model answers`,
      expected: ["aborted"],
      attempt: (world) => abortDuring(world, reason),
    };
    yield {
      name: `a signal that is aborted with ${name} while a tool runs`,
      expected: ["aborted"],
      attempt: (world) => abortInTool(world, reason),
    };
  }
}

async function abortDuring(world, reason) {
  const controller = new AbortController();
  const fetch = () => {
    controller.abort(reason);
    return new Promise(() => {});
  };
  const conversation = await world.open([], { agent: world.agent([], { llm: world.llm([], { fetch }) }) });
  await conversation.sendMessage("Please.");
  await conversation.run({ signal: controller.signal });
}

async function abortInTool(world, reason) {
  const controller = new AbortController();
  const execute = () => {
    controller.abort(reason);
    return new Promise(() => {});
  };
  const endless = world.library.tool({ name: "endless", description: "Never ends.", parameters: { type: "object" }, execute });
  const conversation = await world.open([], {
    agent: world.agent([{ calls: [{ name: "endless", arguments: {} }] }], { tools: [endless] }),
  });
  await conversation.sendMessage("Please.");
  try {
    await conversation.run({ signal: controller.signal });
  } finally {
    await conversation.sendMessage("Go on.");
    await conversation.run();
  }
}

function* collisions() {
  const opened = async (world) => {
    const conversation = await world.open();
    await conversation.sendMessage("Please.");
    return conversation;
  };
  yield {
    name: "a second run() at the same time",
    expected: ["invalid_state"],
    attempt: async (world) => {
      const conversation = await opened(world);
      const first = conversation.run();
      try {
        await conversation.run();
      } finally {
        await first;
      }
    },
  };
  yield {
    name: "everything at once",
    expected: ["ok"],
    attempt: async (world) => {
      const conversation = await opened(world);
      const all = [
        conversation.run(),
        conversation.sendMessage("And this."),
        conversation.pause(),
        conversation.setTags({ a: "b" }),
        conversation.interrupt(),
        conversation.pendingActions(),
        conversation.rejectPendingActions(),
        conversation.finalResponse(),
        conversation.events.slice(),
        conversation.exportZip(),
      ];
      await Promise.all(all);
      await conversation.sendMessage("Still there?");
      await conversation.run();
      if (conversation.executionStatus !== "finished") throw new Error(conversation.executionStatus);
    },
  };
  yield {
    name: "close() in the middle of a run",
    expected: ["ok"],
    attempt: async (world) => {
      const conversation = await opened(world);
      const run = conversation.run();
      await conversation.close();
      await run;
    },
  };
  yield {
    name: "one conversation opened twice, and the first closed",
    expected: ["ok"],
    attempt: async (world) => {
      const store = world.library.memoryStore();
      const first = await world.open([], { store });
      const second = await world.open([], { store, conversationId: first.id });
      if (`${first.access} ${second.access}` !== "writer follower") throw new Error(`${first.access} ${second.access}`);
      await second.sendMessage("x");
      if (first.events.length === 0) throw new Error("the message of the second handle is not stored");
      const stored = await world.outcome(() => world.library.Conversation.delete(first.id, { store }));
      if (stored !== "locked_elsewhere") throw new Error(stored);
      await first.close();
      await second.sendMessage("x");
      await second.run();
      await second.close();
      const third = await world.open([], { store, conversationId: first.id });
      await third.sendMessage("x");
      await third.run();
    },
  };
  yield {
    name: "a conversation that was deleted while a follower reads",
    expected: ["store_lost"],
    attempt: async (world) => {
      const store = world.library.memoryStore();
      const first = await world.open([], { store });
      await first.sendMessage("x");
      const second = await world.open([], { store, conversationId: first.id, takeOver: "never" });
      await first.close();
      await world.library.Conversation.delete(first.id, { store });
      await second.events.slice();
      await second.finalResponse();
    },
  };
}

/** The page hears of what its callbacks throw where uncaught errors are; the agent does not mind. */
function* callbacks() {
  for (const [name, reason] of each(reasons)) {
    yield {
      name: `callbacks that throw ${name}`,
      expected: ["ok"],
      attempt: async (world) => {
        const conversation = await world.open([], {
          callbacks: [
            () => {
              throw reason;
            },
          ],
          tokenCallbacks: [
            () => {
              throw reason;
            },
          ],
        });
        const unsubscribe = conversation.subscribe(() => {
          throw reason;
        });
        await conversation.sendMessage("Please.");
        const { status } = await conversation.run();
        unsubscribe();
        if (status !== "finished") throw new Error(status);
      },
    };
  }
  yield {
    name: "a callback that calls back",
    expected: ["ok"],
    attempt: async (world) => {
      let done;
      const result = new Promise((resolve) => (done = resolve));
      const conversation = await world.open();
      let left = 3;
      conversation.subscribe((event) => {
        JSON.stringify([conversation.state, conversation.events.length]);
        if (event.kind === "MessageEvent" && left-- > 0) conversation.sendMessage("From within.").then(() => left < 0 && done());
      });
      await conversation.sendMessage("Please.");
      await conversation.run();
      await result;
    },
  };
  yield {
    name: "a callback that closes",
    expected: ["ok"],
    attempt: async (world) => {
      const conversation = await world.open();
      const closed = new Promise((resolve) => conversation.subscribe(({ source }) => source === "agent" && resolve(conversation.close())));
      await conversation.sendMessage("Please.");
      await closed;
    },
  };
  yield {
    name: "a for await over a run that is left early",
    expected: ["ok"],
    attempt: async (world) => {
      const conversation = await world.open();
      await conversation.sendMessage("Please.");
      const run = conversation.run();
      for await (const _ of run) break;
      if ((await run).status !== "finished") throw new Error("it did not go on");
    },
  };
}

function* archives() {
  const zips = { ...noObject, nothing: undefined, object: {}, hostile: hostile(), speechless: speechless() };
  for (const [name, value] of each(zips))
    yield {
      name: `importZip(${name})`,
      expected: invalid,
      attempt: ({ library }) => library.Conversation.importZip(value, { store: library.memoryStore() }),
    };
  const garbage = {
    "no bytes": new Uint8Array(),
    noise: Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919) % 251),
    "the end of a zip": Uint8Array.from([0x50, 0x4b, 5, 6, ...Array(18).fill(0)]),
    "a zip cut off": Uint8Array.from([0x50, 0x4b, 3, 4]),
    "a Blob of text": new Blob(["hello"]),
    "an empty ArrayBuffer": new ArrayBuffer(0),
    "a view of nothing": new DataView(new ArrayBuffer(8), 4, 2),
  };
  for (const [name, value] of each(garbage))
    yield {
      name: `importZip of ${name}`,
      expected: ["archive_invalid"],
      attempt: ({ library }) => library.Conversation.importZip(value, { store: library.memoryStore() }),
    };
  for (const [name, value] of each({ null: null, number: 7, text: "x", unreadable: unreadable("store") })) {
    yield {
      name: `importZip with options ${name}`,
      expected: ["archive_invalid", "invalid_options"],
      attempt: ({ library }) => library.Conversation.importZip(new Uint8Array(3), value),
    };
  }
  for (const [name, value] of each(noFunction)) {
    yield {
      name: `importZip with onProgress ${name}`,
      expected: invalid,
      attempt: ({ library }) => library.Conversation.importZip(new Uint8Array(3), { store: library.memoryStore(), onProgress: value }),
    };
    yield {
      name: `exportZip with onProgress ${name}`,
      expected: invalid,
      attempt: async (world) => (await spoken(world)).exportZip({ onProgress: value }),
    };
  }
  for (const [name, value] of each({ null: null, number: 7, text: "x" }))
    yield { name: `exportZip with options ${name}`, expected: either, attempt: async (world) => (await spoken(world)).exportZip(value) };
  for (const [name, reason] of each(reasons)) {
    yield {
      name: `onProgress that throws ${name}`,
      expected: ["ok"],
      attempt: async (world) => {
        const onProgress = () => {
          throw reason;
        };
        const zip = await (await spoken(world)).exportZip({ onProgress });
        await world.library.Conversation.importZip(zip, { store: world.library.memoryStore(), onProgress });
      },
    };
    yield {
      name: `an export that is cancelled with ${name}`,
      expected: ["ok"],
      attempt: async (world) => {
        const reader = (await spoken(world)).exportZipStream().getReader();
        await reader.read();
        await reader.cancel(reason);
      },
    };
  }
}

async function spoken(world) {
  const conversation = await world.open();
  await conversation.sendMessage("Please.");
  return conversation;
}
