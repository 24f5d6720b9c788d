// Files that models are given themselves: in the form of each wire API, with their bytes from the workspace, and what a model
// is told where it gets something else. The scripted model checks every request.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { LLM, memoryStore, memoryWorkspace } from "../../dist/index.js";
import { eventsOf, open, pixel, scripted } from "../support/chat.mjs";
import { violationsOf } from "../support/model/script.mjs";
import { pdfOf } from "../support/pdf.mjs";
import { refused } from "../support/refused.mjs";

const base64 = (bytes) => Buffer.from(bytes).toString("base64");
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");
const pdf = pdfOf(["Profit"]);
const wav = new Uint8Array(Buffer.concat([Buffer.from("RIFF\x24\0\0\0WAVEfmt ", "latin1"), Buffer.alloc(64)]));
const mp3 = new Uint8Array(Buffer.concat([Buffer.from("ID3\x04"), Buffer.alloc(60)]));
const png = new Uint8Array(Buffer.from(pixel.split(",")[1], "base64"));
const file = (bytes, name, type = "") => ({ type: "file", file: new File([bytes], name, { type }) });
const text = (text) => ({ type: "text", text });

/** The models of each wire API that read everything which it takes. */
const all = { supports_vision: true, supports_pdf_input: true, supports_audio_input: true };
const apis = {
  chat: { model: "openai/own", apiMode: "chat", capabilityOverrides: all },
  responses: { model: "openai/own", apiMode: "responses", capabilityOverrides: all },
  anthropic: { model: "anthropic/own", apiMode: "anthropic", capabilityOverrides: all },
};
const textOnly = { model: "openai/own", apiMode: "chat" };

async function world(t, replies, { llm = apis.chat, ...options } = {}) {
  const model = await scripted(t, replies);
  t.after(() => model.check());
  const conversation = await open(t, { model, store: memoryStore(), llm, ...options });
  return { model, conversation };
}

/** The parts of the last message of the user in a request. */
const partsOf = ({ body }) => {
  const list = body.messages ?? body.input;
  return list.filter(({ role }) => role === "user").at(-1).content;
};
/** The lines of the text that names a file, below the first. */
const below = (part) => part.text.split("\n").slice(1).join("\n");
const given = "The file itself is given before this text.";

const pdfUrl = `data:application/pdf;base64,${base64(pdf)}`;
const pngUrl = `data:image/png;base64,${base64(png)}`;
const forms = {
  chat: [
    { type: "file", file: { filename: "report.pdf", file_data: pdfUrl } },
    { type: "input_audio", input_audio: { data: base64(wav), format: "wav" } },
    { type: "input_audio", input_audio: { data: base64(mp3), format: "mp3" } },
    { type: "image_url", image_url: { url: pngUrl } },
  ],
  responses: [
    { type: "input_file", filename: "report.pdf", file_data: pdfUrl },
    "the Responses API takes no audio",
    "the Responses API takes no audio",
    { type: "input_image", image_url: pngUrl, detail: "auto" },
  ],
  anthropic: [
    { type: "document", source: { type: "base64", media_type: "application/pdf", data: base64(pdf) }, title: "report.pdf" },
    "Anthropic Messages takes no audio",
    "Anthropic Messages takes no audio",
    { type: "image", source: { type: "base64", media_type: "image/png", data: base64(png) } },
  ],
};

for (const [api, expected] of Object.entries(forms)) {
  test(`${api}: a PDF, audio and a picture in their own forms, the same bytes in each request`, async (t) => {
    const { model, conversation } = await world(t, [{ text: "I see." }, { text: "Again." }], { llm: apis[api] });
    const message = [text("Look:"), file(pdf, "report.pdf"), file(wav, "a.wav"), file(mp3, "b.mp3"), file(png, "c.png")];
    const previews = await conversation.previewFiles(message.slice(1));
    assert.deepEqual(
      previews,
      expected.map((form) => (typeof form === "string" ? { form: "name", note: form } : { form: "file", note: null })),
    );
    const event = await conversation.sendMessage(message);
    assert.deepEqual(
      event.llm_message.content.map(({ type }) => type),
      ["text"],
      "the log has no part that the SDK refuses",
    );
    assert.ok(!JSON.stringify(await eventsOf(conversation)).includes(base64(pdf)), "and no bytes");
    await conversation.run();
    const [words, ...parts] = partsOf(model.requests[0]);
    assert.equal(words.text, "Look:");
    for (const form of expected) {
      if (typeof form !== "string") assert.deepEqual(withoutMark(parts.shift()), form);
      const why = typeof form === "string" ? `The file itself is not given here: ${form}.\nIts text was not read.` : given;
      assert.equal(below(parts.shift()), why);
    }
    assert.deepEqual(parts, []);
    await conversation.sendMessage("And?");
    await conversation.run();
    const [first, second] = model.requests.map(({ body }) => JSON.stringify(withoutMarks(body.messages ?? body.input)));
    assert.ok(second.startsWith(first.slice(0, -2)), "a cache of the provider finds the beginning");
  });
}

const withoutMark = ({ cache_control: _, ...part }) => part;
const withoutMarks = (messages) => JSON.parse(JSON.stringify(messages, (key, value) => (key === "cache_control" ? undefined : value)));

test("tools in text: the same parts over Chat Completions", async (t) => {
  const { model, conversation } = await world(t, [{ text: "I see." }], { llm: { ...apis.chat, nativeToolCalling: false } });
  await conversation.sendMessage([file(pdf, "report.pdf"), file(wav, "a.wav")]);
  await conversation.run();
  assert.deepEqual(
    partsOf(model.requests[0]).filter(({ type }) => type !== "text"),
    forms.chat.slice(0, 2),
  );
});

test("models by their metadata: what each reads", async (t) => {
  const forms = async (llm) => {
    const { conversation } = await world(t, [], { llm });
    return (await conversation.previewFiles([file(pdf, "a.pdf"), file(wav, "a.wav"), file(png, "a.png")])).map(({ form }) => form);
  };
  assert.deepEqual(await forms({ model: "openai/gpt-4o" }), ["file", "name", "file"]);
  assert.deepEqual(await forms({ model: "openai/gpt-audio" }), ["name", "name", "name"], "over the Responses API, by its metadata");
  assert.deepEqual(await forms({ model: "openai/gpt-audio", apiMode: "chat" }), ["name", "file", "name"]);
  assert.deepEqual(await forms({ model: "anthropic/claude-sonnet-4-5" }), ["file", "name", "file"]);
  assert.deepEqual(await forms({ model: "gemini/gemini-2.5-flash" }), ["name", "file", "file"], "its OpenAI API takes no PDF files");
  assert.deepEqual(await forms({ model: "deepseek/deepseek-chat" }), ["name", "name", "name"]);
  const off = { supports_pdf_input: false, supports_vision: false };
  assert.deepEqual(await forms({ model: "openai/gpt-4o", capabilityOverrides: off }), ["name", "name", "name"]);
});

test("a switch of the model in the middle goes both ways", async (t) => {
  const reader = { accepts: ({ start }) => start[0] === 0x25, read: async () => ({ text: "What it says.", pages: 3 }) };
  const replies = [{ text: "One." }, { text: "Two." }, { text: "Three." }];
  const { model, conversation } = await world(t, replies, { llm: textOnly, attachments: { readers: [reader] } });
  const { extended_content } = await conversation.sendMessage([file(pdf, "report.pdf")]);
  const line = { path: "attachments/report.pdf", name: "report.pdf", media_type: "application/pdf", size: pdf.length };
  const first = `Attached file: ${JSON.stringify({ ...line, sha256: sha256(pdf), pages: 3 })}`;
  assert.equal(extended_content[0].text, `${first}\nIts text:\nWhat it says.`);
  const ask = async (llm) => {
    const at = model.requests.length;
    await conversation.switchLLM(new LLM({ baseUrl: model.baseUrl, numRetries: 1, ...llm }));
    if (at > 0) await conversation.sendMessage("And now?");
    await conversation.run();
    return model.requests[at].body;
  };
  const none = `${first}\nThe file itself is not given here: this model does not read PDF files.\nIts text:\nWhat it says.`;
  assert.equal((await ask(textOnly)).messages[1].content[0].text, none);
  const [document, note] = (await ask(apis.anthropic)).messages[0].content;
  assert.deepEqual([document, note.text], [forms.anthropic[0], `${first}\n${given}`]);
  assert.equal((await ask(textOnly)).messages[1].content[0].text, none);
});

test("a file that was changed later: its version at the message, or a sentence", async (t) => {
  const model = await scripted(t, Array(4).fill({ text: "I see." }));
  const store = memoryStore();
  const write = async (more) => {
    const own = await open(t, { model, store, llm: apis.chat, ...more });
    await own.sendMessage([file(pdf, "report.pdf")]);
    await own.run();
    await own.workspace.write("attachments/report.pdf", pdfOf(["Profix"]));
    await own.close();
    // Another page has nothing in memory.
    const other = await open(t, { model, store, llm: apis.chat, conversationId: own.id, ...more });
    await other.sendMessage("And?");
    await other.run();
    return model.requests.at(-1).body.messages.find(({ role }) => role === "user").content;
  };
  assert.deepEqual((await write({}))[0], forms.chat[0], "the version at the message");
  const [changed] = await write({ workspace: memoryWorkspace() });
  assert.match(changed.text, /not given here: it was changed in the workspace after the message, and its content at that time/);
});

test("a file that is gone is said", async (t) => {
  const { model, conversation } = await world(t, [{ text: "One." }], { workspace: memoryWorkspace() });
  await conversation.sendMessage([file(wav, "a.wav")]);
  await conversation.workspace.remove("attachments/a.wav");
  await conversation.run();
  assert.match(partsOf(model.requests[0])[0].text, /not given here: it was removed in the workspace after the message/);
});

test("kinds and formats that a model does not take are said", async (t) => {
  const { model, conversation } = await world(t, [{ text: "One." }]);
  const ogg = new Uint8Array(Buffer.concat([Buffer.from("OggS"), Buffer.alloc(40)]));
  await conversation.sendMessage([
    file(ogg, "a.ogg", "audio/ogg"),
    file(ogg, "b.pdf", "application/pdf"),
    file(ogg, "c.wav", "audio/wav"),
    file(ogg, "d.bin"),
  ]);
  await conversation.run();
  const unread = "\nIts text was not read.";
  assert.deepEqual(partsOf(model.requests[0]).map(below), [
    `The file itself is not given here: this model takes audio only as WAV or MP3.${unread}`,
    `The file itself is not given here: its content is not what its name and type say.${unread}`,
    `The file itself is not given here: its content is not what its name and type say.${unread}`,
    unread.trim(),
  ]);
});

test("a PDF of 300 pages, where a model takes 100", async (t) => {
  const reader = { accepts: () => true, read: async () => ({ text: "The text.", pages: 300 }) };
  const options = { llm: apis.anthropic, attachments: { readers: [reader] } };
  const { model, conversation } = await world(t, [{ text: "One." }, { text: "Two." }], options);
  await conversation.sendMessage([file(pdf, "long.pdf")]);
  await conversation.run();
  const why = "The file itself is not given here: it has 300 pages, and this model takes at most 100.\nIts text:\nThe text.";
  assert.equal(below(partsOf(model.requests[0])[0]), why);
  await conversation.switchLLM(new LLM({ ...apis.chat, baseUrl: model.baseUrl }));
  await conversation.sendMessage("And?");
  await conversation.run();
  assert.equal(model.requests[1].body.messages[1].content[0].type, "file", "OpenAI names no limit");
});

test("a PDF that a provider refuses is left out from then on, and the model reads why", async (t) => {
  const message = "The PDF specified was not valid.";
  const refusal = { status: 400, body: { type: "error", error: { type: "invalid_request_error", message } } };
  const { model, conversation } = await world(t, [refusal, { text: "No." }, { text: "Still no." }], { llm: apis.anthropic });
  const broken = new TextEncoder().encode("%PDF-1.7\nnothing else");
  await conversation.sendMessage([file(broken, "broken.pdf")]);
  await conversation.run();
  await conversation.sendMessage("And?");
  await conversation.run();
  const kinds = model.requests.map(({ body }) => body.messages[0].content.map(({ type }) => type).join());
  assert.deepEqual(kinds, ["document,text", "text", "text"]);
  const told = below(model.requests[2].body.messages[0].content[0]);
  assert.match(
    told,
    /not given here: the provider has refused a request with it: The PDF specified was not valid\.\nIts text was not read/,
  );
});

test("the refusal of a request without files is reported as before", async (t) => {
  const refusal = { status: 400, body: { error: { message: "unknown field" } } };
  const { model, conversation } = await world(t, [refusal], { llm: apis.chat });
  await conversation.sendMessage([file("text", "a.txt")]);
  await assert.rejects(conversation.run(), refused("llm_bad_request", /unknown field/));
  assert.equal(model.requests.length, 1);
});

test("what files count: pages, seconds and pictures for a model that is given them, and their text for others", async (t) => {
  const reader = { accepts: ({ start }) => start[0] === 0x25, read: async () => ({ text: "Short.", pages: 20 }) };
  const { model, conversation } = await world(t, [], { llm: apis.chat, attachments: { readers: [reader] } });
  await conversation.sendMessage([file(pdf, "report.pdf"), file(new Uint8Array([...wav, ...new Uint8Array(320_000)]), "a.wav")]);
  const { usedTokens: used } = await conversation.contextUsage();
  assert.ok(used > 50_000 && used < 52_000, String(used));
  await conversation.switchLLM(new LLM({ ...textOnly, baseUrl: model.baseUrl }));
  const without = (await conversation.contextUsage()).usedTokens;
  assert.ok(without < 1500, String(without));
});

test("too many images for a request: the oldest are left out, a quarter of the limit at once", async (t) => {
  const replies = [{ text: "One." }, { text: "Two." }, { text: "Three." }];
  const { model, conversation } = await world(t, replies, { llm: apis.anthropic });
  const image = { type: "image", image_urls: Array(60).fill(pixel) };
  const images = async () => {
    await conversation.sendMessage([image]);
    await conversation.run();
    const parts = model.requests.at(-1).body.messages.flatMap(({ content }) => content);
    return [parts.filter(({ type }) => type === "image").length, parts.filter(({ text }) => /left out/.test(text)).length];
  };
  assert.deepEqual(await images(), [60, 0]);
  assert.deepEqual(await images(), [95, 25]);
  assert.deepEqual(await images(), [80, 100]);
  assert.match(JSON.stringify(model.requests[1].body), /\[An image was left out: a request to this model has at most 100\.\]/);
});

test("images that no provider takes are refused before they are sent, or left out of a result with a sentence", async (t) => {
  const { conversation } = await world(t, []);
  const bmp = "data:image/bmp;base64,Qk0=";
  await assert.rejects(
    conversation.sendMessage([{ type: "image", image_urls: [bmp] }]),
    refused("invalid_options", /no model takes an image of type "image\/bmp" as a data URL; give it as a Blob/),
  );
  const many = [{ type: "image", image_urls: Array(101).fill(pixel) }];
  await assert.rejects(conversation.sendMessage(many), refused("too_large", /at most 100 images; send them in several messages/));
  assert.equal(conversation.events.length, 0);
});

test("an archive says why it was not read", async (t) => {
  const { conversation } = await world(t, []);
  const [preview] = await conversation.previewFiles([file(new Uint8Array([0x50, 0x4b, 3, 4, 0, 255]), "a.docx")]);
  assert.deepEqual(preview, { form: "name", note: null });
  await assert.rejects(conversation.previewFiles([{ type: "file" }]), refused("invalid_options", /needs a File or Blob/));
});

test("the scripted model refuses parts that a provider would refuse", () => {
  const chat = (part) => violationsOf({ model: "m", messages: [{ role: "user", content: [part] }] });
  assert.deepEqual(chat(forms.chat[0]), []);
  assert.match(chat({ type: "file", file: { filename: "a.pdf", file_data: base64(pdf) } })[0], /no data URL of a PDF/);
  assert.match(chat({ type: "file", file: { file_data: pdfUrl } })[0], /no filename/);
  assert.match(chat({ type: "file", file: { filename: "a", file_data: "data:application/pdf;base64,AAAA" } })[0], /no pdf file/);
  assert.match(chat({ type: "input_audio", input_audio: { data: base64(mp3), format: "ogg" } })[0], /format "ogg"/);
  assert.match(chat({ type: "input_audio", input_audio: { data: base64(mp3), format: "wav" } })[0], /no wav file/);
  const responses = (part) => violationsOf({ model: "m", input: [{ type: "message", role: "user", content: [part] }] });
  assert.match(responses({ type: "input_audio", input_audio: { data: "", format: "wav" } }).join(), /of type "input_audio"/);
  const source = { type: "base64", media_type: "audio/wav", data: base64(wav) };
  const anthropic = violationsOf({
    model: "m",
    system: [text("s")],
    max_tokens: 1,
    messages: [{ role: "user", content: [{ type: "document", source }] }],
  });
  assert.match(anthropic.join(), /document of \["base64","audio\/wav"\]/);
});
