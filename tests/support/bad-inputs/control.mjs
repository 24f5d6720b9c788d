// Bad inputs to what decides about calls.
import { cyclic, each, hostile, lone, noArray, noFunction, noObject, noString, reasons, unreadable } from "./odd.mjs";

const invalid = ["invalid_options"];
const noSuch = ["invalid_options", "not_found"];
const ask = { kind: "AlwaysConfirm" };

export function* controlRows() {
  yield* policies();
  yield* analyzers();
  yield* decisions();
  yield* closing();
}

function* policies() {
  const policies = {
    ...noObject,
    object: {},
    hostile: hostile(),
    unreadable: unreadable("kind"),
    unknown: { kind: "ConfirmOnTuesdays" },
    "the kind a number": { kind: 7 },
    lone: { kind: lone },
    "no threshold": { kind: "ConfirmRisky", threshold: "UNKNOWN" },
    "a threshold in small letters": { kind: "ConfirmRisky", threshold: "low" },
    "a threshold that is a number": { kind: "ConfirmRisky", threshold: 2 },
    "unknown as text": { kind: "ConfirmRisky", confirmUnknown: "no" },
  };
  for (const [name, value] of each(policies)) {
    yield { name: `confirmationPolicy: ${name}`, expected: invalid, attempt: (world) => world.open([], { confirmationPolicy: value }) };
    yield {
      name: `setConfirmationPolicy(${name})`,
      expected: invalid,
      attempt: async (world) => (await world.open()).setConfirmationPolicy(value),
    };
  }
}

function* analyzers() {
  const values = {
    text: "LLMSecurityAnalyzer",
    number: 7,
    object: {},
    hostile: hostile(),
    unreadable: unreadable("kind"),
    unknown: { kind: "GraySwanAnalyzer" },
    "an empty ensemble": { kind: "EnsembleSecurityAnalyzer", analyzers: [] },
  };
  for (const [name, value] of each(values)) {
    yield { name: `securityAnalyzer: ${name}`, expected: invalid, attempt: (world) => world.open([], { securityAnalyzer: value }) };
    yield {
      name: `setSecurityAnalyzer(${name})`,
      expected: invalid,
      attempt: async (world) => (await world.open()).setSecurityAnalyzer(value),
    };
  }
  for (const [name, value] of each(noFunction))
    yield {
      name: `securityRisk: ${name}`,
      expected: invalid,
      attempt: (world) => world.open([], { securityAnalyzer: { securityRisk: value } }),
    };
  const throwing = each(reasons).map(([name, reason]) => [
    `throws ${name}`,
    () => {
      throw reason;
    },
  ]);
  const answers = each({ nothing: undefined, null: null, number: 2, small: "low", cyclic: cyclic(), hostile: hostile() }).map(
    ([name, value]) => [`says ${name}`, () => value],
  );
  for (const [name, securityRisk] of [...throwing, ...answers]) {
    yield {
      name: `an analyzer that ${name}`,
      expected: ["ok"],
      attempt: async (world) => {
        const conversation = await waiting(world, {
          confirmationPolicy: { kind: "ConfirmRisky", confirmUnknown: false },
          securityAnalyzer: { securityRisk },
        });
        const [{ id }] = await conversation.pendingActions();
        if (conversation.securityRisks[id] !== "HIGH") throw new Error(`the risk became ${conversation.securityRisks[id]}`);
      },
    };
  }
}

/** A conversation in which a call waits. */
async function waiting(world, options = { confirmationPolicy: ask }) {
  const odd = world.library.tool({
    name: "odd",
    description: "Is odd.",
    parameters: { type: "object", properties: { n: { type: "integer" } } },
    execute: () => "done",
  });
  const conversation = await world.open(undefined, {
    agent: world.agent([{ calls: [{ name: "odd", arguments: { n: 1 } }] }], { tools: [odd] }),
    ...options,
  });
  await conversation.sendMessage("Please.");
  const { status } = await conversation.run();
  if (status !== "waiting_for_confirmation") throw new Error(`the run ended ${status}`);
  return conversation;
}

function* decisions() {
  const ids = {
    ...noArray,
    "of numbers": [7],
    "of nothing": [undefined],
    "with a comma": ["a,b"],
    hostile: hostile(),
    "of what is no id": ["x"],
    "of a stranger": [crypto.randomUUID()],
  };
  for (const [name, value] of each(ids)) {
    yield { name: `approve: ${name}`, expected: noSuch, attempt: async (world) => (await waiting(world)).run({ approve: value ?? [7] }) };
    yield {
      name: `actionIds: ${name}`,
      expected: noSuch,
      attempt: async (world) => (await waiting(world)).rejectPendingActions("no", { actionIds: value ?? [7] }),
    };
  }
  for (const [name, value] of each({ ...noString, empty: "", stranger: crypto.randomUUID() }))
    yield { name: `editAction(${name})`, expected: noSuch, attempt: async (world) => (await waiting(world)).editAction(value, {}) };
  for (const [name, value] of each({ nothing: undefined, cyclic: cyclic(), bigint: 7n, hostile: hostile(), wrong: { n: "one" } })) {
    yield {
      name: `editAction with ${name}`,
      expected: invalid,
      attempt: async (world) => {
        const conversation = await waiting(world);
        const [{ id }] = await conversation.pendingActions();
        await conversation.editAction(id, value);
      },
    };
    yield {
      name: `executeTool with ${name}`,
      expected: name === "nothing" ? ["ok"] : invalid,
      attempt: async (world) => (await waiting(world)).executeTool("odd", value),
    };
  }
  for (const [name, value] of each({ ...noString, empty: "", stranger: "even" }))
    yield {
      name: `executeTool(${name})`,
      expected: ["not_found"],
      attempt: async (world) => (await waiting(world)).executeTool(value, {}),
    };
  yield {
    name: "executeTool with a signal that is none",
    expected: invalid,
    attempt: async (world) => (await waiting(world)).executeTool("odd", {}, { signal: {} }),
  };
  yield {
    name: "executeTool with an aborted signal",
    expected: ["aborted"],
    attempt: async (world) => (await waiting(world)).executeTool("odd", {}, { signal: AbortSignal.abort() }),
  };
  for (const [name, value] of each({ ...noArray, null: null, "of numbers": [7], cyclic: cyclic(), hostile: hostile() }))
    yield { name: `setAllowedTools(${name})`, expected: invalid, attempt: async (world) => (await world.open()).setAllowedTools(value) };
  for (const [name, value] of each({
    ...noObject,
    null: null,
    array: [1],
    bigint: { a: 7n },
    hostile: hostile(),
    own: { security_risks: {} },
  }))
    yield { name: `setAgentState(${name})`, expected: invalid, attempt: async (world) => (await world.open()).setAgentState(value) };
  yield {
    name: "setAgentState with half of a pair",
    expected: ["ok"],
    attempt: async (world) => (await world.open()).setAgentState({ a: lone }),
  };
  yield {
    name: "a message that says nothing of what waits",
    expected: ["invalid_state"],
    attempt: async (world) => (await waiting(world)).sendMessage("x"),
  };
  for (const [name, value] of each({ text: "approve", number: 7, hostile: hostile() }))
    yield {
      name: `pending: ${name}`,
      expected: invalid,
      attempt: async (world) => (await waiting(world)).sendMessage("x", { pending: value }),
    };
}

function* closing() {
  for (const [name, value] of each({ null: null, text: "yes", flag: true, hostile: hostile() }))
    yield { name: `offline: ${name}`, expected: invalid, attempt: (world) => world.open([], { offline: value }) };
  for (const [name, value] of each({ null: null, text: "keeps", flag: true, hostile: hostile() }))
    yield { name: `resume: ${name}`, expected: invalid, attempt: (world) => world.open([], { resume: value }) };
  for (const [name, value] of each({ text: "yes", number: 1, hostile: hostile() }))
    yield { name: `deleteOnClose: ${name}`, expected: invalid, attempt: (world) => world.open([], { deleteOnClose: value }) };
  for (const [method, given] of Object.entries({
    editAction: [crypto.randomUUID(), {}],
    executeTool: ["finish", {}],
    setConfirmationPolicy: [ask],
    setSecurityAnalyzer: [null],
    setAllowedTools: [[]],
    allowSecrets: [],
    setAgentState: [{}],
  })) {
    yield {
      name: `${method}() after close()`,
      expected: ["invalid_state"],
      attempt: async (world) => {
        const conversation = await world.open();
        await conversation.close();
        await conversation[method](...given);
      },
    };
  }
}
