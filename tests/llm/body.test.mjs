// Reading the body of an answer: what has come goes over in one piece, in order, and nothing is lost, read too far ahead
// or left unsettled, whatever the stream does.
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, test } from "node:test";
import { build } from "esbuild";
import { root } from "../../scripts/process.mjs";
import { randomFrom } from "../support/random.mjs";

let bodyOf;
const unheard = [];
const onUnheard = (error) => unheard.push(error);
before(async () => {
  const {
    outputFiles: [{ text }],
  } = await build({ entryPoints: [path.join(root, "js/llm/body.ts")], bundle: true, write: false, format: "esm", target: "es2022" });
  ({ bodyOf } = await import(`data:text/javascript,${encodeURIComponent(text)}`));
  process.on("unhandledRejection", onUnheard);
});
after(async () => {
  await turn();
  process.off("unhandledRejection", onUnheard);
  assert.deepEqual(unheard, []);
});

const turn = () => new Promise((resolve) => setTimeout(resolve));
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const textOf = (bytes) => (bytes === undefined ? undefined : decoder.decode(bytes));

/** A body whose reader gives these: texts in bytes, or what a function returns. Behind them it gives nothing, ever. */
function scripted(script, lives = () => {}) {
  const given = { reads: 0, cancelled: 0 };
  const reader = {
    read() {
      const next = script[given.reads++];
      if (typeof next === "string") return Promise.resolve({ done: false, value: encoder.encode(next) });
      return next ? next() : new Promise(() => {});
    },
    cancel: () => (given.cancelled++, Promise.resolve()),
  };
  return Object.assign(given, bodyOf({ body: { getReader: () => reader } }, lives));
}
const ends = () => Promise.resolve({ done: true });
const fails = () => Promise.reject(new Error("on purpose"));
const throws = () => {
  throw new Error("on purpose");
};

test("bytes that have arrived are read in one piece, without waiting for more", async () => {
  let release;
  const late = () => new Promise((resolve) => (release = () => resolve({ done: false, value: encoder.encode("d") })));
  const signs = [];
  const body = scripted(["a", "b", "c", late, "e", ends], () => signs.push(1));
  assert.equal(textOf(await body.next()), "abc");
  // The read that has no answer yet is not asked for twice.
  assert.equal(body.reads, 4);
  release();
  assert.equal(textOf(await body.next()), "de");
  assert.deepEqual([await body.next(), await body.next(), body.reads, signs.length], [undefined, undefined, 6, 2]);
});

test("pieces that a stream has ready are read together, however it makes them", async () => {
  const pieces = Array.from({ length: 640 }, (_, at) => encoder.encode(`${at},`));
  const pulled = (pull) => {
    const left = [...pieces];
    return new ReadableStream({
      pull: (controller) => pull(() => (left.length > 0 ? controller.enqueue(left.shift()) : controller.close())),
    });
  };
  const streams = {
    "pulled at once": () => pulled((give) => give()),
    "pulled by an async function": () => pulled(async (give) => give()),
    "an async generator": () =>
      ReadableStream.from(
        (async function* () {
          yield* pieces;
        })(),
      ),
    "through a transform": () => pulled(async (give) => give()).pipeThrough(new TransformStream()),
    "one of two": () => pulled(async (give) => give()).tee()[0],
  };
  for (const [how, stream] of Object.entries(streams)) {
    const body = bodyOf(new Response(stream()), () => {});
    const read = [];
    for (let bytes; (bytes = await body.next()) !== undefined; ) read.push(textOf(bytes));
    assert.deepEqual([read.join(""), read.length], [pieces.map(textOf).join(""), 10], how);
  }
});

for (const [what, end] of [
  ["fails", fails],
  ["throws", throws],
  ["gives nothing", () => undefined],
  ["gives no bytes", async () => ({ done: false, value: { a: 1 } })],
]) {
  test(`a stream that ${what} gives the bytes before that`, async () => {
    const body = scripted(["a", "b", end, "c"]);
    assert.equal(textOf(await body.next()), "ab");
    await turn();
    await assert.rejects(body.next());
    await assert.rejects(body.next());
    assert.equal(body.reads, 3);
    await assert.rejects(scripted([end]).next());
  });
}

test("a read is limited in size, and at most one piece is read ahead", async () => {
  const many = scripted(Array(200).fill("a"));
  for (const length of [64, 64, 64, 8]) {
    assert.equal((await many.next()).length, length);
    await turn();
  }
  assert.equal(many.reads, 201);
  const large = scripted(Array(9).fill("a".repeat(30_000)));
  for (const pieces of [3, 3, 3]) assert.equal((await large.next()).length, pieces * 30_000);
  assert.equal((await scripted(["a".repeat(1 << 20), "b"]).next()).length, 1 << 20);
});

test("a stream is not pulled before a read", async () => {
  let pulled = 0;
  const body = bodyOf(
    new Response(new ReadableStream({ pull: (controller) => controller.enqueue(encoder.encode(`${pulled++} `)) })),
    () => {},
  );
  await body.next();
  const before = pulled;
  for (let i = 0; i < 20; i++) await turn();
  assert.ok(before <= 70 && pulled - before <= 2, `${before} and ${pulled}`);
});

test("cancelling cancels the stream, and its own error is ignored", async () => {
  const body = scripted(["a"]);
  await body.next();
  body.cancel();
  assert.equal(body.cancelled, 1);
  for (const cancel of [throws, fails, () => undefined]) bodyOf({ body: { getReader: () => ({ cancel }) } }, () => {}).cancel();
  let reason = "none";
  const stream = new ReadableStream({ cancel: (given) => void (reason = given) });
  const open = bodyOf({ body: stream }, () => {});
  const asked = open.next();
  open.cancel();
  assert.deepEqual([await asked, reason], [undefined, undefined]);
});

test("doubles of a response are read too", async () => {
  const all = async (response) => {
    const body = bodyOf(response, () => {});
    const texts = [];
    for (let bytes; (bytes = await body.next()) !== undefined; ) texts.push(textOf(bytes));
    return texts.join("|");
  };
  assert.equal(await all({ text: async () => "é words" }), "é words");
  assert.equal(await all({ text: () => "at once" }), "at once");
  assert.equal(await all({ body: null, text: async () => new Uint16Array([0x6161]) }), "aa");
  assert.equal(await all({}), "");
  assert.equal(
    await all({
      body: {
        getReader: () => ({
          n: 0,
          read() {
            return this.n++ ? { done: true } : { value: "words" };
          },
        }),
      },
    }),
    "words",
  );
  await assert.rejects(all({ text: async () => 7 }));
  await assert.rejects(all({ text: fails }));
  assert.throws(() => bodyOf({ body: { getReader: throws } }, () => {}));
});

test("bytes arrive complete and in order, at whatever times", async () => {
  const random = randomFrom(20261122);
  const pauses = [() => {}, () => {}, () => Promise.resolve(), turn];
  for (let round = 0; round < 60; round++) {
    const pieces = Array.from(
      { length: random.between(0, 150) },
      (_, at) => `${at}${"x".repeat(random.chance(0.05) ? 40_000 : random.between(0, 5))},`,
    );
    const left = [...pieces];
    const give = async (controller) => {
      await random.of(pauses)();
      if (left.length > 0) controller.enqueue(encoder.encode(left.shift()));
      else controller.close();
    };
    const giveAll = async (controller) => {
      for (let i = 0; i <= pieces.length; i++) await give(controller);
    };
    const source = random.chance(0.5) ? { pull: give } : { start: (controller) => void giveAll(controller) };
    const stream = new ReadableStream(source, { highWaterMark: random.between(0, 3) });
    const body = bodyOf(round % 3 ? { body: stream } : new Response(stream), () => {});
    let text = "";
    for (let bytes; (bytes = await body.next()) !== undefined; ) {
      text += textOf(bytes);
      if (random.chance(0.3)) await turn();
    }
    assert.equal(text, pieces.join(""));
  }
});
