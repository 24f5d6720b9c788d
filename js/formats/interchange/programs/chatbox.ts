// Chatbox' exports: sessions under names of their own. What was asked again has its other ends beside the messages.
import { Collecting, type Converted, type Fields, idOf, isObject, object, objects, text } from "./session.js";

/** The sessions of an export. */
export const chatboxSessions = (value: Fields): Fields[] => [
  ...objects(value["chat-sessions"]),
  ...Object.entries(value).flatMap(([name, session]) => (name.startsWith("session:") && isObject(session) ? [session] : [])),
];

/** A session, and its earlier threads, which are conversations of their own. */
export function readChatbox(session: Fields): Converted[] {
  const threads = objects(session["threads"]).filter((thread) => objects(thread["messages"]).length > 0);
  return [...threads.map((thread) => readThread(thread, session, false)), readThread(session, session, true)];
}

function readThread(thread: Fields, session: Fields, isCurrent: boolean): Converted {
  const collecting = new Collecting();
  const forks = isCurrent ? object(session["messageForksHash"]) : {};
  const added = new Set<string>();
  let model = "";
  const add = (messages: readonly Fields[], after: string | null): string | null => {
    const open: Array<[Fields[], string | null]> = [[[...messages], after]];
    let end = after;
    let isFirst = true;
    for (let next = open.pop(); next; next = open.pop()) {
      const [told, start] = next;
      let before = start;
      for (const message of told) {
        const id = idOf(message["id"]);
        if (id === "" || added.has(id)) continue;
        added.add(id);
        model ||= text(message["model"]);
        addMessage(collecting, message, before);
        before = id;
        const others = objects(object(forks[id])["lists"])
          .map((fork) => objects(fork["messages"]))
          .filter(({ length }) => length > 0);
        open.push(...others.reverse().map((fork): [Fields[], string] => [fork, id]));
      }
      if (isFirst) end = before;
      isFirst = false;
    }
    return end;
  };
  const leaf = add(objects(thread["messages"]), null);
  const title = thread["name"] ?? session["name"];
  return collecting.converted({
    title,
    model: model.replace(/^.*\((.+)\)$/, "$1"),
    createdAt: thread["createdAt"],
    ...(leaf !== null && { leaf }),
  });
}

function addMessage(collecting: Collecting, message: Fields, parent: string | null): void {
  const role = text(message["role"]);
  const id = idOf(message["id"]);
  const [said, thoughts]: [string[], string[]] = [[text(message["content"])], [text(message["reasoningContent"])]];
  for (const part of objects(message["contentParts"])) {
    const kind = text(part["type"]);
    if (kind === "text" || kind === "info") said.push(text(part["text"]));
    else if (kind === "reasoning") thoughts.push(text(part["text"]));
    else if (kind === "tool-call") collecting.leaveOut(`a call of ${text(part["toolName"]) || "a tool"}`);
    else collecting.leaveOut(`a part of the type ${kind || "unknown"}`);
  }
  const files = [...objects(message["files"]), ...objects(message["links"])].map((file) => ({
    name: text(file["name"]) || text(file["title"]) || text(file["url"]) || "a file",
  }));
  const isKnown = role === "user" || role === "assistant" || role === "system";
  if (!isKnown) collecting.leaveOut(`a message of ${role || "nobody"}`);
  collecting.add({
    id,
    parent,
    role: isKnown ? role : "system",
    text: isKnown ? said.filter((part) => part !== "").join("\n\n") : "",
    reasoning: thoughts.filter((part) => part !== "").join("\n\n"),
    timestamp: message["timestamp"],
    files,
  });
}
