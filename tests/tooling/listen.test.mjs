// A server of the tests outlives clients that are killed in the middle of a request. What its handler throws is not lost.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { listen } from "../support/listen.mjs";

/** The errors that nobody handles while `during` runs and a moment after it. */
async function unhandled(during) {
  const seen = [];
  const before = process.rawListeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection").on("unhandledRejection", (error) => seen.push(error.message));
  try {
    await during();
    await new Promise((resolve) => setTimeout(resolve, 50));
  } finally {
    process.removeAllListeners("unhandledRejection");
    for (const listener of before) process.on("unhandledRejection", listener);
  }
  return seen;
}

/** Sends half of a request to this handler, waits until it is read, and leaves. */
async function halfARequest(handler) {
  let begin, end;
  const begun = new Promise((resolve) => (begin = resolve));
  const ended = new Promise((resolve) => (end = resolve));
  const server = await listen(async (request) => {
    begin();
    try {
      await handler(request);
    } finally {
      end();
    }
  });
  const client = connect(server.port, "127.0.0.1");
  await once(client, "connect");
  client.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n12345");
  await begun;
  client.destroy();
  await ended;
  await server.close();
}

test("a client that leaves in mid-request ends its request only", async () => {
  let caught;
  const read = async (request) => {
    try {
      for await (const chunk of request) void chunk;
    } catch (error) {
      caught = error.code;
      throw error;
    }
  };
  assert.deepEqual(await unhandled(() => halfARequest(read)), []);
  assert.equal(caught, "ECONNRESET");
});

test("a fault of the handler is seen", async () => {
  const fault = () => Promise.reject(new Error("a fault"));
  assert.deepEqual(await unhandled(() => halfARequest(fault)), ["a fault"]);
});
