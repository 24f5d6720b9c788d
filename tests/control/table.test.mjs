// The table of docs/control.md, made true: each of its calls is made under each of its settings.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { Agent, Conversation, LLM, memoryStore, tool } from "../../dist/index.js";
import { createModel } from "../support/model.mjs";

const root = path.resolve(import.meta.dirname, "../..");
const patterns = { securityAnalyzer: { kind: "PatternSecurityAnalyzer" } };
const settings = {
  "–": {},
  "`HIGH`": { confirmationPolicy: { kind: "ConfirmRisky" }, ...patterns },
  "`MEDIUM`": { confirmationPolicy: { kind: "ConfirmRisky", threshold: "MEDIUM" }, ...patterns },
};

const [headings, , ...lines] = readFileSync(path.join(root, "docs/control.md"), "utf8")
  .split("### What each default does")[1]
  .split("\n## ")[0]
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
const columns = headings.slice(2);
/** A line has several calls with the same hints and the same outcomes: a row is one of them, as its name and its arguments. */
const rows = lines.flatMap(([calls, hints, ...outcomes]) =>
  [...calls.matchAll(/`(\w+)\(([^`]*)\)`/g)].map(([, name, args]) => [name, hints, args, ...outcomes]),
);

/** A text of code as the value that it is. */
const valueOf = (code) => Function(`return (${code})`)();

let model, server;
before(async () => {
  // The user's message names the call; after its result the model is done.
  model = createModel(({ messages }) => {
    const { role, content } = messages.at(-1);
    return role === "user" ? { calls: [JSON.parse(typeof content === "string" ? content : content[0].text)] } : { text: "Done." };
  });
  server = await model.listen();
});
after(() => server.close());

/** The outcome of a call of this row. */
async function outcome([name, hints, args], options) {
  const { needsApproval, ...annotations } = hints === "–" ? {} : valueOf(`{${/^`(.*)`$/.exec(hints)[1]}}`);
  let runs = 0;
  const called = tool({
    name,
    description: "Does what it is called.",
    parameters: { type: "object" },
    annotations,
    ...(needsApproval !== undefined && { needsApproval }),
    execute: () => void (runs += 1),
  });
  const agent = new Agent({ llm: new LLM({ model: "scripted", baseUrl: server.baseUrl, numRetries: 1 }), tools: [called] });
  const conversation = await Conversation.open({ agent, store: memoryStore(), ...options });
  try {
    await conversation.sendMessage(JSON.stringify({ name: called.name, arguments: valueOf(args || "{}") }));
    const { status } = await conversation.run();
    assert.equal(runs, status === "finished" ? 1 : 0, "what waits has not run");
    return { finished: "runs", waiting_for_confirmation: "**asks**" }[status];
  } finally {
    await conversation.close();
  }
}

test("the table has forty calls and a column for each setting", () => {
  assert.equal(rows.length, 40);
  assert.deepEqual(columns, Object.keys(settings));
});

for (const row of rows) {
  test(row.slice(0, 3).join(" "), async () => {
    const found = await Promise.all(columns.map((column) => outcome(row, settings[column])));
    assert.deepEqual(
      Object.fromEntries(columns.map((column, i) => [column, found[i]])),
      Object.fromEntries(columns.map((column, i) => [column, row[i + 3]])),
    );
    // Every call waits where every call has to.
    assert.equal(await outcome(row, { confirmationPolicy: { kind: "AlwaysConfirm" } }), "**asks**");
  });
}

test("every request that the model got was valid", () => assert.deepEqual(model.violations, []));
