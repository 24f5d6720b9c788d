// Images that a host gives as Blobs: stored as data URLs that every provider takes.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: images that are small enough stay as they are, and others are made so`, async () => {
    const browser = await tabs(kind);
    try {
      await browser.page(`${server.origin}/pages/strict.html`);
      const answer = await browser.evaluate(sendImages);
      assert.deepEqual(answer.small, { type: "image/png", width: 30, height: 20, isSame: true });
      assert.deepEqual(answer.mislabelled, { type: "image/png", width: 30, height: 20, isSame: true });
      assert.deepEqual(answer.wide, { type: "image/png", width: 2000, height: 500, isSame: false });
      assert.deepEqual(answer.photo, { type: "image/jpeg", width: 1500, height: 2000, isSame: false });
      assert.equal(answer.heavy.type, "image/png");
      assert.ok(answer.heavy.width < 1200 && answer.heavy.bytes <= 3.75e6, JSON.stringify(answer.heavy));
      assert.deepEqual(answer.drawing, { type: "image/png", width: 40, height: 40, isSame: false });
      assert.match(answer.text, /^invalid_options an image of 5 bytes and type "text\/plain" cannot be read/);
      assert.match(answer.broken, /^invalid_options an image of 40 bytes and type "image\/png" cannot be read/);
      assert.deepEqual(answer.stored, ["MessageEvent", "text", "image", 2]);
      // The instructions, six images, and the last message.
      assert.equal(answer.eventCount, 8);
      assert.match(answer.blind, /^invalid_options openai\/gpt-3\.5-turbo cannot see images/);
      assert.equal(answer.seeing, "sent");
      assert.deepEqual(answer.results, [["image"], ["text", "image"]]);
      assert.deepEqual(browser.problems, []);
    } finally {
      await browser.close();
    }
  });
}

async function sendImages() {
  const { Agent, Conversation, LLM, memoryStore, tool } = await import("/threadkeep/index.js");
  const picture = () => drawn(30, 20, "image/png");
  const tools = [
    tool({ name: "draw", description: "Draws.", parameters: { type: "object" }, execute: picture }),
    tool({
      name: "describe",
      description: "Draws, too.",
      parameters: { type: "object" },
      execute: async () => ({ content: [{ type: "text", text: "Look" }, await picture()] }),
    }),
  ];
  const conversation = await Conversation.open({
    agent: new Agent({ llm: new LLM({ model: "openai/none" }), tools }),
    store: memoryStore(),
  });
  const drawn = async (width, height, type, draw = () => {}) => {
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext("2d");
    context.fillStyle = "teal";
    context.fillRect(0, 0, width / 2, height);
    draw(context);
    return canvas.convertToBlob({ type });
  };
  const noise = (context) => {
    const image = context.getImageData(0, 0, 1200, 1200);
    for (let at = 0; at < image.data.length; at += 65_536) crypto.getRandomValues(image.data.subarray(at, at + 65_536));
    context.putImageData(image, 0, 0);
  };
  const bytesOf = async (blob) => String(new Uint8Array(await blob.arrayBuffer()));
  const sent = async (blob) => {
    const { llm_message } = await conversation.sendMessage([blob]);
    const [url] = llm_message.content[0].image_urls;
    const [, type, base64] = /^data:([^;]+);base64,(.*)$/.exec(url);
    const image = new Blob([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))], { type });
    const { width, height } = await createImageBitmap(image);
    return { type, width, height, isSame: (await bytesOf(image)) === (await bytesOf(blob)), bytes: image.size };
  };
  const plain = async (blob) => (({ bytes: _, ...rest }) => rest)(await sent(blob));
  const refused = (blob) =>
    conversation.sendMessage([blob]).then(
      () => "sent",
      ({ code, message }) => `${code} ${message}`,
    );
  const png = await drawn(30, 20, "image/png");
  const answer = {
    small: await plain(png),
    mislabelled: await plain(new Blob([png], { type: "image/webp" })),
    wide: await plain(await drawn(4000, 1000, "image/png")),
    photo: await plain(await drawn(3000, 4000, "image/jpeg")),
    heavy: await sent(await drawn(1200, 1200, "image/png", noise)),
    // Formats that no provider knows are drawn anew.
    drawing: await plain(new Blob([await bitmapFile(40)], { type: "image/bmp" })),
    text: await refused(new Blob(["hello"], { type: "text/plain" })),
    broken: await refused(new Blob([await png.slice(0, 40).arrayBuffer()], { type: "image/png" })),
  };
  const { kind, llm_message } = await conversation.sendMessage([
    { type: "text", text: "Two" },
    { type: "image", image_urls: [png, "https://pictures.test/1.png"] },
  ]);
  answer.stored = [kind, ...llm_message.content.map(({ type }) => type), llm_message.content[1].image_urls.length];
  answer.eventCount = conversation.events.length;
  answer.results = [];
  for (const name of ["draw", "describe"]) answer.results.push((await conversation.executeTool(name)).content.map(({ type }) => type));
  await conversation.switchLLM(new LLM({ model: "openai/gpt-3.5-turbo" }));
  answer.blind = await refused(png);
  await conversation.switchLLM(new LLM({ model: "openai/gpt-4o" }));
  answer.seeing = await refused(png);
  await conversation.close();
  return answer;

  /** The file of a square in Windows' format, which browsers read and providers do not. */
  function bitmapFile(side) {
    const row = side * 3;
    const file = new DataView(new ArrayBuffer(54 + row * side));
    file.setUint16(0, 0x424d);
    for (const [at, value] of [
      [2, file.byteLength],
      [10, 54],
      [14, 40],
      [18, side],
      [22, side],
      [34, row * side],
    ])
      file.setUint32(at, value, true);
    file.setUint16(26, 1, true);
    file.setUint16(28, 24, true);
    return file.buffer;
  }
}
