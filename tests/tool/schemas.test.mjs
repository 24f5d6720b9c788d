// Tools whose arguments are described with zod, valibot or arktype: the request holds their JSON Schema, and the tool is
// given what they make of the arguments.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { toJsonSchema, toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as valibot from "valibot";
import { z } from "zod";
import { Agent, Conversation, LLM, memoryStore, tool } from "../../dist/index.js";
import { root } from "../../scripts/process.mjs";
import { createModel } from "../support/model.mjs";

const libraries = {
  zod: [
    z.object({ sides: z.int().min(2).default(6), note: z.string().optional(), as: z.object({ big: z.boolean() }).optional() }),
    z.object({ sides: z.string().transform(Number) }),
    z.object({ sides: z.int().refine((sides) => sides % 2 === 0, "no odd dice") }),
  ],
  valibot: [
    toStandardJsonSchema(
      valibot.object({
        sides: valibot.optional(valibot.pipe(valibot.number(), valibot.integer(), valibot.minValue(2)), 6),
        note: valibot.optional(valibot.string()),
        as: valibot.optional(valibot.object({ big: valibot.boolean() })),
      }),
    ),
    toStandardJsonSchema(valibot.object({ sides: valibot.pipe(valibot.string(), valibot.transform(Number)) })),
    toStandardJsonSchema(valibot.object({ sides: valibot.pipe(valibot.number(), valibot.multipleOf(2, "no odd dice")) })),
  ],
  arktype: [
    type({ sides: "number.integer >= 2 = 6", "note?": "string", "as?": { big: "boolean" } }),
    type({ sides: "string.numeric.parse" }),
    type({ sides: "number.integer % 2" }),
  ],
};

for (const [library, [plain, transforming, checking]] of Object.entries(libraries)) {
  test(`${library}: the request holds the JSON Schema`, async () => {
    const { sent } = await call(plain, {});
    assert.equal(sent.type, "object");
    // The library asks for two more itself.
    assert.deepEqual(Object.keys(sent.properties).sort(), ["as", "note", "security_risk", "sides", "summary"]);
    const { type: sides, minimum } = sent.properties.sides;
    assert.deepEqual(
      [sides, minimum, sent.properties.note.type, sent.properties.as.properties.big.type],
      ["integer", 2, "string", "boolean"],
    );
    assert.ok(!("$schema" in sent));
    assert.ok(!sent.required?.includes("sides"));
  });

  test(`${library}: the tool gets the parsed arguments`, async () => {
    assert.deepEqual((await call(plain, {})).given, { sides: 6 });
    assert.deepEqual((await call(plain, { sides: 20, as: { big: true } })).given, { sides: 20, as: { big: true } });
    assert.deepEqual((await call(transforming, { sides: "12" })).given, { sides: 12 });
  });

  test(`${library}: a mismatch is reported to the model, and the tool is not called`, async () => {
    for (const args of [{ sides: 1 }, { sides: "6" }, { note: 7 }, { as: { big: "no" } }]) {
      const { given, answer } = await call(plain, args);
      assert.equal(given, undefined);
      assert.match(answer, new RegExp(`${Object.keys(args)[0]}`));
    }
    const { given, answer } = await call(checking, { sides: 7 });
    assert.equal(given, undefined);
    assert.match(answer, /odd dice|even|divisible|multiple/);
  });
}

test("a host can give the JSON Schema that a schema cannot express", async () => {
  const even = valibot.object({
    sides: valibot.pipe(
      valibot.number(),
      valibot.check((sides) => sides % 2 === 0, "no odd dice"),
    ),
  });
  const day = z.object({ sides: z.coerce.date() });
  const outcome = [
    [even, toJsonSchema(even, { errorMode: "ignore" }), 6, 6],
    [day, z.toJSONSchema(day, { unrepresentable: "any", io: "input" }), "2026-01-31", new Date("2026-01-31")],
  ];
  for (const [schema, jsonSchema, sides, parsed] of outcome) {
    const { sent, given } = await call(schema, { sides }, jsonSchema);
    assert.ok("sides" in sent.properties);
    assert.deepEqual(given, { sides: parsed });
  }
  assert.match((await call(even, { sides: 7 }, toJsonSchema(even, { errorMode: "ignore" }))).answer, /no odd dice/);
});

test("a schema without a JSON form is refused with a hint", () => {
  const make = (parameters) => () => tool({ name: "roll", description: "Rolls.", parameters, execute: () => "" });
  assert.throws(make(valibot.object({ sides: valibot.number() })), {
    code: "invalid_options",
    message: /^parameters of tool roll: .*toStandardJsonSchema\(\) of @valibot\/to-json-schema/,
  });
  assert.throws(make(z.object({ at: z.date() })), { code: "invalid_options", message: /^parameters of tool roll .*Date/ });
  assert.throws(make(z.string()), { code: "invalid_options", message: /must be a JSON Schema of type "object"/ });
});

/** Lets a model call a tool with these parameters; returns the schema of the request, the arguments of the tool, and its result. */
async function call(parameters, args, jsonSchema) {
  let given;
  const roll = tool({ name: "roll", description: "Rolls.", parameters, jsonSchema, execute: (parsed) => ((given = parsed), "rolled") });
  const { fetch, requests } = createModel([{ calls: [{ name: "roll", arguments: args }] }, { text: "Done." }]);
  const agent = new Agent({ llm: new LLM({ model: "openai/m", fetch, stream: false, numRetries: 1 }), tools: [roll] });
  const conversation = await Conversation.open({ agent, store: memoryStore() });
  await conversation.sendMessage("Roll.");
  await conversation.run();
  await conversation.close();
  const sent = requests[0].body.tools.find((each) => each.function.name === "roll").function.parameters;
  const { content } = requests[1].body.messages.at(-1);
  return { sent, given, answer: JSON.stringify(content) };
}

test("a pattern that backtracks for ever does not stop the page", () => {
  const program = `
    import { Agent, Conversation, LLM, memoryStore, tool } from "./dist/index.js";
    import { createModel } from "./tests/support/model.mjs";
    const name = tool({
      name: "name",
      description: "Takes a name.",
      parameters: {
        type: "object",
        properties: { name: { type: "string", pattern: "^(a+)+$" } },
        patternProperties: { "^(b+)+$": { type: "number" } },
      },
      execute: ({ name }) => name.length,
    });
    const call = (args) => ({ calls: [{ name: "name", arguments: args }] });
    const [a, b] = ["a".repeat(40), "b".repeat(40)];
    const model = createModel([call({ name: a + "!" }), call({ name: "a", [b + "!"]: 1 }), call({ name: a, [b]: "x" }), call({ name: a }), { text: "Done." }]);
    const agent = new Agent({ llm: new LLM({ model: "openai/gpt-4o", fetch: model.fetch }), tools: [name] });
    const conversation = await Conversation.open({ agent, store: memoryStore() });
    await conversation.sendMessage("Go");
    await conversation.run();
    const results = (await conversation.activeBranch()).flatMap(({ kind, error, observation }) =>
      kind === "AgentErrorEvent" ? [error] : observation ? [observation.content[0].text] : []);
    console.log(JSON.stringify(results));
    await conversation.close();
  `;
  const { stdout, signal, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: root,
    timeout: 60_000,
    encoding: "utf8",
  });
  assert.deepEqual([signal, stderr], [null, ""]);
  const [first, second, third, fourth] = JSON.parse(stdout.trim().split("\n").at(-1));
  assert.match(first, /name: String does not match pattern/);
  assert.equal(second, "1");
  assert.match(third, /has to be of type number/);
  assert.equal(fourth, "40");
});
