// Results of servers as content for the model.
import type { Content } from "../events/types.js";
import { isObject } from "./schemas.js";
import { shown } from "./tools.js";

/** Characters of text in one result. */
const longest = 300_000;
/** Characters of base64 in one result. */
const largest = 20_000_000;
const mostParts = 200;
/** The formats that every provider accepts. */
const images = /^image\/(png|jpeg|gif|webp)$/;

export interface ToolResult {
  content: Content[];
  isError: boolean;
}

/** The content as the SDK stores it, which begins with the name of the tool. What it leaves out is described in words. */
export function contentOf(tool: string, result: Record<string, unknown>): ToolResult {
  const given = Array.isArray(result["content"]) ? (result["content"] as unknown[]) : [];
  const content: Content[] = [{ type: "text", text: `[Tool '${tool}' executed.]` }];
  const room = { text: longest, images: largest };
  for (const block of given.slice(0, mostParts)) content.push(partOf(isObject(block) ? block : {}, room));
  if (given.length > mostParts) content.push(text(`[${given.length - mostParts} more parts were cut off]`));
  // A server should repeat its structured result as text; not all do.
  const hasText = given.some((block) => isObject(block) && block["type"] === "text");
  if (result["structuredContent"] !== undefined && !hasText) content.push(cut(JSON.stringify(result["structuredContent"]), room));
  return { content, isError: result["isError"] === true };
}

/** A failed call, in the words of the SDK. */
export function failure(tool: string, why: string): ToolResult {
  return { content: [text(`Error calling MCP tool ${tool}: ${why}`)], isError: true };
}

type Room = { text: number; images: number };

function partOf(block: Record<string, unknown>, room: Room): Content {
  const { type, mimeType, data, resource } = block;
  switch (type) {
    case "text":
      return cut(String(block["text"] ?? ""), room);
    case "image":
      return imageOf(mimeType, data, room);
    case "audio":
      return text(`[audio, ${described(mimeType, data)}, cannot be shown]`);
    case "resource_link":
      return cut(`[resource ${link(block)}]`, room);
    case "resource":
      return isObject(resource) ? resourceOf(resource, room) : text("[an unreadable resource]");
    default:
      return text(`[content of the unknown type ${shown(String(type))}]`);
  }
}

function imageOf(mimeType: unknown, data: unknown, room: Room): Content {
  const isUsable = typeof mimeType === "string" && images.test(mimeType) && typeof data === "string" && /^[A-Za-z0-9+/]+={0,2}$/.test(data);
  if (!isUsable) return text(`[image, ${described(mimeType, data)}, cannot be shown]`);
  room.images -= data.length;
  return room.images < 0
    ? text(`[image, ${described(mimeType, data)}, left out because the result is too large]`)
    : { type: "image", image_urls: [`data:${mimeType};base64,${data}`] };
}

function resourceOf(resource: Record<string, unknown>, room: Room): Content {
  const { uri, mimeType, blob } = resource;
  if (typeof resource["text"] === "string") return cut(`[resource ${String(uri)}]\n${resource["text"]}`, room);
  return cut(`[resource ${String(uri)}, ${described(mimeType, blob)}, cannot be shown]`, room);
}

function link({ uri, name, description, mimeType }: Record<string, unknown>): string {
  return [uri, name, mimeType, description].filter((each) => typeof each === "string" && each !== "").join(", ");
}

function described(mimeType: unknown, base64: unknown): string {
  const size = typeof base64 === "string" ? Math.ceil((base64.length * 3) / 4 / 1000) : 0;
  return `${typeof mimeType === "string" ? mimeType.slice(0, 100) : "unknown type"}, ${size} kB`;
}

function cut(whole: string, room: Room): Content {
  const rest = whole.length - room.text;
  const shortened = rest > 0 ? `${whole.slice(0, Math.max(0, room.text))}\n[cut off: ${rest} more characters]` : whole;
  room.text = Math.max(0, room.text - whole.length);
  return text(shortened);
}

function text(text: string): Content {
  return { type: "text", text };
}
