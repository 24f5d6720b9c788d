// The same with the AI SDK: its loop in the page, and all messages of the chat in one row of IndexedDB.
import { createOpenAI } from "@ai-sdk/openai";
import { AbstractChat, DirectChatTransport, ToolLoopAgent } from "ai";
import { answersWith, count, draw, isFilling, textOf } from "./page.js";

const settled = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
const opening = indexedDB.open("chats", 1);
opening.onupgradeneeded = () => opening.result.createObjectStore("chats");
const database = await settled(opening);
const rows = (mode) => database.transaction("chats", mode).objectStore("chats");
const read = () => settled(rows("readonly").get("chat"));
const write = (messages) => settled(rows("readwrite").put(messages, "chat"));

/** The state of a chat as a view that redraws everything wants it. */
class ChatState {
  status = "ready";
  error;
  changed = () => {};

  constructor(messages) {
    this.messages = messages;
  }

  pushMessage = (message) => this.#set([...this.messages, message]);
  popMessage = () => this.#set(this.messages.slice(0, -1));
  replaceMessage = (index, message) => this.#set(this.messages.with(index, structuredClone(message)));
  snapshot = (value) => structuredClone(value);

  #set(messages) {
    this.messages = messages;
    this.changed();
  }
}

class Chat extends AbstractChat {
  constructor(messages) {
    const model = createOpenAI({ baseURL: `${location.origin}/v1`, apiKey: "sk-0123456789abcdef" }).chat("scripted");
    const state = new ChatState(messages);
    super({ state, transport: new DirectChatTransport({ agent: new ToolLoopAgent({ model }) }) });
    this.of = state;
  }
}

const chat = new Chat(isFilling ? [] : ((await read()) ?? []));
if (isFilling) {
  for (let n = 0; n < count; n++) await chat.sendMessage({ text: `Question ${n}` });
  await write(chat.messages);
  globalThis.isFilled = true;
} else {
  const show = () => draw(chat.messages.map(textOf));
  chat.of.changed = show;
  show();
  answersWith(async (text) => {
    await chat.sendMessage({ text });
    await write(chat.messages);
  });
}
