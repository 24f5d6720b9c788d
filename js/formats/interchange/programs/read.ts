// Finds the program that has written a file, by the shape of what is in it.
import { chatboxSessions, readChatbox } from "./chatbox.js";
import { isChatGPT, readChatGPT } from "./chatgpt.js";
import { isClaude, readClaude } from "./claude.js";
import { isLibreChat, readLibreChat } from "./librechat.js";
import { isOpenWebUI, readOpenWebUI } from "./open-webui.js";
import { type Converted, type Fields, isObject, objects } from "./session.js";

/** llama.cpp's conversations are read by the core; of several of them each is one. */
const isLlamaCpp = (value: Fields): boolean => isObject(value["conv"]) && Array.isArray(value["messages"]);
const asItIs = (value: Fields): Converted => ({ session: value as unknown as Converted["session"], leftOut: new Map() });

const readers: ReadonlyArray<[is: (value: Fields) => boolean, read: (value: Fields) => Converted]> = [
  [isChatGPT, readChatGPT],
  [isClaude, readClaude],
  [isOpenWebUI, readOpenWebUI],
  [isLibreChat, readLibreChat],
  [isLlamaCpp, asItIs],
];

/** The conversations of a file; `undefined` if no program is known that writes such files. */
export function converted(value: unknown): Converted[] | undefined {
  const found = Array.isArray(value) ? objects(value) : isObject(value) ? [value] : [];
  const sessions = found.flatMap(chatboxSessions);
  if (sessions.length > 0) return filled(sessions.flatMap(readChatbox));
  const all: Converted[] = [];
  for (const entry of found) {
    const reader = readers.find(([is]) => is(entry));
    if (reader) all.push(reader[1](entry));
  }
  return all.length > 0 ? filled(all) : undefined;
}

/** Without those in which nothing was said, unless there are no others. */
function filled(all: Converted[]): Converted[] {
  const some = all.filter(({ session }) => session.messages.length > 0);
  return some.length > 0 ? some : all.slice(0, 1);
}
