// ChatGPT's `conversations.json`: a list of conversations, each with a tree of nodes by their ids.
import { Collecting, type Converted, type Fields, idOf, inOrder, isObject, list, object, objects, text } from "./session.js";

export const isChatGPT = (value: Fields): boolean =>
  isObject(value["mapping"]) &&
  Object.values(value["mapping"]).every((node) => isObject(node) && ("message" in node || "children" in node));

export function readChatGPT(conversation: Fields): Converted {
  const nodes = object(conversation["mapping"]);
  const collecting = new Collecting();
  const parentOf = (id: string) => idOf(object(nodes[id])["parent"]);
  const roots = Object.keys(nodes).filter((id) => !isObject(nodes[parentOf(id)]));
  const next = (id: string) =>
    list(object(nodes[id])["children"])
      .map(idOf)
      .filter((child) => isObject(nodes[child]));
  for (const id of inOrder(roots, next)) {
    const message = object(object(nodes[id])["message"]);
    const parent = isObject(nodes[parentOf(id)]) ? parentOf(id) : null;
    collecting.add({ id, parent, ...said(message, collecting) });
  }
  return collecting.converted({
    title: conversation["title"],
    model: conversation["default_model_slug"],
    createdAt: conversation["create_time"],
    leaf: idOf(conversation["current_node"]),
  });
}

function said(message: Fields, collecting: Collecting) {
  const role = text(object(message["author"])["role"]);
  const content = object(message["content"]);
  const metadata = object(message["metadata"]);
  const nothing = { role: "system" as const, text: "" };
  // Between the messages are notes of the program for itself.
  if (metadata["is_visually_hidden_from_conversation"] === true || role === "") return nothing;
  const kind = text(content["content_type"]);
  if (kind === "thoughts" && role === "assistant") {
    const thoughts = objects(content["thoughts"]).map((thought) => text(thought["content"]) || text(thought["summary"]));
    return { ...nothing, reasoning: thoughts.filter((thought) => thought !== "").join("\n\n") };
  }
  if (kind === "reasoning_recap") return nothing;
  const isCall = role === "assistant" && message["recipient"] !== undefined && message["recipient"] !== "all";
  if (role === "tool" || isCall) {
    collecting.leaveOut(isCall ? "a call of a tool of ChatGPT" : "a result of a tool of ChatGPT");
    return nothing;
  }
  if (role !== "user" && role !== "assistant" && role !== "system") {
    collecting.leaveOut(`a message of ${role}`);
    return nothing;
  }
  const files = objects(metadata["attachments"]).map((file) => ({ name: text(file["name"]) || "a file" }));
  const parts: string[] = [];
  for (const part of "parts" in content ? list(content["parts"]) : [content["text"]]) {
    if (typeof part === "string") parts.push(part);
    else if (isObject(part) && typeof part["text"] === "string") parts.push(part["text"]);
    else if (part !== null && part !== undefined)
      collecting.leaveOut(`a part of the type ${text(object(part)["content_type"]) || "unknown"}`);
  }
  if (!("parts" in content) && typeof content["text"] !== "string" && kind !== "") collecting.leaveOut(`content of the type ${kind}`);
  return { role: role as "user" | "assistant" | "system", text: parts.join("\n\n"), timestamp: message["create_time"], files };
}
