// Open WebUI's exports: chats with a tree of messages by their ids, or, from before there was one, with a list.
import { Collecting, type Converted, type Fields, idOf, inOrder, isObject, list, object, objects, text } from "./session.js";

export const isOpenWebUI = (value: Fields): boolean => {
  const chat = object(value["chat"]);
  return isObject(object(chat["history"])["messages"]) || Array.isArray(chat["messages"]);
};

export function readOpenWebUI(entry: Fields): Converted {
  const chat = object(entry["chat"]);
  const collecting = new Collecting();
  const history = object(chat["history"]);
  const nodes = object(history["messages"]);
  const add = (id: string, parent: string | null, message: Fields) => {
    const role = text(message["role"]);
    if (role !== "user" && role !== "assistant" && role !== "system") return collecting.leaveOut(`a message of ${role || "nobody"}`);
    const files = objects(message["files"]).map((file) => ({
      name: text(file["name"]) || text(object(file["file"])["filename"]) || "a file",
    }));
    const [reasoning, said] = parted(contentOf(message, collecting));
    collecting.add({ id, parent, role, text: said, reasoning, timestamp: message["timestamp"], files });
  };
  if (Object.keys(nodes).length > 0) {
    const parentOf = (id: string) => idOf(object(nodes[id])["parentId"]);
    const roots = Object.keys(nodes).filter((id) => !isObject(nodes[parentOf(id)]));
    const next = (id: string) =>
      list(object(nodes[id])["childrenIds"])
        .map(idOf)
        .filter((child) => isObject(nodes[child]));
    for (const id of inOrder(roots, next)) add(id, isObject(nodes[parentOf(id)]) ? parentOf(id) : null, object(nodes[id]));
  } else {
    let before: string | null = null;
    for (const [place, message] of objects(chat["messages"]).entries()) {
      const id = idOf(message["id"]) || `message ${place}`;
      add(id, before, message);
      before = id;
    }
  }
  return collecting.converted({
    title: entry["title"] ?? chat["title"],
    model: list(chat["models"])[0],
    createdAt: entry["created_at"] ?? chat["timestamp"],
    leaf: idOf(history["currentId"]),
  });
}

function contentOf(message: Fields, collecting: Collecting): string {
  if (!Array.isArray(message["content"])) return text(message["content"]);
  const parts = objects(message["content"]);
  for (const { type } of parts) if (type !== "text") collecting.leaveOut(`a part of the type ${text(type) || "unknown"}`);
  return parts
    .map((part) => text(part["text"]))
    .filter((part) => part !== "")
    .join("\n\n");
}

/** The reasoning that it keeps at the beginning of an answer, in an element of its own, and the answer. */
function parted(content: string): [string, string] {
  const found = /^\s*<details type="reasoning"[^>]*>\s*(?:<summary>[^<]*<\/summary>)?([^]*?)<\/details>/.exec(content);
  if (!found) return ["", content];
  const reasoning = found[1]!.replace(/^(?:&gt;|>) ?/gm, "").trim();
  return [reasoning, content.slice(found[0].length).trim()];
}
