// What zod, valibot and arktype allow reaches a tool as they make it, and what they do not is refused by name: with random schemas, as
// the strict mode of providers demands them too, and random arguments.
import assert from "node:assert/strict";
import { test } from "node:test";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as valibot from "valibot";
import { z } from "zod";
import { Agent, Conversation, LLM, memoryStore, tool } from "../../dist/index.js";
import { amount, seed } from "../support/explored.mjs";
import { createModel } from "../support/model.mjs";
import { randomFrom } from "../support/random.mjs";

const schemas = amount(500, 2000);
const toolsOfAgent = 25;
const callsOfTool = 4;

/** How each library writes what is described below. */
const libraries = {
  zod: {
    text: () => z.string(),
    number: () => z.int(),
    yesOrNo: () => z.boolean(),
    choice: ({ of }) => z.enum(of),
    either: () => z.union([z.string(), z.int()]),
    list: (_, inner) => z.array(inner),
    orNull: (_, inner) => z.nullable(inner),
    object: ({ isStrict, members }, write) => {
      const written = members.map(({ name, isRequired, value }) => [name, isRequired ? write(value) : z.optional(write(value))]);
      return (isStrict ? z.strictObject : z.object)(Object.fromEntries(written));
    },
  },
  valibot: {
    text: () => valibot.string(),
    number: () => valibot.pipe(valibot.number(), valibot.integer()),
    yesOrNo: () => valibot.boolean(),
    choice: ({ of }) => valibot.picklist(of),
    either: () => valibot.union([valibot.string(), valibot.pipe(valibot.number(), valibot.integer())]),
    list: (_, inner) => valibot.array(inner),
    orNull: (_, inner) => valibot.nullable(inner),
    object: ({ isStrict, members }, write) => {
      const written = members.map(({ name, isRequired, value }) => [name, isRequired ? write(value) : valibot.optional(write(value))]);
      return (isStrict ? valibot.strictObject : valibot.object)(Object.fromEntries(written));
    },
    whole: toStandardJsonSchema,
  },
  arktype: {
    text: () => type("string"),
    number: () => type("number.integer"),
    yesOrNo: () => type("boolean"),
    choice: ({ of }) => type.enumerated(...of),
    either: () => type("string | number.integer"),
    list: (_, inner) => inner.array(),
    orNull: (_, inner) => inner.or("null"),
    object: ({ isStrict, members }, write) => {
      const written = members.map(({ name, isRequired, value }) => [isRequired ? name : `${name}?`, write(value)]);
      return type({ ...Object.fromEntries(written), ...(isStrict && { "+": "reject" }) });
    },
  },
};

function writtenBy(library) {
  const write = (described) =>
    library[described.kind](described, described.kind === "object" ? write : described.inner && write(described.inner));
  return (described) => (library.whole ?? ((schema) => schema))(write(described));
}

/** Describes a value. In the strict form every member is required, and null where it is left out. */
function described(random, isStrict, depth) {
  const inner = () => described(random, isStrict, depth + 1);
  const kind = random.of(["text", "number", "yesOrNo", "choice", "either", ...(depth < 3 ? ["list", "orNull", "object"] : [])]);
  if (kind === "choice") return { kind, of: ["low", "high", ""] };
  if (kind === "list") return { kind, inner: inner() };
  if (kind === "orNull") return orNull(inner());
  return kind === "object" ? describedObject(random, isStrict, depth) : { kind };
}

const orNull = (inner) => (inner.kind === "orNull" ? inner : { kind: "orNull", inner });

function describedObject(random, isStrict, depth) {
  const names = ["note", "size", "tags", "where"].slice(0, random.between(1, 4));
  const members = names.map((name) => {
    const value = described(random, isStrict, depth + 1);
    return { name, isRequired: isStrict || random.chance(0.5), value: isStrict && random.chance(0.5) ? orNull(value) : value };
  });
  return { kind: "object", isStrict: isStrict || random.chance(0.3), members };
}

/** Nothing of it is read as something else: no text has JSON, no list has only texts. */
const lists = [[1], [null]];
const others = [null, true, 7.5, 12, "text", { note: null }, { note: 1 }];

/** A value as a model sends it: mostly one that is meant. */
function sent(random, value) {
  // arktype takes a list for an object, although the JSON Schema that it writes does not.
  if (random.chance(0.06)) return random.of(value.kind === "object" ? others : [...others, ...lists]);
  switch (value.kind) {
    case "text":
      return random.of(["text", "", "null", "é"]);
    case "number":
      return random.between(-7, 12);
    case "yesOrNo":
      return random.chance(0.5);
    case "choice":
      return random.of(value.of);
    case "either":
      return random.chance(0.5) ? "text" : 3;
    case "list":
      return Array.from({ length: random.between(0, 2) }, () => sent(random, value.inner));
    case "orNull":
      return random.chance(0.5) ? null : sent(random, value.inner);
    case "object":
      return sentObject(random, value);
  }
}

function sentObject(random, { members }) {
  const object = {};
  for (const { name, isRequired, value } of members) {
    if (random.chance(0.12)) object[name] = null;
    else if (random.chance(isRequired ? 0.96 : 0.5)) object[name] = sent(random, value);
  }
  if (random.chance(0.1)) object.other = random.of(others);
  return object;
}

/** The value without members that are null where that is neither allowed nor required: so models leave out what is optional. */
function meant(value, { kind, inner, members, isStrict }) {
  if (kind === "orNull") return meant(value, inner);
  if (kind === "list" && Array.isArray(value)) return value.map((element) => meant(element, inner));
  if (kind !== "object" || typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const kept = Object.entries(value).flatMap(([name, given]) => {
    const member = members.find((member) => member.name === name);
    const isLeftOut = given === null && (member ? !member.isRequired && member.value.kind !== "orNull" : isStrict);
    return isLeftOut ? [] : [[name, member ? meant(given, member.value) : given]];
  });
  return Object.fromEntries(kept);
}

/** Calls these tools with these arguments: what each call gave its tool, and its result for the model. */
async function called(tools, calls) {
  const given = new Map();
  const made = tools.map(({ name, schema }) =>
    tool({
      name,
      description: "Takes anything.",
      parameters: schema,
      execute: (args, { toolCallId }) => (given.set(toolCallId, args), "done"),
    }),
  );
  const { fetch, requests } = createModel([{ calls: calls.map(({ name, args }) => ({ name, arguments: args })) }, { text: "Done." }]);
  const agent = new Agent({ llm: new LLM({ model: "openai/m", fetch, stream: false, numRetries: 1 }), tools: made });
  const conversation = await Conversation.open({ agent, store: memoryStore() });
  await conversation.sendMessage("Go.");
  await conversation.run();
  await conversation.close();
  const { messages } = requests[1].body;
  const ids = messages.find(({ tool_calls }) => tool_calls).tool_calls.map(({ id }) => id);
  const results = new Map(
    messages.filter(({ role }) => role === "tool").map(({ tool_call_id, content }) => [tool_call_id, JSON.stringify(content)]),
  );
  return ids.map((id) => ({ isCalled: given.has(id), got: given.get(id), result: results.get(id) }));
}

test("what zod, valibot and arktype allow reaches the tool, and what they do not is refused by name", async () => {
  const random = randomFrom(seed);
  const names = Object.keys(libraries);
  let [allowed, nulls, corrected, refused] = [0, 0, 0, 0];
  for (let first = 0; first < schemas; first += toolsOfAgent) {
    const tools = Array.from({ length: Math.min(toolsOfAgent, schemas - first) }, (_, place) => {
      const library = names[(first + place) % names.length];
      const wanted = describedObject(random, random.chance(0.4), 0);
      return { name: `any_${place}`, library, wanted, schema: writtenBy(libraries[library])(wanted) };
    });
    const calls = tools.flatMap((one) => Array.from({ length: callsOfTool }, () => ({ ...one, args: sentObject(random, one.wanted) })));
    for (const [place, { isCalled, got, result }] of (await called(tools, calls)).entries()) {
      const { library, schema, wanted, args } = calls[place];
      const what = `${library}: ${JSON.stringify(wanted)} was given ${JSON.stringify(args)}: ${result}`;
      const { issues: mistakes } = await schema["~standard"].validate(structuredClone(args));
      const { issues, value } = await schema["~standard"].validate(meant(args, wanted));
      assert.ok(mistakes || !issues, what);
      assert.equal(isCalled, !issues, what);
      if (issues) {
        const named = issues.flatMap(({ path = [] }) => path.map((key) => key.key ?? key)).filter((key) => typeof key === "string");
        assert.ok(
          (named.length > 0 ? named : ["other"]).some((name) => result.includes(name)),
          what,
        );
        refused++;
      } else {
        assert.deepEqual(got, value, what);
        if (mistakes) corrected++;
        else allowed++;
        nulls += Number(!mistakes && JSON.stringify(args).includes(":null"));
      }
    }
  }
  assert.ok(
    allowed > schemas && nulls > schemas / 4 && corrected > schemas / 10 && refused > schemas / 2,
    `${allowed} allowed, ${nulls} of them with null, ${corrected} corrected, ${refused} refused`,
  );
});
